import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createToolbox, type SettledCall, type Tool, type ToolboxOptions, textOf } from '@toolwright/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMachine, type Machine } from './program.js';

let machine: Machine;
beforeEach(() => {
  machine = createMachine({ 'a.txt': 'one\ntwo\n', 'src/b.txt': 'needle\n' });
});
afterEach(() => machine.cleanup());

async function open(options: Partial<ToolboxOptions> = {}) {
  const toolbox = await createToolbox({
    workspace: machine.workspace,
    stateFolder: machine.state,
    approvalMode: 'yolo',
    ...options,
  });
  const call = async (name: string, args: Record<string, unknown>): Promise<SettledCall> => {
    const raw = { id: '', name, arguments: args };
    const [settled] = await toolbox.scheduler.run([raw], new AbortController().signal);
    return settled!;
  };
  return { ...toolbox, call };
}

describe('other names', () => {
  const cases: [tool: string, args: Record<string, unknown>, found: RegExp][] = [
    ['list_directory', { dir_path: 'src' }, /b\.txt/],
    ['read_file', { file_path: 'a.txt' }, /one/],
    ['read_file', { path: 'a.txt', offset: '1' }, /two/],
    ['write_file', { absolute_path: 'n1.txt', content: 'x' }, /Created n1\.txt/],
    ['write_file', { path: 'n2.txt', content: 'x' }, /Created n2\.txt/],
    ['grep_search', { pattern: 'needle', dir_path: 'src' }, /b\.txt/],
    ['search_file_content', { pattern: 'needle', include: '*.txt' }, /b\.txt/],
    ['glob', { pattern: '*', dir_path: 'src' }, /b\.txt/],
    ['edit', { absolute_path: 'a.txt', old_string: 'one', new_string: '1' }, /Edited a\.txt/],
    [
      'replace',
      { path: 'a.txt', old_string: 'two', new_string: '2', expected_replacements: 1 },
      /Edited a\.txt/,
    ],
    ['read_many_files', { paths: '["a.txt","src/*"]' }, /needle/],
  ];

  it.each(cases)('are accepted by %s: %j', async (tool, args, found) => {
    const { call } = await open();
    const { error, llmContent } = await call(tool, args);
    expect(error).toBeUndefined();
    expect(textOf(llmContent)).toMatch(found);
  });

  it('are never advertised', async () => {
    const { registry } = await open();
    const declared = JSON.stringify(registry.getFunctionDeclarations());
    for (const word of ['dir_path', 'search_file_content', '"replace"', 'expected_replacements'])
      expect(declared).not.toContain(word);
    const names = registry.getFunctionDeclarations().map(({ name }) => name);
    expect(names.slice(0, 7)).toEqual([
      'list_directory',
      'read_file',
      'write_file',
      'grep_search',
      'glob',
      'edit',
      'read_many_files',
    ]);
  });
});

describe('a path outside the roots', () => {
  const calls: [string, Record<string, unknown>][] = [
    ['list_directory', { path: '/etc' }],
    ['read_file', { absolute_path: '/etc/hostname' }],
    ['write_file', { file_path: '/tmp/toolwright-outside.txt', content: 'x' }],
    ['grep_search', { pattern: 'x', path: '../..' }],
    ['glob', { pattern: '/etc/*' }],
    ['edit', { file_path: '/etc/hostname', old_string: 'a', new_string: 'b' }],
  ];

  it.each(['plan', 'default', 'auto-edit', 'yolo'] as const)(
    'is refused in %s mode',
    async (approvalMode) => {
      const rules = [{ verdict: 'allow' as const, text: 'Edit(/**)', source: 'here' }];
      const { call } = await open({ approvalMode, rules, confirm: async () => ({ kind: 'once' }) });
      for (const [name, args] of calls)
        expect((await call(name, args)).error?.code).toBe('outside_workspace');
      const many = await call('read_many_files', { paths: ['a.txt', '/etc/hostname'] });
      expect(textOf(many.llmContent)).toMatch(/one[\s\S]*Not read:\n- \/etc\/hostname: .*outside/);
      expect(existsSync('/tmp/toolwright-outside.txt')).toBe(false);
    },
  );

  it('is one no more when its folder was added', async () => {
    const { call } = await open({ include: [{ path: '/etc', access: 'read' }] });
    expect((await call('read_file', { absolute_path: '/etc/hostname' })).error).toBeUndefined();
    const written = await call('write_file', { file_path: '/etc/toolwright-test', content: 'x' });
    expect(written.error).toMatchObject({ code: 'denied', message: expect.stringMatching(/may only read/) });
  });
});

