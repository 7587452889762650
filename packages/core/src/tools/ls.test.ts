import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { declaredWords, openBuiltin } from './fixtures/open-builtin.js';
import { LSTool, type LSToolOptions } from './ls.js';
import {
  call,
  createSearchWorkspace,
  linesOf,
  type SearchWorkspace,
} from './search/fixtures/search-workspace.js';

let search: SearchWorkspace | undefined;
afterEach(() => search?.temp.cleanup());

function toolFor(content: Record<string, string>, options: LSToolOptions = {}): LSTool {
  search = createSearchWorkspace(content);
  return new LSTool(search.host, options);
}

describe('list_directory', () => {
  it('lists folders first, then files with sizes and links with targets', async () => {
    const tool = toolFor({ 'b.txt': 'hello', 'a/x': '', 'z/y': '', '.env': 'A=1\n'.repeat(1000) });
    search!.temp.symlink('link', 'a/x');
    expect(await linesOf(tool, { path: '.' })).toEqual([
      './ (5 entries)',
      'a/',
      'z/',
      '.env  3.9 kB',
      'b.txt  5 bytes',
      'link -> a/x',
    ]);
  });

  it('counts and names ignored entries, and lists them when asked to', async () => {
    const tool = toolFor({ '.gitignore': 'dist/\n*.log\n', 'dist/a': '', 'x.log': '', 'src/a': '' });
    expect(await linesOf(tool, { path: '.' })).toEqual([
      './ (2 entries)',
      'src/',
      '.gitignore  12 bytes',
      '[2 ignored: dist/, x.log. Set include_ignored to list them.]',
    ]);
    expect(await linesOf(tool, { path: '.', include_ignored: true })).toContain('dist/');
  });

  it('lists an ignored folder that is named', async () => {
    const tool = toolFor({ '.gitignore': 'dist/\n', 'dist/a': '', 'dist/b/c': '' });
    expect(await linesOf(tool, { path: 'dist' })).toEqual(['dist/ (2 entries)', 'b/', 'a  0 bytes']);
  });

  it('leaves out what the ignore patterns name', async () => {
    const tool = toolFor({ 'a.ts': '', 'a.test.ts': '', 'b.md': '' });
    expect(await linesOf(tool, { dir_path: '.', ignore: ['*.test.*', '{b,c}.md'] })).toEqual([
      './ (1 entry)',
      'a.ts  0 bytes',
      '[2 left out by the ignore patterns.]',
    ]);
  });

  it('never names what the rules hide', async () => {
    const tool = toolFor(
      { 'a.ts': '', '.env': '', '.env.local': '' },
      { hidden: (path) => path.includes('.env') },
    );
    expect(await linesOf(tool, { path: '.' })).toEqual([
      './ (1 entry)',
      'a.ts  0 bytes',
      '[2 hidden by rules.]',
    ]);
    const { error } = await call(tool, { path: '.envx' });
    expect(error?.message).toBe('.envx does not exist. Use glob to look for it.');
  });

  it('shows at most 500 entries and how many more there are', async () => {
    const tool = toolFor(Object.fromEntries(Array.from({ length: 503 }, (_, index) => [`f${index}`, ''])));
    const lines = await linesOf(tool, { path: '.' });
    expect(lines[0]).toBe('./ (503 entries)');
    expect(lines).toHaveLength(502);
    expect(lines.at(-1)).toBe('[3 entries not shown: use glob with a narrower pattern.]');
  });

  it('says that a folder is empty', async () => {
    const tool = toolFor({ '.gitignore': '*\n' });
    execFileSync('mkdir', [search!.temp.path('empty')]);
    expect(await linesOf(tool, { path: 'empty', include_ignored: true })).toEqual([
      'empty/ (nothing to list)',
    ]);
  });

  it('keeps odd names on one line', async () => {
    const tool = toolFor({ 'new\nline\u001b[31m': '' });
    writeFileSync(Buffer.concat([Buffer.from(`${search!.temp.directory}/`), Buffer.from([0x6c, 0xe9])]), '');
    execFileSync('mkfifo', [join(search!.temp.directory, 'pipe')]);
    expect(await linesOf(tool, { path: '.' })).toEqual([
      './ (3 entries)',
      'l\\xe9  0 bytes',
      '"new\\nline\\u001b[31m"  0 bytes',
      'pipe  (special file)',
    ]);
  });

  it('names near ones when the folder does not exist', async () => {
    const tool = toolFor({ 'packages/core/a': '', 'packages/cli/a': '' });
    expect((await call(tool, { path: 'packages/cor' })).error).toEqual({
      code: 'not_found',
      message: 'packages/cor does not exist. Did you mean packages/core or packages/cli?',
    });
  });

  it.each([
    [
      'a file',
      { path: 'a.txt' },
      'invalid_params',
      'a.txt is a file, not a folder. Use read_file to see its content.',
    ],
    ['a place outside', { path: '/etc' }, 'outside_workspace', '/etc'],
    [
      'a pattern that explodes',
      { path: '.', ignore: ['{a,b}'.repeat(50)] },
      'invalid_params',
      'more than 256 patterns',
    ],
    ['a path with NUL', { path: 'a\0' }, 'invalid_params', 'NUL'],
  ])('refuses %s', async (_name, params, code, message) => {
    const { error } = await call(toolFor({ 'a.txt': '' }), params);
    expect(error?.code).toBe(code);
    expect(error?.message).toContain(message);
  });
});

describe('list_directory as a built-in tool', () => {
  it('keeps what users of a tool rely on', async () => {
    await using builtin = await openBuiltin('list_directory', { 'src/a.ts': '' });
    expect(
      await builtin.check({ valid: [{ path: '.' }, { path: 'nowhere' }, { path: 'src', ignore: ['*.ts'] }] }),
    ).toEqual([]);
  });

  it('is declared to the model in these words', async () => {
    expect(await declaredWords('list_directory')).toMatchInlineSnapshot(`
      [
        "list_directory: Lists what a folder holds: folders first (ending in /), then files with their sizes, links with their targets. Entries that .gitignore or .toolwrightignore name are only counted. For a whole tree use glob.",
        "path {"type":"string","description":"Folder to list; \\".\\" is the workspace."}",
        "ignore? {"type":"array","items":{"type":"string","minLength":1},"maxItems":50,"description":"Name patterns to leave out, such as \\"*.log\\"."}",
        "include_ignored? {"type":"boolean","description":"Also list ignored entries. Default: false."}",
      ]
    `);
  });
});
