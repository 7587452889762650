import { chmodSync, writeFileSync } from 'node:fs';
import { createRipgrep, type RipgrepRun } from '@toolwright/machine/host/ripgrep/ripgrep.js';
import { findRipgrep } from '@toolwright/machine/host/ripgrep/ripgrep-program.js';
import { afterEach, describe, expect, it } from 'vitest';
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

describe('a line of a hundred megabytes', () => {
  const filled = Buffer.alloc(50 << 20, 'x');
  const content = {
    'big.txt': Buffer.concat([
      Buffer.from('first needle\n'),
      filled,
      Buffer.from('needle'),
      filled,
      Buffer.from('\nlast needle\n'),
    ]),
    'small.txt': 'before\nsmall needle\nafter\n',
  };

  /** A search whose ripgrep has other limits. */
  function toolWithin(limits: Partial<RipgrepRun>): GrepTool {
    search = createSearchWorkspace(content);
    const { ripgrep } = search.host;
    return new GrepTool(
      { ...search.host, ripgrep: { run: (run) => ripgrep.run({ ...run, ...limits }) } },
      {},
    );
  }

  it('hides neither the lines behind it nor those of other files', async () => {
    const tool = toolWithin({ maxBytes: 80 << 20 });
    expect(await linesOf(tool, { pattern: 'needle' })).toEqual([
      '4 matches in 2 files',
      '',
      'big.txt',
      '1: first needle',
      '2: [a line too long to be shown]',
      '3: last needle',
      '',
      'small.txt',
      '2: small needle',
    ]);
    expect(await linesOf(tool, { pattern: 'needle', path: 'big.txt' })).toEqual([
      '3 matches in 1 file',
      '',
      'big.txt',
      '1: first needle',
      '2: [a line too long to be shown]',
      '3: last needle',
    ]);
    expect((await linesOf(tool, { pattern: 'small', context: 1 })).slice(-3)).toEqual([
      '1- before',
      '2: small needle',
      '3- after',
    ]);
  });

  it('that is longer than can be searched costs the matches in that file alone', async () => {
    expect(await linesOf(toolWithin({ maxMemoryBytes: 60 << 20 }), { pattern: 'needle' })).toEqual([
      '1 match in 1 file',
      '',
      'small.txt',
      '2: small needle',
      '[Could not be read: files larger than 64 MB, because a line in one of them is too long.]',
    ]);
  });
});

