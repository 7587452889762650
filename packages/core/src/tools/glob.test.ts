import { utimesSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { declaredWords, openBuiltin } from './fixtures/open-builtin.js';
import { GlobTool, type GlobToolOptions } from './glob.js';
import {
  call,
  createSearchWorkspace,
  linesOf,
  type SearchWorkspace,
} from './search/fixtures/search-workspace.js';

let search: SearchWorkspace | undefined;
afterEach(() => search?.temp.cleanup());

/** The files, the last one newest. */
function toolFor(names: string[], options: GlobToolOptions = {}, content = ''): GlobTool {
  search = createSearchWorkspace(Object.fromEntries(names.map((name) => [name, content])));
  for (const [index, name] of names.entries()) utimesSync(search.temp.path(name), 1000, 1000 + index);
  return new GlobTool(search.host, options);
}

async function found(tool: GlobTool, params: object): Promise<string[]> {
  return (await linesOf(tool, params)).slice(1);
}

describe('glob', () => {
  it('finds files newest first', async () => {
    const tool = toolFor(['old.ts', 'src/middle.ts', 'src/deep/new.ts', 'a.js']);
    expect(await linesOf(tool, { pattern: '**/*.ts' })).toEqual([
      '3 files (newest first)',
      'src/deep/new.ts',
      'src/middle.ts',
      'old.ts',
    ]);
  });

  const names = ['a.ts', 'b.JS', '.env', 'src/c.ts', 'src/x/d.tsx', 'src/[id]/e.ts', 'docs/{f}.md'];
  it.each([
    ['*.ts', ['a.ts']],
    ['./*.ts', ['a.ts']],
    ['src/*.ts', ['src/c.ts']],
    ['src/**', ['src/[id]/e.ts', 'src/c.ts', 'src/x/d.tsx']],
    ['**/*.{ts,tsx}', ['a.ts', 'src/[id]/e.ts', 'src/c.ts', 'src/x/d.tsx']],
    ['**/[cd].*', ['src/c.ts', 'src/x/d.tsx']],
    ['src/[id]/*', ['src/[id]/e.ts']],
    ['**/?.js', ['b.JS']],
    ['.*', ['.env']],
    ['docs/{f}.md', ['docs/{f}.md']],
    ['src/c.ts', ['src/c.ts']],
    ['src/', ['src/[id]/e.ts', 'src/c.ts', 'src/x/d.tsx']],
    ['src/../*.ts', ['a.ts']],
  ])('%s finds what it should', async (pattern, expected) => {
    expect((await found(toolFor(names), { pattern })).sort()).toEqual(expected);
  });

  it('looks below path, and takes an absolute pattern', async () => {
    const tool = toolFor(names);
    expect(await found(tool, { pattern: '**/*.tsx', dir_path: 'src' })).toEqual(['src/x/d.tsx']);
    expect(await found(tool, { pattern: `${search!.temp.directory}/src/x/*` })).toEqual(['src/x/d.tsx']);
    expect(await found(tool, { pattern: '../a.ts', path: 'src' })).toEqual(['a.ts']);
  });

  it('minds case only when asked to', async () => {
    const tool = toolFor(['README.md']);
    expect(await found(tool, { pattern: 'readme.*' })).toEqual(['README.md']);
    expect(await linesOf(tool, { pattern: '**/readme.*', case_sensitive: true })).toEqual([
      'No files match **/readme.* in the workspace.',
    ]);
  });

  it('leaves out what is ignored, also when the pattern names it, and finds it when asked to', async () => {
    const tool = toolFor(['a.log', 'dist/b.log', 'c.txt', 'keep/d.log']);
    search!.temp.write('.gitignore', '*.log\ndist\n');
    search!.temp.write('keep/.gitignore', '!d.log\n');
    expect(await found(tool, { pattern: '**/*.log' })).toEqual(['keep/d.log']);
    expect(await found(tool, { pattern: '**/*.log', include_ignored: true })).toEqual([
      'keep/d.log',
      'dist/b.log',
      'a.log',
    ]);
  });

  it('says how many ignored files would match when nothing else does', async () => {
    const tool = toolFor(['dist/a.js', 'dist/b.js', 'dist/c.js', 'dist/d.js', 'x.ts']);
    search!.temp.write('.gitignore', 'dist/\n');
    const lines = await linesOf(tool, { pattern: '**/*.js' });
    expect(lines).toEqual([
      'No files match **/*.js in the workspace.',
      'But 4 ignored files would match (dist/a.js, dist/b.js, dist/c.js, …): set include_ignored to list them.',
    ]);
  });

  it('looks into an ignored folder that is named', async () => {
    const tool = toolFor(['node_modules/pkg/a.d.ts', 'node_modules/pkg/b.js']);
    search!.temp.write('.gitignore', 'node_modules\n*.js\n');
    expect(await found(tool, { pattern: 'node_modules/pkg/*' })).toEqual([
      'node_modules/pkg/b.js',
      'node_modules/pkg/a.d.ts',
    ]);
  });

  it('says that only one level was looked at', async () => {
    const tool = toolFor(['src/a.vue']);
    expect(await linesOf(tool, { pattern: '*.vue' })).toEqual([
      'No files match *.vue in the workspace.',
      'Only files directly in the workspace were looked at; **/*.vue looks at any depth.',
    ]);
  });

  it('says what a folder needs to be a pattern', async () => {
    const tool = toolFor(['src/a.ts']);
    expect(await linesOf(tool, { pattern: 'src' })).toEqual([
      'No files match src in the workspace.',
      'src is a folder: src/** finds the files in it.',
    ]);
  });

  it('reads .toolwrightignore in every folder', async () => {
    const tool = toolFor(['a.csv', 'data/b.csv', 'data/keep.csv', 'data/raw/c.csv', 'src/d.csv']);
    search!.temp.write('.toolwrightignore', 'a.csv\n');
    search!.temp.write('data/.toolwrightignore', '*.csv\n!keep.csv\n');
    expect(await found(tool, { pattern: '**/*.csv' })).toEqual(['src/d.csv', 'data/keep.csv']);
  });

  it('never names what the rules hide, and counts it', async () => {
    const tool = toolFor(['.env', 'a/.env', 'b.ts'], { hidden: (path) => path.endsWith('.env') });
    expect(await linesOf(tool, { pattern: '**/*' })).toEqual([
      '1 file (newest first)',
      'b.ts',
      '[2 files hidden by rules.]',
    ]);
    expect(await linesOf(tool, { pattern: '**/.env' })).toEqual([
      'No files match **/.env in the workspace.',
      '[2 files hidden by rules.]',
    ]);
  });

  it('shows at most 200 files and how many more there are', async () => {
    const tool = toolFor(Array.from({ length: 203 }, (_, index) => `d/${index}.txt`));
    const lines = await linesOf(tool, { pattern: '**/*.txt' });
    expect(lines[0]).toBe('203 files (newest first)');
    expect(lines[1]).toBe('d/202.txt');
    expect(lines).toHaveLength(202);
    expect(lines.at(-1)).toBe('[3 more not shown: use a narrower pattern or path.]');
  });

  it('names no more files than it shows until a script asks for all of them', async () => {
    toolFor(Array.from({ length: 250 }, (_, index) => `d/${index}.txt`));
    let named = 0;
    const { workspace } = search!.host;
    const show = (path: string): string => {
      named += 1;
      return workspace.show(path);
    };
    const tool = new GlobTool({ ...search!.host, workspace: { ...workspace, show } });
    const { forScript } = await call(tool, { pattern: '**/*.txt' });
    expect(named).toBe(200);
    expect(forScript?.value).toHaveLength(250);
    expect(forScript?.value).toContain('d/0.txt');
  });

  it('does not follow links, inside or outside', async () => {
    const tool = toolFor(['real/a.ts']);
    writeFileSync(`${search!.temp.outside}/b.ts`, '');
    search!.temp.symlink('inside', 'real');
    search!.temp.symlink('outside', search!.temp.outside);
    expect(await found(tool, { pattern: '**/*.ts' })).toEqual(['real/a.ts']);
    expect(await found(tool, { pattern: 'inside/*.ts' })).toEqual(['real/a.ts']);
    expect((await call(tool, { pattern: 'outside/*.ts' })).error?.code).toBe('outside_workspace');
  });

  it('keeps odd names on one line', async () => {
    const tool = toolFor(['new\nline.ts']);
    writeFileSync(
      Buffer.concat([Buffer.from(`${search!.temp.directory}/`), Buffer.from([0xe9, 0x2e, 0x74, 0x73])]),
      '',
    );
    expect((await found(tool, { pattern: '*.ts' })).sort()).toEqual(['"new\\nline.ts"', '\\xe9.ts']);
  });

  it.each([
    ['an option as a pattern', { pattern: '--pre=touch hacked' }, null],
    ['an option as a name to look for', { pattern: '**/--files-from=*' }, null],
    ['braces without end', { pattern: '{'.repeat(2000) }, null],
    ['stars without end', { pattern: '*a'.repeat(1000) }, null],
    ['a colon', { pattern: 'include:all' }, null],
    ['NUL', { pattern: 'a\0b' }, 'invalid_params'],
    ['a pattern of pages', { pattern: 'a'.repeat(5000) }, 'invalid_params'],
    ['an explosion', { pattern: '{a,b}'.repeat(30) }, 'invalid_params'],
    ['a way out', { pattern: '*/../../../etc/*' }, 'invalid_params'],
    ['an absolute way out', { pattern: '/etc/*' }, 'outside_workspace'],
    ['a file to look in', { pattern: '*', path: 'a.ts' }, 'invalid_params'],
    ['a missing folder', { pattern: 'scr/*.ts' }, 'not_found'],
  ])('withstands %s', async (_name, params, code) => {
    const tool = toolFor(['a.ts', 'src/b.ts']);
    const result = await call(tool, params);
    expect(result.error?.code ?? null).toBe(code);
    if (code === null) expect(result.llmContent).toContain('No files match');
    expect(Object.keys(search!.temp.tree())).toEqual(['a.ts', 'src/b.ts']);
  });
});

describe('glob as a built-in tool', () => {
  it('keeps what users of a tool rely on', async () => {
    await using builtin = await openBuiltin('glob', { 'src/a.ts': '' });
    expect(
      await builtin.check({
        valid: [{ pattern: '**/*.ts' }, { pattern: '*.none' }],
        invalid: [{ pattern: '' }],
      }),
    ).toEqual([]);
  });

  it('is declared to the model in these words', async () => {
    expect(await declaredWords('glob')).toMatchInlineSnapshot(`
      [
        "glob: Finds files by name pattern, newest first. Patterns know *, ?, [a-z], {a,b} and ** for any folders: "src/**/*.ts", "**/*.{test,spec}.js". Leaves out what .gitignore and .toolwrightignore name.",
        "pattern {"type":"string","minLength":1,"description":"Pattern, relative to path, or absolute."}",
        "path? {"type":"string","description":"Folder to look in. Default: the workspace."}",
        "case_sensitive? {"type":"boolean","description":"Default: false."}",
        "include_ignored? {"type":"boolean","description":"Also find ignored files. Default: false."}",
      ]
    `);
  });
});
