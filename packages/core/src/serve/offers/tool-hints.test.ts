import { join } from 'node:path';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import { createToolbox } from '../../create-toolbox.js';
import type { Tool } from '../../tools/tools.js';
import { hintsOf } from './tool-list.js';

const samples: Record<string, Record<string, unknown>> = {
  list_directory: { path: '.' },
  read_file: { absolute_path: 'a.txt' },
  write_file: { file_path: 'a.txt', content: 'x' },
  grep_search: { pattern: 'x' },
  glob: { pattern: '*' },
  edit: { file_path: 'a.txt', old_string: 'x', new_string: 'y' },
  read_many_files: { paths: ['a.txt'] },
  run_shell_command: { command: 'npm test' },
  web_fetch: { url: 'https://example.com/', prompt: 'What is it?' },
  web_search: { query: 'x' },
  save_memory: { fact: 'x' },
};

const kinds: Record<string, string[]> = {
  list_directory: ['read'],
  read_file: ['read'],
  write_file: ['read', 'write'],
  grep_search: ['read'],
  glob: ['read'],
  edit: ['read', 'write'],
  read_many_files: ['read'],
  run_shell_command: ['execute'],
  web_fetch: ['network'],
  web_search: ['network'],
  save_memory: ['memory'],
};

it('the kinds of effects that built-in tools claim are those that their calls declare', async () => {
  const temp = createTempWorkspace({ content: { 'a.txt': 'x' } });
  const { registry, close } = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    search: { provider: 'searxng', baseUrl: 'http://127.0.0.1:1' },
  });
  // A tool without a sample here is examined in its own test, by checkTool.
  const claimingNothing = registry.getAllTools().filter(({ effectKinds }) => effectKinds === undefined);
  expect(claimingNothing).toEqual([]);
  const declared: Record<string, string[]> = {};
  for (const [name, params] of Object.entries(samples)) {
    const effects = (await registry.getTool(name)?.effects?.(params)) ?? [];
    declared[name] = [...new Set(effects.map(({ kind }) => kind))];
    expect(registry.getTool(name)?.effectKinds).toEqual(kinds[name]);
  }
  expect(declared).toEqual(kinds);
  await close();
  await temp.cleanup();
});

it.each([
  ['read_file', { readOnlyHint: true, openWorldHint: false }],
  ['web_fetch', { readOnlyHint: true, openWorldHint: true }],
  ['edit', { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false }],
  [
    'save_memory',
    { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  ],
  [
    'run_shell_command',
    { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  ],
])('clients are given hints about %s', (name, hints) => {
  const effectKinds = kinds[name] as Tool['effectKinds'];
  expect(hintsOf({ effectKinds }, { kind: 'builtin' })).toEqual(hints);
});

it('nothing is claimed of tools that are not ours, whatever they are called', () => {
  expect(hintsOf({ effectKinds: ['read'] }, { kind: 'file', path: '/x.ts' })).toEqual({});
  expect(hintsOf({}, { kind: 'builtin' })).toEqual({});
});