describe('what a search is asked for', () => {
  it.each([
    ['-e', 'a -e b'],
    ['--pre=touch hacked', 'x --pre=touch hacked'],
    ['--files', 'use --files'],
    ['--', 'a -- b'],
    ['-', 'a-b'],
  ])('%s is a pattern, never an option', async (pattern, line) => {
    const tool = toolFor({ a: `${line}\n`, b: 'x' });
    expect((await linesOf(tool, { pattern })).slice(0, 4)).toEqual([
      '1 match in 1 file',
      '',
      'a',
      `1: ${line}`,
    ]);
    expect(Object.keys(search!.temp.tree())).toEqual(['a', 'b']);
  });

  it.each(['--pre=touch hacked', '-g', '--type-add=x:*', 'include:a', '!', '{a', '[', '**', '*'.repeat(500)])(
    '%s is a glob, never an option or a failure',
    async (glob) => {
      const tool = toolFor({ a: 'hit' });
      expect((await call(tool, { pattern: 'hit', glob })).error).toBeUndefined();
      expect(Object.keys(search!.temp.tree())).toEqual(['a']);
    },
  );

  it('literal text may hold every sign of a pattern, and line breaks', async () => {
    const tool = toolFor({ a: 'x = a[0].(b|c)*\ny\n' });
    expect((await linesOf(tool, { pattern: 'a[0].(b|c)*', literal: true }))[0]).toBe('1 match in 1 file');
    expect((await linesOf(tool, { pattern: '*\ny', literal: true })).slice(3)).toEqual([
      '1: x = a[0].(b|c)*',
      '2: y',
    ]);
  });

  it('a pattern with a line break searches across lines', async () => {
    const tool = toolFor({ a: 'one\ntwo\nthree\n', b: 'a \\n b\n' });
    expect((await linesOf(tool, { pattern: 'one\\ntwo' })).slice(2)).toEqual(['a', '1: one', '2: two']);
    expect((await linesOf(tool, { pattern: 'a \\\\n b' })).slice(2)).toEqual(['b', '1: a \\n b']);
  });

  it('an end of line fits before a carriage return too', async () => {
    const tool = toolFor({ a: 'one two\r\ntwo one\r\n' });
    expect((await linesOf(tool, { pattern: 'two$' })).slice(3)).toEqual(['1: one two']);
  });

  it('a pattern ripgrep can not read is an error in its words', async () => {
    const { error } = await call(toolFor({ a: 'x' }), { pattern: 'foo(bar' });
    expect(error).toEqual({
      code: 'invalid_params',
      message:
        "The pattern can't be used: regex parse error:\n    (?:foo(bar)\n    ^\nerror: unclosed group\n" +
        'Patterns are Rust regular expressions; set literal to search for the text as it stands.',
    });
    const lookAhead = await call(toolFor({ a: 'x' }), { pattern: '(?=x)' });
    expect(lookAhead.error?.message).toContain(
      'look-around, including look-ahead and look-behind, is not supported',
    );
    expect(lookAhead.error?.message).not.toContain('pcre2');
  });

  it('a pattern that would not end elsewhere ends here', async () => {
    const tool = toolFor({ a: `${'a'.repeat(50_000)}!\n` });
    expect((await call(tool, { pattern: '^(a+)+$' })).error).toBeUndefined();
    expect((await call(tool, { pattern: '(x+x+)+y' })).error).toBeUndefined();
    expect((await call(tool, { pattern: '(((a{1,100}){1,100}){1,100}){1,100}' })).error?.code).toBe(
      'invalid_params',
    );
  });

  it.each([
    ['NUL', { pattern: 'a\0b' }],
    ['half a character', { pattern: 'a\ud800' }],
    ['no pattern', { pattern: '' }],
    ['a book as a pattern', { pattern: 'x'.repeat(100_000) }],
    ['an exploding glob', { pattern: 'x', glob: '{a,b}'.repeat(30) }],
    ['too much context', { pattern: 'x', context: 1000 }],
    ['no limit', { pattern: 'x', limit: 0 }],
  ])('%s is refused', async (_name, params) => {
    expect((await call(toolFor({ a: 'x' }), params)).error?.code).toBe('invalid_params');
  });

  it('a path that does not exist is answered with near ones, one outside is refused', async () => {
    const tool = toolFor({ 'source/a': 'x' });
    expect((await call(tool, { pattern: 'x', path: 'sorce' })).error).toEqual({
      code: 'not_found',
      message: 'sorce does not exist. Did you mean source?',
    });
    search!.temp.symlink('out', search!.temp.outside);
    expect((await call(tool, { pattern: 'x', path: 'out' })).error?.code).toBe('outside_workspace');
    expect((await call(tool, { pattern: 'x', path: '..' })).error?.code).toBe('outside_workspace');
  });
});

