import { writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { declaredWords, openBuiltin } from './fixtures/open-builtin.js';
import { GrepTool, type GrepToolOptions } from './grep.js';
import {
  call,
  createSearchWorkspace,
  linesOf,
  type SearchWorkspace,
} from './search/fixtures/search-workspace.js';

let search: SearchWorkspace | undefined;
afterEach(() => search?.temp.cleanup());

function toolFor(content: Record<string, string | Uint8Array>, options: GrepToolOptions = {}): GrepTool {
  search = createSearchWorkspace(content);
  return new GrepTool(search.host, options);
}

describe('grep_search', () => {
  it('groups matches by file with line numbers, files by name', async () => {
    const tool = toolFor({
      'b.ts': 'x\nneedle one\n',
      'a/c.ts': 'needle two\nx\nneedle three',
      'd.ts': 'hay',
    });
    expect(await linesOf(tool, { pattern: 'needle' })).toEqual([
      '3 matches in 2 files',
      '',
      'a/c.ts',
      '1: needle two',
      '3: needle three',
      '',
      'b.ts',
      '2: needle one',
    ]);
  });

  it('shows context with gaps marked', async () => {
    const lines = Array.from({ length: 12 }, (_, index) =>
      index === 2 || index === 9 ? `hit ${index + 1}` : '-',
    );
    const tool = toolFor({ 'a.txt': lines.join('\n') });
    expect(await linesOf(tool, { pattern: 'hit', context: 1 })).toEqual([
      '2 matches in 1 file',
      '',
      'a.txt',
      '2- -',
      '3: hit 3',
      '4- -',
      '--',
      '9- -',
      '10: hit 10',
      '11- -',
    ]);
  });

  it('caps what it shows, counts what is left and says how to go on', async () => {
    const many = 'hit\n'.repeat(5);
    const tool = toolFor({ 'a.txt': many, 'b.txt': many, 'c.txt': many, 'd.txt': 'hit' });
    expect(await linesOf(tool, { pattern: 'hit', limit: 7 })).toEqual([
      '16 matches in 4 files, 7 shown',
      '',
      'a.txt',
      ...[1, 2, 3, 4, 5].map((line) => `${line}: hit`),
      '',
      'b.txt',
      '1: hit',
      '2: hit',
      '[3 more in this file]',
      '',
      'Not shown: c.txt (5), d.txt (1)',
      '[For more, raise limit or narrow the search with path or glob.]',
    ]);
  });

  it('lists only files with counts when asked to', async () => {
    const tool = toolFor({ 'a.txt': 'hit\nhit', 'new\nline': 'hit', 'c.txt': 'hit' });
    expect(await linesOf(tool, { pattern: 'hit', files_only: true })).toEqual([
      '4 matches in 3 files',
      'a.txt (2)',
      'c.txt (1)',
      '"new\\nline" (1)',
    ]);
    expect(await linesOf(tool, { pattern: 'hit', files_only: true, limit: 1 })).toEqual([
      '4 matches in 3 files',
      'a.txt (2)',
      '[2 more files not shown: raise limit or narrow the search.]',
    ]);
  });

  it.each([
    ['needle', undefined, ['needle', 'Needle']],
    ['Needle', undefined, ['Needle']],
    ['needle', true, ['needle']],
    ['Needle', false, ['needle', 'Needle']],
  ])('finds %s with case_sensitive %s', async (pattern, case_sensitive, expected) => {
    const tool = toolFor({ a: 'needle\nNeedle\n' });
    const lines = await linesOf(tool, {
      pattern,
      ...(case_sensitive === undefined ? {} : { case_sensitive }),
    });
    expect(lines.slice(3).map((line) => line.replace(/^\d: /, ''))).toEqual(expected);
  });

  it.each([
    ['*.ts', ['a.ts', 'src/b.ts', 'src/x/c.ts']],
    ['*.{ts,md}', ['a.ts', 'd.md', 'src/b.ts', 'src/x/c.ts']],
    ['src/**/*.ts', ['src/b.ts', 'src/x/c.ts']],
    ['x/*.ts', []],
    ['**/x/*.ts', ['src/x/c.ts']],
    ['!*.ts', ['d.md']],
    ['A.TS', ['a.ts']],
  ])('searches only files that fit glob %s', async (glob, expected) => {
    const tool = toolFor({ 'a.ts': 'hit', 'src/b.ts': 'hit', 'src/x/c.ts': 'hit', 'd.md': 'hit' });
    const { llmContent } = await call(tool, { pattern: 'hit', include: glob });
    expect(String(llmContent).match(/^[a-z/]+\.[a-z]+$/gm) ?? []).toEqual(expected);
  });

  it('starts a glob with folders at the searched folder, at the root, or absolute', async () => {
    const tool = toolFor({ 'src/x/c.ts': 'hit', 'src/y/d.ts': 'hit' });
    for (const glob of ['x/*.ts', 'src/x/*.ts', `${search!.temp.directory}/src/x/**`]) {
      expect((await linesOf(tool, { pattern: 'hit', path: 'src', glob })).slice(0, 3)).toEqual([
        '1 match in 1 file',
        '',
        'src/x/c.ts',
      ]);
    }
  });

  it('searches one file that is named, ignored or not', async () => {
    const tool = toolFor({ '.gitignore': '*.log\n', 'a.log': 'one\nhit\n', 'b.log': 'hit' });
    expect(await linesOf(tool, { pattern: 'hit', path: 'a.log' })).toEqual([
      '1 match in 1 file',
      '',
      'a.log',
      '2: hit',
    ]);
    expect(await linesOf(tool, { pattern: 'none', path: 'a.log' })).toEqual([
      'No matches for none in a.log.',
    ]);
  });

  it('searches another root and shows its paths as they can be used', async () => {
    const tool = toolFor({ 'a.ts': 'hit' });
    const outside = search!.temp.outside;
    search!.temp.workspace.addReadOnlyRoot(outside);
    writeFileSync(`${outside}/b.txt`, 'one\nhit\n');
    const lines = ['1 match in 1 file', '', `${outside}/b.txt`, '2: hit'];
    expect(await linesOf(tool, { pattern: 'hit', path: outside })).toEqual(lines);
    expect(await linesOf(tool, { pattern: 'hit', path: lines[2] })).toEqual(lines);
    expect((await linesOf(tool, { pattern: 'hit' })).slice(2)).toEqual(['a.ts', '1: hit']);
  });

  it('leaves out ignored files, and searches them when asked to or when their folder is named', async () => {
    const tool = toolFor({ '.gitignore': 'dist/\n', 'dist/a.js': 'hit', 'src/a.ts': 'hit' });
    expect((await linesOf(tool, { pattern: 'hit' })).slice(2)).toEqual(['src/a.ts', '1: hit']);
    expect((await linesOf(tool, { pattern: 'hit', include_ignored: true }))[0]).toBe('2 matches in 2 files');
    expect((await linesOf(tool, { pattern: 'hit', path: 'dist' })).slice(2)).toEqual(['dist/a.js', '1: hit']);
    search!.temp.write('.git/hooks/pre-commit', 'hit');
    expect((await linesOf(tool, { pattern: 'hit', path: '.git' })).slice(2)).toEqual([
      '.git/hooks/pre-commit',
      '1: hit',
    ]);
  });

  it('says how many matches lie in ignored and in binary files when it finds nothing else', async () => {
    const tool = toolFor({
      '.gitignore': 'dist/\n',
      'dist/a.js': 'hit\nhit\n',
      'dist/b.js': 'hit',
      'data.bin': Buffer.from('a\0b\nhit\n'),
      'src/a.ts': 'miss',
    });
    expect(await linesOf(tool, { pattern: 'hit' })).toEqual([
      'No matches for hit in the workspace.',
      'Binary files that match: data.bin (1)',
      'But 3 matches lie in 2 ignored files, which include_ignored would search: dist/a.js (2), dist/b.js (1)',
    ]);
  });

  it('says when no file fits the glob', async () => {
    const tool = toolFor({ 'a.ts': 'hit' });
    expect(await linesOf(tool, { pattern: 'hit', glob: '*.vue' })).toEqual([
      'No matches for hit in the workspace (*.vue). No files fit the glob.',
    ]);
  });

  it('reads .toolwrightignore in every folder', async () => {
    const tool = toolFor({
      '.toolwrightignore': '*.gen\n',
      'a.gen': 'hit',
      'sub/.toolwrightignore': '!b.gen\n*.csv\n',
      'sub/b.gen': 'hit',
      'sub/c.csv': 'hit',
      'sub/d.txt': 'hit',
    });
    expect(await linesOf(tool, { pattern: 'hit', files_only: true })).toEqual([
      '2 matches in 2 files',
      'sub/b.gen (1)',
      'sub/d.txt (1)',
    ]);
  });

  it('tells that the files it showed have been seen', async () => {
    const seen: string[] = [];
    const tool = toolFor({ 'a.ts': 'hit', 'b.ts': 'hit' }, { seen: { saw: (path) => void seen.push(path) } });
    await linesOf(tool, { pattern: 'hit', limit: 1 });
    expect(seen).toEqual([search!.temp.path('a.ts')]);
    await linesOf(tool, { pattern: 'hit', files_only: true });
    expect(seen).toHaveLength(1);
  });
});

describe('grep_search as a built-in tool', () => {
  it('keeps what users of a tool rely on', async () => {
    await using builtin = await openBuiltin('grep_search', { 'src/a.ts': 'const a = 1;\n' });
    expect(
      await builtin.check({
        valid: [{ pattern: 'const' }, { pattern: '(' }, { pattern: 'nowhere at all' }],
        invalid: [{ pattern: '' }],
      }),
    ).toEqual([]);
  });

  it('is declared to the model in these words', async () => {
    expect(await declaredWords('grep_search')).toMatchInlineSnapshot(`
      [
        "grep_search: Searches file contents with ripgrep (Rust regex syntax; "\\n" in it searches across lines). Answers with matching lines and their numbers, grouped by file. Leaves out binary files and what .gitignore and .toolwrightignore name; when nothing is found it says what ignored files would match.",
        "pattern {"type":"string","minLength":1,"description":"Regular expression, or text with literal."}",
        "path? {"type":"string","description":"File or folder to search. Default: the workspace."}",
        "glob? {"type":"string","minLength":1,"description":"Only files like \\"*.ts\\", \\"src/**/*.{js,ts}\\"; \\"!*.md\\" excludes."}",
        "context? {"type":"integer","minimum":0,"maximum":20,"description":"Lines around each match. Default: 0."}",
        "case_sensitive? {"type":"boolean","description":"Default: only if the pattern has a capital letter."}",
        "literal? {"type":"boolean","description":"Take the pattern as plain text. Default: false."}",
        "files_only? {"type":"boolean","description":"Only file names with counts. Default: false."}",
        "limit? {"type":"integer","minimum":1,"maximum":1000,"description":"Matches, or files, shown. Default: 100."}",
        "include_ignored? {"type":"boolean","description":"Also search ignored files. Default: false."}",
      ]
    `);
  });
});
