import { createHash } from 'node:crypto';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { textOf } from '@toolwright/machine/base/content.js';
import { encodeText } from '@toolwright/machine/base/text-codec.js';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { declaredWords, openBuiltin } from './fixtures/open-builtin.js';
import { ReadFileTool } from './read-file.js';
import { createSeenFiles } from './text-change/seen-files.js';

const signal = new AbortController().signal;
let workspace: TempWorkspace;
let tool: ReadFileTool;

beforeEach(() => {
  workspace = createTempWorkspace();
  tool = new ReadFileTool(workspace);
});
afterEach(() => workspace.cleanup());

function read(path: string, more: object = {}) {
  return tool.execute({ absolute_path: workspace.path(path), ...more }, signal);
}
async function textFrom(path: string, more: object = {}): Promise<string> {
  return textOf((await read(path, more)).llmContent);
}
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('a text file', () => {
  it('is given to the model as it is', async () => {
    workspace.write('src/a.ts', 'const a = 1;\n\tif (a) {}\n');
    expect(await read('src/a.ts')).toEqual({
      llmContent: 'const a = 1;\n\tif (a) {}\n',
      returnDisplay: 'Read src/a.ts: 2 lines',
      forScript: { value: 'const a = 1;\n\tif (a) {}\n' },
    });
  });

  it('comes in windows of 2,000 lines, each saying where to go on', async () => {
    workspace.write('long.txt', numbered(4500));
    const first = await textFrom('long.txt');
    expect(first.startsWith('line 1\n')).toBe(true);
    expect(first.endsWith('line 2000\n[Lines 1-2,000 of 4,500. Read on: read_file with offset 2000.]')).toBe(
      true,
    );
    expect(await textFrom('long.txt', { offset: 4000 })).toMatch(
      /^line 4001\n.*line 4500\n\[Lines 4,001-4,500 of 4,500\.\]$/s,
    );
    expect(await textFrom('long.txt', { offset: 10, limit: 2 })).toBe(
      'line 11\nline 12\n[Lines 11-12 of 4,500. Read on: read_file with offset 12.]',
    );
    expect((await read('long.txt', { limit: 100_000 })).returnDisplay).toBe(
      'Read long.txt: lines 1-2,000 of 4,500',
    );
  });

  it('is read from the end with a negative offset', async () => {
    workspace.write('app.log', numbered(500));
    expect(await textFrom('app.log', { offset: -2 })).toBe('line 499\nline 500\n[Lines 499-500 of 500.]');
  });

  it('ends a window before its bytes are too many', async () => {
    workspace.write('wide.txt', `${'x'.repeat(999)}\n`.repeat(100));
    const text = await textFrom('wide.txt');
    expect(text).toMatch(/\[Lines 1-45 of 100\. Read on: read_file with offset 45\.\]$/);
    expect(Buffer.byteLength(text)).toBeLessThan(48 * 1024);
  });

  it('says when it is empty, and when the offset is past the end', async () => {
    workspace.write('empty.txt', '');
    workspace.write('short.txt', 'one\ntwo\n');
    expect(await textFrom('empty.txt')).toBe('[empty.txt is empty.]');
    expect((await read('short.txt', { offset: 7 })).error).toEqual({
      code: 'invalid_params',
      message:
        'short.txt has 2 lines; offset 7 is past its end. Offsets count from 0; a negative one counts from the end.',
    });
  });

  it('shows Windows and old Macintosh line ends as line feeds', async () => {
    workspace.write('dos.txt', 'a\r\nb\r\n');
    workspace.write('mac.txt', 'a\rb\r');
    expect(await textFrom('dos.txt')).toBe('a\nb\n');
    expect(await textFrom('mac.txt')).toBe('a\nb\n');
  });

  it('that holds an SVG image is read as text', async () => {
    workspace.write('icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>\n');
    expect(await textFrom('icon.svg')).toMatch(/^<svg/);
  });
});

describe('a file in another encoding', () => {
  const chinese = '这是一个用于测试编码检测的中文文件，每一行都有足够多的汉字。\n'.repeat(5);
  const japanese = 'これは文字コードの判定を試すための日本語の文章です。\n'.repeat(5);
  const french = 'Voilà une ligne écrite en français, déjà très accentuée.\n'.repeat(5);

  it.each([
    ['utf-8', 3, 'plain é 漢 😀\n'],
    ['utf-16le', 2, 'plain é 漢 😀\n'],
    ['utf-16be', 2, 'plain é 漢 😀\n'],
    ['utf-16le', 0, 'plain words without a mark\n'],
    ['utf-32le', 4, 'plain é 漢 😀\n'],
    ['utf-32be', 4, 'plain é 漢 😀\n'],
    ['gbk', 0, chinese],
    ['shift_jis', 0, japanese],
    ['iso-8859-1', 0, french],
  ])('is decoded: %s, mark of %i bytes', async (encoding, bomLength, text) => {
    workspace.write('text.txt', await encodeText(text, { encoding, bomLength }));
    const note = encoding === 'utf-8' ? '' : `[Decoded from ${encoding}; changes keep that encoding.]`;
    expect(await textFrom('text.txt')).toBe(`${text}${note}`);
  });

  it('that is damaged in places is shown with a mark there', async () => {
    workspace.write(
      'bad.txt',
      Buffer.concat([Buffer.from('漢字漢字漢字漢字 '), Buffer.from([0xff]), Buffer.from(' end\n')]),
    );
    expect(await textFrom('bad.txt')).toBe(
      '漢字漢字漢字漢字 \uFFFD end\n[1 place with bytes that are not valid utf-8: shown as \uFFFD.]',
    );
  });
});