describe('what a search comes across', () => {
  it('long lines are cut around the match', async () => {
    const tool = toolFor({
      'a.js': `${'x'.repeat(300_000)}needle${'é'.repeat(300_000)}\n`,
      b: `${'a'.repeat(500)}needle`,
    });
    const lines = await linesOf(tool, { pattern: 'needle' });
    expect(lines[3]).toBe(`1: …${'x'.repeat(120)}needle${'é'.repeat(137)}…`);
    expect(lines[6]).toBe(`1: …${'a'.repeat(394)}needle`);
  });

  it('a line of many megabytes is counted, not kept', async () => {
    const tool = toolFor({ a: `needle${'x'.repeat(9 * 1024 * 1024)}\nneedle\n` });
    expect((await linesOf(tool, { pattern: 'needle' })).slice(0, 5)).toEqual([
      '2 matches in 1 file',
      '',
      'a',
      '[a line too long to be shown]',
      '2: needle',
    ]);
  });

  it('a whole answer stays within bounds', async () => {
    const tool = toolFor({ a: `${'hit '.repeat(90)}\n`.repeat(2000) });
    const { llmContent } = await call(tool, { pattern: 'hit', limit: 1000 });
    expect(String(llmContent).length).toBeLessThan(42_000);
    expect(llmContent).toMatch(/^2,000 matches in 1 file, \d+ shown\n/);
    expect(llmContent).toContain('[For more, raise limit or narrow the search with path or glob.]');
  });

  it('binary files are named, not printed', async () => {
    const tool = toolFor({ 'a.txt': 'hit', 'b.bin': Buffer.from('hit\0\nhit\n') });
    expect(await linesOf(tool, { pattern: 'hit', path: 'b.bin' })).toEqual([
      '2 matches in 1 file, 0 shown',
      '',
      'Binary files that match: b.bin (2)',
    ]);
  });

  it('text that is not UTF-8 is shown as well as it can be, UTF-16 is read', async () => {
    const tool = toolFor({
      latin: Buffer.from('caf\u00e9 hit\n', 'latin1'),
      wide: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('hit é\n', 'utf16le')]),
    });
    expect((await linesOf(tool, { pattern: 'hit' })).slice(2)).toEqual([
      'latin',
      '1: caf\ufffd hit',
      '',
      'wide',
      '1: hit é',
    ]);
  });

  it('odd file names stay on one line', async () => {
    const tool = toolFor({ 'new\nline': 'hit' });
    writeFileSync(
      Buffer.concat([Buffer.from(`${search!.temp.directory}/`), Buffer.from([0x6c, 0xe9])]),
      'hit',
    );
    expect(await linesOf(tool, { pattern: 'hit' })).toEqual([
      '2 matches in 2 files',
      '',
      'l\\xe9',
      '1: hit',
      '',
      '"new\\nline"',
      '1: hit',
    ]);
  });

  it('files that look like options or like standard input can be named', async () => {
    const tool = toolFor({ '-': 'hit', '--files': 'hit', '-x/-': 'hit' });
    for (const path of ['-', '--files', '-x/-']) {
      expect((await linesOf(tool, { pattern: 'hit', path })).slice(2)).toEqual([path, '1: hit']);
    }
    expect((await linesOf(tool, { pattern: 'hit', path: '-x' })).slice(2)).toEqual(['-x/-', '1: hit']);
  });

  it('links are not followed and .git is not searched', async () => {
    const tool = toolFor({ '.git/config': 'hit', '.github/a': 'hit' });
    writeFileSync(`${search!.temp.outside}/secret`, 'hit');
    search!.temp.symlink('out', search!.temp.outside);
    search!.temp.symlink('file', `${search!.temp.outside}/secret`);
    expect((await linesOf(tool, { pattern: 'hit' })).slice(2)).toEqual(['.github/a', '1: hit']);
  });

  it('a folder that can not be read is named beside the results', async () => {
    search = createSearchWorkspace({ 'a/x': 'hit', 'b/y': 'hit' });
    chmodSync(search.temp.path('b'), 0);
    // Root reads everything, so there ripgrep runs as nobody.
    const program = `${search.temp.outside}/rg`;
    const drop = process.getuid?.() === 0 ? 'setpriv --reuid=65534 --regid=65534 --clear-groups ' : '';
    writeFileSync(program, `#!/bin/sh\nexec ${drop}${await findRipgrep()} "$@"\n`, { mode: 0o755 });
    chmodSync(search.temp.directory, 0o755);
    chmodSync(`${search.temp.directory}/..`, 0o755);
    const tool = new GrepTool({ ...search.host, ripgrep: createRipgrep({ program }) });
    const lines = await linesOf(tool, { pattern: 'hit' });
    chmodSync(search.temp.path('b'), 0o755);
    expect(lines).toEqual([
      '1 match in 1 file',
      '',
      'a/x',
      '1: hit',
      '[Could not be read: b: Permission denied.]',
    ]);
  });

  it('a hidden file that can not be read is not named', async () => {
    search = createSearchWorkspace({ a: 'hit' });
    const program = `${search.temp.outside}/rg`;
    const messages = [
      './.env: Permission denied (os error 13)',
      './b: odd',
      './: Input/output error (os error 5)',
    ];
    const body = messages.map((message) => `echo "rg: ${message}" >&2`).join('\n');
    writeFileSync(program, `#!/bin/sh\n${body}\nexit 2\n`, { mode: 0o755 });
    const host = { ...search.host, ripgrep: createRipgrep({ program }) };
    const tool = new GrepTool(host, { hidden: (path) => path.endsWith('.env') });
    expect(await linesOf(tool, { pattern: 'hit' })).toEqual([
      'No matches for hit in the workspace.',
      '[Could not be read: b: odd; .: Input/output error.]',
    ]);
  });

  it('a failure of ripgrep is an error, not an empty answer', async () => {
    search = createSearchWorkspace({ a: 'hit' });
    const program = `${search.temp.outside}/rg`;
    writeFileSync(program, '#!/bin/sh\necho "rg: out of luck" >&2\nexit 2\n', { mode: 0o755 });
    const tool = new GrepTool({ ...search.host, ripgrep: createRipgrep({ program }) });
    for (const params of [{ pattern: 'hit' }, { pattern: 'hit', files_only: true }]) {
      expect((await call(tool, params)).error).toEqual({
        code: 'failed',
        message: 'ripgrep failed: out of luck',
      });
    }
  });

  it('ripgrep killed by someone else is an error, not an empty answer', async () => {
    search = createSearchWorkspace({ a: 'hit' });
    const program = `${search.temp.outside}/rg`;
    writeFileSync(program, '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 });
    const tool = new GrepTool({ ...search.host, ripgrep: createRipgrep({ program }) });
    expect((await call(tool, { pattern: 'hit' })).error?.code).toBe('failed');
  });
});

