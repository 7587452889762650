import { join } from 'node:path';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import { createToolbox } from '../create-toolbox.js';
import { builtinEffects, hintsOf } from './annotations.js';

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

it('what is said of the built-in tools is what their calls declare', async () => {
  const temp = createTempWorkspace({ content: { 'a.txt': 'x' } });
  const toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    search: { provider: 'searxng', baseUrl: 'http://127.0.0.1:1' },
  });
  const declared: Record<string, string[]> = {};
  for (const { tool } of toolbox.registry.all()) {
    const effects = (await tool.effects?.(samples[tool.name] ?? {})) ?? [];
    declared[tool.name] = [...new Set(effects.map(({ kind }) => kind))];
  }
  const { jobs, ...others } = builtinEffects;
  expect(declared).toEqual(others);
  expect(jobs).toEqual(['execute']);
  await toolbox.close();
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
])('%s', (name, hints) => {
  expect(hintsOf(name, { kind: 'builtin' })).toEqual(hints);
});

it('nothing is claimed of tools that are not ours, whatever they are called', () => {
  expect(hintsOf('read_file', { kind: 'file', path: '/x.ts' })).toEqual({});
  expect(hintsOf('something', { kind: 'builtin' })).toEqual({});
});