describe('a file of many megabytes', () => {
  const lines = 1_200_000;
  const line = (index: number) => `${String(index).padStart(9, '0')} something happened here\n`;

  it('is read by range, from both ends', async () => {
    const path = workspace.write('big.log', '');
    const text = Array.from({ length: 1000 }, (_, index) => index);
    for (let block = 0; block < lines / 1000; block += 1) {
      writeFileSync(path, text.map((index) => line(block * 1000 + index)).join(''), { flag: 'a' });
    }
    expect(await textFrom('big.log', { offset: 1_100_000, limit: 1 })).toBe(
      `${line(1_100_000)}[Line 1,100,001 of 1,200,000. Read on: read_file with offset 1100001.]`,
    );
    expect(await textFrom('big.log', { offset: -1 })).toBe(
      `${line(1_199_999)}[Line 1,200,000 of 1,200,000.]`,
    );
    expect((await read('big.log', { offset: 5_000_000 })).error?.message).toMatch(
      /^big.log has 1,200,000 lines;/,
    );
  });

  it('may have a hole of 100 MB in it', async () => {
    const path = workspace.write('sparse.log', numbered(9000));
    truncateSync(path, 100 * 1024 * 1024);
    writeFileSync(path, '\nlast words\n', { flag: 'a' });
    expect(await textFrom('sparse.log', { offset: -1 })).toBe(
      'last words\n[1 line near the end of a file of 100 MB.]',
    );
    expect(await textFrom('sparse.log', { limit: 1 })).toBe(
      'line 1\n[Line 1 of a file of 100 MB. Read on: read_file with offset 1.]',
    );
  });
});

describe('a path', () => {
  it('that is relative is resolved against the workspace, and the answer says so', async () => {
    workspace.write('src/a.ts', 'x\n');
    const result = await tool.execute({ absolute_path: 'src/a.ts' }, signal);
    expect(result.llmContent).toBe(`x\n[src/a.ts is a relative path; read as ${workspace.path('src/a.ts')}]`);
  });

  it.each(['file_path', 'path'])('may be called %s', async (alias) => {
    workspace.write('a.txt', 'x\n');
    const params = { [alias]: workspace.path('a.txt') } as unknown as { absolute_path: string };
    expect((await tool.execute(params, signal)).llmContent).toBe('x\n');
  });

  it('of a missing file is answered with names that are near', async () => {
    workspace.write('src/Button.tsx', '');
    workspace.write('src/read-file.ts', '');
    const message = async (path: string) => (await read(path)).error;
    expect(await message('src/button.tsx')).toEqual({
      code: 'not_found',
      message: 'src/button.tsx does not exist. Did you mean src/Button.tsx?',
    });
    expect((await message('src/readfile.ts'))?.message).toMatch(/Did you mean src\/read-file\.ts\?$/);
    expect((await message('src/zzzzzzzz.py'))?.message).toBe(
      'src/zzzzzzzz.py does not exist. Use glob to look for it.',
    );
    expect((await message('nowhere/a.txt'))?.message).toBe(
      'nowhere/a.txt does not exist; nowhere does not exist either. Use glob to look for it.',
    );
  });

  it('never leads to the name of a hidden file through a link either', async () => {
    workspace.write('secret/key.txt', 'x');
    workspace.symlink('open', 'secret');
    tool = new ReadFileTool(workspace, { hidden: (path) => path.includes('secret') });
    for (const name of ['open/kei.txt', 'open/nothing-like-it'])
      expect((await read(name)).error).toEqual({ code: 'denied', message: `${name} is hidden by rules.` });
  });

  it('never leads to the name of a hidden file', async () => {
    workspace.write('secret-key.txt', '');
    tool = new ReadFileTool(workspace, { hidden: (path) => path.includes('secret') });
    expect((await read('secret_key.txt')).error?.message).not.toContain('secret-key');
  });

  it('of a folder leads to the tool for folders', async () => {
    mkdirSync(workspace.path('src'));
    expect((await read('src')).error).toMatchObject({
      code: 'invalid_params',
      message: expect.stringContaining('src is a folder. Use list_directory'),
    });
  });

  it('outside the workspace is refused', async () => {
    writeFileSync(`${workspace.outside}/x.txt`, 'secret');
    workspace.symlink('link.txt', `${workspace.outside}/x.txt`);
    for (const path of [`${workspace.outside}/x.txt`, '../outside/x.txt', workspace.path('link.txt')]) {
      expect((await tool.execute({ absolute_path: path }, signal)).error?.code).toBe('outside_workspace');
    }
  });

  it('that rules close is refused with their reason', async () => {
    const closed = createTempWorkspace({
      content: { 'closed.txt': 'secret' },
      policy: (access) => (access === 'read' ? 'Reading closed.txt is denied by a rule.' : null),
    });
    const result = await new ReadFileTool(closed).execute(
      { absolute_path: closed.path('closed.txt') },
      signal,
    );
    await closed.cleanup();
    expect(result.error?.code).toBe('denied');
    expect(textOf(result.llmContent)).not.toContain('secret');
  });
});