describe('a model', () => {
  const edit = { file_path: 'a.txt', old_string: 'one', new_string: '1' };

  it.each<[string, string, Record<string, unknown>]>([
    ['a window', 'read_file', { absolute_path: 'a.txt', offset: 1, limit: 1 }],
    ['a hit', 'grep_search', { pattern: 'two' }],
    ['several files', 'read_many_files', { paths: ['*.txt'] }],
  ])('may change a file once it has seen it: %s', async (_name, tool, args) => {
    const { call } = await open({ forModel: true });
    expect((await call('edit', edit)).error?.code).toBe('conflict');
    await call('glob', { pattern: '*' });
    await call('grep_search', { pattern: 'two', files_only: true });
    expect((await call('edit', edit)).error?.code).toBe('conflict');
    expect((await call(tool, args)).error).toBeUndefined();
    expect((await call('edit', edit)).error).toBeUndefined();
  });

  it('need not read what it wrote itself, nor does anyone else', async () => {
    const { call } = await open({ forModel: true });
    await call('write_file', { file_path: 'own.txt', content: 'one\n' });
    expect((await call('edit', { ...edit, file_path: 'own.txt' })).error).toBeUndefined();
    const library = await open();
    expect((await library.call('edit', edit)).error).toBeUndefined();
  });
});

it('a yes that was saved holds in the next session of this workspace and in no other', async () => {
  const asked: string[] = [];
  const confirm: ToolboxOptions['confirm'] = async ({ offers }) => {
    asked.push(offers.map(({ rule }) => rule).join(' '));
    return { kind: 'always', rule: 'Edit(src/**)', scope: 'saved' };
  };
  const change = { file_path: 'src/b.txt', content: 'x' };
  const first = await open({ approvalMode: 'default', confirm });
  expect((await first.call('write_file', change)).error).toBeUndefined();
  expect(asked).toEqual(['Edit(src/b.txt) Edit(src/**) write_file']);
  const next = await open({ approvalMode: 'default' });
  expect((await next.call('write_file', { ...change, content: 'y' })).error).toBeUndefined();
  expect((await next.call('write_file', { file_path: 'a.txt', content: 'y' })).denied?.by).toBe(
    'nobody-to-ask',
  );
  const elsewhere = await open({ approvalMode: 'default', workspace: machine.home });
  expect((await elsewhere.call('write_file', change)).denied?.by).toBe('nobody-to-ask');
});

it('output too long for an answer can be read and searched where the notice says, and not written', async () => {
  const long = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join('');
  const tool: Tool = {
    name: 'talk',
    displayName: 'Talk',
    description: 'Talks for long.',
    parameterSchema: { type: 'object', properties: {} },
    validateToolParams: () => null,
    getDescription: () => 'Talk',
    shouldConfirmExecute: async () => false,
    execute: async () => ({ llmContent: long, returnDisplay: 'talked' }),
    effects: () => [],
  };
  const rules = [{ verdict: 'deny' as const, text: 'Read(**/*.txt)', source: 'here' }];
  const { call } = await open({ tools: [tool], forModel: true, rules });
  const said = textOf((await call('talk', {})).llmContent);
  expect(said.length).toBeLessThan(60_000);
  const path = /(\/\S+\.txt)/.exec(said.slice(-400))?.[1] ?? '';
  expect(path.startsWith(join(machine.state, 'output'))).toBe(true);
  expect(
    textOf((await call('read_file', { absolute_path: path, offset: 12_345, limit: 1 })).llmContent),
  ).toMatch(/^line 12345\n/);
  expect(textOf((await call('grep_search', { pattern: '^line 19999$', path })).llmContent)).toMatch(
    /20000: line 19999/,
  );
  expect((await call('write_file', { file_path: path, content: 'x' })).error?.code).toBe('denied');
});