describe('what rules hide', () => {
  const content = { '.env': 'KEY=hit', 'a.ts': 'hit', 'sub/.env': 'KEY=hit' };
  const options = { hidden: (path: string) => path.endsWith('.env') };

  it('is never shown or counted among matches', async () => {
    const tool = toolFor(content, options);
    expect(await linesOf(tool, { pattern: 'hit' })).toEqual(['1 match in 1 file', '', 'a.ts', '1: hit']);
    expect(await linesOf(tool, { pattern: 'hit', files_only: true })).toEqual([
      '1 match in 1 file',
      'a.ts (1)',
    ]);
  });

  it('is mentioned in the same words whether it would match or not', async () => {
    const tool = toolFor(content, options);
    const answers = ['KEY=h', 'KEY=x'].map(async (pattern) => (await linesOf(tool, { pattern })).slice(1));
    expect(await Promise.all(answers)).toEqual([
      ['[2 files hidden by rules: not searched.]'],
      ['[2 files hidden by rules: not searched.]'],
    ]);
  });

  it('can not be searched by name', async () => {
    const tool = toolFor(content, options);
    expect((await call(tool, { pattern: 'KEY', path: '.env' })).error).toEqual({
      code: 'denied',
      message: '.env is hidden by rules.',
    });
    search!.temp.symlink('plain', '.env');
    expect((await call(tool, { pattern: 'KEY', path: 'plain' })).error?.code).toBe('denied');
  });
});

it('a cancelled search ends as cancelled', async () => {
  const tool = toolFor(
    Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${index}`, 'hit\n'.repeat(100)])),
  );
  const controller = new AbortController();
  const running = tool.execute({ pattern: 'hit' }, controller.signal);
  controller.abort({ kind: 'user' });
  expect((await running).error).toEqual({
    code: 'cancelled',
    message: 'The call was cancelled by the user. Nothing more was done.',
  });
});

it('grep_search shows the same first files however many there are', async () => {
  const content = Object.fromEntries(
    Array.from({ length: 3000 }, (_, index) => [
      `d${index % 7}/${String(index).padStart(4, '0')}`,
      'hit\n'.repeat(2),
    ]),
  );
  const tool = toolFor(content);
  const lines = await linesOf(tool, { pattern: 'hit', limit: 3 });
  expect(lines.slice(0, 8)).toEqual([
    '6,000 matches in 3,000 files, 3 shown',
    '',
    'd0/0000',
    '1: hit',
    '2: hit',
    '',
    'd0/0007',
    '1: hit',
  ]);
  expect(lines.at(-2)).toMatch(/^Not shown: d0\/0014 \(2\), .* and 2,978 more files$/);
});