describe('what the model has seen', () => {
  it('is noted with its version, at its real path; a binary that was only named is not', async () => {
    const seen = createSeenFiles();
    tool = new ReadFileTool(workspace, { seen });
    workspace.write('real.txt', 'text\n');
    workspace.symlink('link.txt', 'real.txt');
    const zip = workspace.write('a.zip', Buffer.from('PK\x03\x04\0\0'));
    await read('link.txt', { limit: 1 });
    await read('a.zip');
    await read('missing.txt');
    expect(seen.lastSeen(workspace.path('real.txt'))).toEqual({
      hash: createHash('sha256').update('text\n').digest('hex'),
      bytes: Buffer.from('text\n'),
    });
    expect(seen.lastSeen(zip)).toBeUndefined();
    expect(seen.lastSeen(workspace.path('missing.txt'))).toBeUndefined();
  });

  it('of a very long file is noted without a version', async () => {
    const seen = createSeenFiles();
    tool = new ReadFileTool(workspace, { seen });
    const path = workspace.write('long.log', 'a line of words\n'.repeat(600_000));
    await read('long.log', { limit: 1 });
    expect(seen.lastSeen(path)).toEqual({});
  });
});

describe('the tool itself', () => {
  it('says what it will read', () => {
    const describe = (params: object) =>
      tool.getDescription({ absolute_path: workspace.path('a.txt'), ...params });
    expect(describe({})).toBe('Read a.txt');
    expect(describe({ offset: 9, limit: 5 })).toBe('Read a.txt from line 10, 5 lines');
    expect(describe({ limit: 1 })).toBe('Read a.txt, 1 line');
    expect(describe({ pages: '1-3' })).toBe('Read a.txt, pages 1-3');
    expect(tool.getDescription({ absolute_path: '/nowhere/x' })).toBe('Read /nowhere/x');
    expect(tool.effects({ absolute_path: 'a.txt' })).toEqual([
      { kind: 'read', path: workspace.path('a.txt') },
    ]);
  });

  it('refuses bad parameters before it reads', () => {
    const problem = (params: object) => tool.validateToolParams({ absolute_path: '/x', ...params });
    expect(problem({ limit: 0 })).toMatch(/^limit: minimum/);
    expect(problem({ pages: 'some' })).toMatch(/^pages: "some" is neither a page nor a range/);
    expect(problem({ absolute_path: '' })).toMatch(/^absolute_path/);
    expect(problem({ offset: -5, limit: 1, pages: '1-2' })).toBeNull();
  });

  it('stops when it is cancelled', async () => {
    workspace.write('a.txt', 'x');
    const controller = new AbortController();
    controller.abort({ kind: 'user' });
    const result = await tool.execute({ absolute_path: workspace.path('a.txt') }, controller.signal);
    expect(result.error?.code).toBe('cancelled');
  });
});

describe('read_file as a built-in tool', () => {
  it('reads no file that a rule denies', async () => {
    const rules = [{ verdict: 'deny', text: 'Read(secret.txt)', source: 'the test' } as const];
    await using builtin = await openBuiltin('read_file', { 'secret.txt': 'one\n', 'a.txt': 'two\n' }, rules);
    expect(await builtin.schedule({ absolute_path: 'secret.txt' })).toMatchObject({ code: 'denied' });
    expect(await builtin.schedule({ absolute_path: builtin.temp.path('a.txt') })).toEqual({
      output: 'two\n',
    });
  });

  it('keeps what users of a tool rely on', async () => {
    await using builtin = await openBuiltin('read_file', { 'src/a.ts': 'const a = 1;\n' });
    expect(
      await builtin.check({
        valid: [
          { absolute_path: builtin.temp.path('src/a.ts') },
          { absolute_path: builtin.temp.path('gone') },
        ],
        invalid: [{ absolute_path: '' }],
      }),
    ).toEqual([]);
  });

  it('is declared to the model in these words', async () => {
    expect(await declaredWords('read_file')).toMatchInlineSnapshot(`
      [
        "read_file: Reads a file. Text comes as it is, without line numbers, at most 2,000 lines at a time; a notice tells how to read on. Images, audio, PDF (text by page) and notebooks work too.",
        "absolute_path {"type":"string","minLength":1,"description":"Absolute path of the file."}",
        "offset? {"type":"integer","description":"First line, from 0. Negative counts from the end: -100 reads the last 100 lines."}",
        "limit? {"type":"integer","minimum":1,"description":"Number of lines."}",
        "pages? {"type":"string","description":"Pages of a PDF, like \\"1-5,8\\"."}",
        "outline? {"type":"boolean","description":"Only the declarations of a source file, with their lines."}",
      ]
    `);
  });
});
