import { join } from 'node:path';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToolbox, type Toolbox } from '../create-toolbox.js';
import { checkTool, type ToolSamples } from '../testing/check-tool.js';
import type { ToolboxOptions } from '../toolbox-options.js';
import type { ToolOrigin } from './tool-registry.js';

let temp: TempWorkspace;
let toolbox: Toolbox;

beforeAll(async () => {
  temp = createTempWorkspace({ content: { 'src/a.ts': 'const a = 1;\n', 'notes.txt': 'old\nold text\n' } });
  toolbox = await openToolbox({ search: { provider: 'searxng', baseUrl: 'http://127.0.0.1:9' } });
});
afterAll(async () => {
  await toolbox.close();
  await temp.cleanup();
});

function openToolbox(more: Partial<ToolboxOptions> = {}): Promise<Toolbox> {
  return createToolbox({ workspace: temp.directory, stateFolder: join(temp.outside, 'state'), ...more });
}

const samples: Record<string, () => ToolSamples> = {
  list_directory: () => ({
    valid: [{ path: '.' }, { path: 'nowhere' }, { path: 'src', ignore: ['*.ts'] }],
  }),
  read_file: () => ({
    valid: [{ absolute_path: temp.path('src/a.ts') }, { absolute_path: temp.path('gone') }],
    invalid: [{ absolute_path: '' }],
  }),
  write_file: () => ({ valid: [{ file_path: temp.path('new/b.txt'), content: 'x\n' }] }),
  grep_search: () => ({
    valid: [{ pattern: 'const' }, { pattern: '(' }, { pattern: 'nowhere at all' }],
    invalid: [{ pattern: '' }],
  }),
  glob: () => ({ valid: [{ pattern: '**/*.ts' }, { pattern: '*.none' }], invalid: [{ pattern: '' }] }),
  edit: () => ({
    valid: [
      { file_path: temp.path('notes.txt'), old_string: 'old text', new_string: 'new text' },
      { file_path: temp.path('notes.txt'), old_string: 'not there', new_string: 'x' },
    ],
  }),
  read_many_files: () => ({
    valid: [{ paths: ['src/**'] }, { paths: ['gone.txt'] }],
    invalid: [{ paths: [] }],
  }),
  run_shell_command: () => ({
    valid: [{ command: 'ls src' }, { command: 'exit 3' }, { command: 'ls', directory: 'src' }],
    invalid: [{ command: '' }, { command: ' ' }, { command: 'a\0b' }, { command: 'ls', timeout: 0 }],
  }),
  web_fetch: () => ({ valid: [{ url: 'http://127.0.0.1:9/', prompt: 'what is it?' }] }),
  web_search: () => ({ valid: [{ query: 'words' }] }),
  save_memory: () => ({ valid: [{ fact: 'Tabs are better.' }], invalid: [{ fact: '' }] }),
};

/** For each tool that takes a path: a call about it. */
const aboutPath: Record<string, (path: string) => Record<string, unknown>> = {
  list_directory: (path) => ({ path }),
  read_file: (path) => ({ absolute_path: path }),
  write_file: (path) => ({ file_path: path, content: 'x' }),
  grep_search: (path) => ({ pattern: 'x', path }),
  glob: (path) => ({ pattern: '*', path }),
  edit: (path) => ({ file_path: path, old_string: '', new_string: 'x' }),
  read_many_files: (path) => ({ paths: [path] }),
  run_shell_command: (directory) => ({ command: 'true', directory }),
};

describe('a path that names nothing is refused by every tool that takes one', () => {
  it.each(Object.entries(aboutPath))('%s', async (name, call) => {
    const tool = toolbox.registry.getTool(name);
    for (const path of ['', ' ', '\t \n', '\u00a0', 'a\0b', '\0']) {
      const error = (await tool?.execute(call(path), new AbortController().signal))?.error;
      expect([path, error?.code]).toEqual([
        path,
        name === 'read_many_files' && path !== '' ? 'not_found' : 'invalid_params',
      ]);
    }
  });

  it.each(['write_file', 'edit'])('%s makes no file of a path that is that of a folder', async (name) => {
    const tool = toolbox.registry.getTool(name);
    for (const path of ['.', './', 'none/', 'none/.', 'none/..', 'none/ ', 'src/', 'src']) {
      const error = (await tool?.execute(aboutPath[name]?.(path) ?? {}, new AbortController().signal))?.error;
      expect([path, error?.code]).toEqual([path, 'invalid_params']);
    }
    expect(temp.exists('none')).toBe(false);
  });
});

describe('every built-in tool keeps what users rely on', () => {
  it.each(Object.keys(samples))('%s', async (name) => {
    const tool = toolbox.registry.getTool(name);
    expect(tool, `${name} is registered`).toBeDefined();
    const findings = await checkTool(tool!, { ...samples[name]!(), directory: temp.directory });
    expect(findings).toEqual([]);
  });

  it('and none was forgotten here', () => {
    expect(Object.keys(samples)).toEqual(toolbox.registry.getAllTools().map((tool) => tool.name));
  });
});

describe('the names and aliases of built-in tools', () => {
  const elsewhere: ToolOrigin[] = [
    { kind: 'command', command: 'x' },
    { kind: 'file', path: 'x' },
  ];
  const named = (name: string) => ({ ...toolbox.registry.getTool('glob')!, name, nameAliases: [] });
  const allNames = () =>
    toolbox.registry.getAllTools().flatMap(({ name, nameAliases = [] }) => [name, ...nameAliases]);

  it('are taken, also those of tools that come later or are not configured', async () => {
    const { registry } = await openToolbox();
    for (const name of [...allNames(), 'jobs', 'tool_search'])
      for (const origin of elsewhere)
        expect(() => registry.registerTool(named(name), origin)).toThrow(`The tool name ${name} is taken`);
  });

  it('are left to the embedding program, and to nobody else, where the tools are left out', async () => {
    const { registry } = await openToolbox({ excludeTools: allNames() });
    for (const name of allNames()) {
      for (const origin of elsewhere) registry.registerTool(named(name), origin);
      expect(registry.getTool(name)).toBeUndefined();
      registry.registerTool(named(name), { kind: 'library' });
      expect(registry.getTool(name)).toBeDefined();
    }
  });
});

it('the declarations are short enough for a small first request', () => {
  const bytes = JSON.stringify(toolbox.registry.getFunctionDeclarations()).length;
  console.log(`evidence: declarations of ${toolbox.registry.getAllTools().length} tools: ${bytes} bytes`);
  expect(bytes).toBeLessThan(9_000);
});

it('without a search provider web_search is not offered', async () => {
  const plain = await openToolbox();
  expect(plain.registry.getTool('web_search')).toBeUndefined();
});
