import { writeFileSync } from 'node:fs';
import { type Part, textOf } from '@toolwright/machine/base/content.js';
import { createIgnore } from '@toolwright/machine/host/ignore/ignore.js';
import { createRipgrep } from '@toolwright/machine/host/ripgrep/ripgrep.js';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { declaredWords, openBuiltin } from './fixtures/open-builtin.js';
import { png } from './media/fixtures/image-samples.js';
import { pdf } from './media/fixtures/pdf-samples.js';
import { ReadManyFilesTool } from './read-many-files.js';
import { createSeenFiles } from './text-change/seen-files.js';

const signal = new AbortController().signal;
let workspace: TempWorkspace;
let tool: ReadManyFilesTool;

beforeEach(() => {
  workspace = createTempWorkspace();
  tool = makeTool();
});
afterEach(() => workspace.cleanup());

function makeTool(options?: ConstructorParameters<typeof ReadManyFilesTool>[1]) {
  return new ReadManyFilesTool(
    { ...workspace, ripgrep: createRipgrep(), ignore: createIgnore({ workspace: workspace.workspace }) },
    options,
  );
}
function read(paths: string[], more: object = {}) {
  return tool.execute({ paths, ...more }, signal);
}
async function textFrom(paths: string[], more: object = {}): Promise<string> {
  return textOf((await read(paths, more)).llmContent);
}
async function namesFrom(paths: string[], more: object = {}): Promise<string[]> {
  return [...(await textFrom(paths, more)).matchAll(/^--- (.*) ---$/gm)].map((match) => match[1]!);
}
function fill(names: string[]): void {
  for (const name of names) workspace.write(name, `${name}\n`);
}

describe('what is read', () => {
  it('is every file under its path, in the order named', async () => {
    workspace.write('b.txt', 'bee\n');
    workspace.write('a.txt', 'no line feed');
    workspace.write('src/x.ts', 'x\n');
    expect(await read(['b.txt', workspace.path('a.txt'), 'src/*.ts'])).toEqual({
      llmContent: '--- b.txt ---\nbee\n\n--- a.txt ---\nno line feed\n\n--- src/x.ts ---\nx\n',
      returnDisplay: 'Read 3 files (18 bytes)',
    });
  });

  it('is each file once, however often it was named', async () => {
    fill(['a.ts', 'b.ts']);
    expect(await namesFrom(['b.ts', '*.ts', './b.ts', 'b.ts'], { include: ['a.ts'] })).toEqual([
      'b.ts',
      'a.ts',
    ]);
  });

  it('is a folder with all below it, or without', async () => {
    fill(['src/a.ts', 'src/deep/b.ts', 'other.ts']);
    expect(await namesFrom(['src'])).toEqual(['src/a.ts', 'src/deep/b.ts']);
    expect(await namesFrom(['src'], { recursive: false })).toEqual(['src/a.ts']);
  });

  it('is what patterns name, less what is excluded', async () => {
    fill(['src/a.ts', 'src/a.test.ts', 'src/old/b.ts', 'docs/c.md']);
    expect(
      await namesFrom(['src/**/*.ts'], { include: ['docs/*.md'], exclude: ['*.test.ts', 'old'] }),
    ).toEqual(['src/a.ts', 'docs/c.md']);
  });

  it('may have brackets in its name', async () => {
    fill(['app/[id]/page.tsx']);
    expect(await namesFrom(['app/[id]/page.tsx'])).toEqual(['app/[id]/page.tsx']);
    expect(await namesFrom(['app/[id]/*.tsx'])).toEqual(['app/[id]/page.tsx']);
  });
});

describe('what is left out', () => {
  it('is counted where ignore files leave it out, each file once, and is not what the defaults leave out anyway', async () => {
    fill(['src/a.ts', 'src/b.ts', 'src/made/c.ts', 'logs/d.ts', 'node_modules/e.ts', 'src/test/f.ts']);
    workspace.write('.gitignore', 'b.ts\nmade\nlogs\nnode_modules\nf.ts\n');
    const rest = async (paths: string[], more?: object) => (await textFrom(paths, more)).split('\n').slice(2);
    const naming = 'naming a file reads it.]';
    expect(await rest(['**/*.ts', 'src/**/*.ts'], { exclude: ['test'] })).toEqual([
      '',
      `[3 files left out by ignore files; ${naming}`,
    ]);
    expect(await rest(['src'], { recursive: false })).toEqual([
      '',
      `[1 file left out by ignore files; ${naming}`,
    ]);
    expect(await textFrom(['src', 'src/b.ts', 'src/made/c.ts', 'src/test/f.ts'])).not.toContain('left out');
    expect(await textFrom(['logs/*.ts'])).not.toContain('left out');
    workspace.write('.toolwrightignore', 'a2.ts\n');
    fill(['src/a2.ts']);
    expect(await rest(['src/*.ts'])).toEqual([
      '',
      `[1 file left out by ignore files; ${naming}`,
      '[1 file hidden by rules.]',
    ]);
  });

  it('is what git ignores, unless it is named itself', async () => {
    fill(['.gitignore', 'src/a.ts', 'src/generated.ts', 'logs/x.log']);
    workspace.write('.gitignore', 'generated.ts\nlogs\n');
    expect(await namesFrom(['src/*.ts'])).toEqual(['src/a.ts']);
    expect(await namesFrom(['src/generated.ts'])).toEqual(['src/generated.ts']);
    expect(await namesFrom(['logs'])).toEqual(['logs/x.log']);
    expect((await read(['**/*.log'])).error).toEqual({
      code: 'not_found',
      message:
        'No file was read.\n[Not read:\n- **/*.log: only ignored files found, such as logs/x.log; name them one by one to read them\n]',
    });
  });

  it('is what is rarely meant, counted, unless it was asked for', async () => {
    fill(['src/a.ts', 'node_modules/x/index.js', 'dist/a.js', '.env', 'package-lock.json']);
    expect(await textFrom(['**'])).toBe(
      '--- src/a.ts ---\nsrc/a.ts\n\n[4 files left out by the default excludes; use_default_excludes: false reads them.]',
    );
    expect(await namesFrom(['**'], { use_default_excludes: false })).toHaveLength(5);
    expect(await namesFrom(['dist'])).toEqual(['dist/a.js']);
    expect(await namesFrom(['dist/*.js', '.env'])).toEqual(['dist/a.js', '.env']);
  });

  it('is listed with the reason', async () => {
    await workspace.cleanup();
    workspace = createTempWorkspace({
      policy: (_access, path) => (path.endsWith('closed.txt') ? 'closed.txt is closed by a rule.' : null),
    });
    tool = makeTool();
    fill(['a.txt', 'Readme.md', 'closed.txt', 'skip.txt']);
    workspace.write('data.bin', Buffer.concat([Buffer.from('\x7fELF'), Buffer.alloc(1000)]));
    writeFileSync(`${workspace.outside}/x.txt`, 'secret');
    const paths = [
      'a.txt',
      'data.bin',
      'README.md',
      'none/*.ts',
      '*.py',
      '../outside/x.txt',
      'closed.txt',
      'skip.txt',
    ];
    const text = await textFrom(paths, { exclude: ['skip*'] });
    expect(text).toMatch(/^--- a\.txt ---\na\.txt\n\n\[Not read:\n/);
    expect(text).toContain('- data.bin: not text: ELF executable or library, 1,004 bytes\n');
    expect(text).toContain('- README.md: README.md does not exist. Did you mean Readme.md?\n');
    expect(text).toMatch(/- none\/\*\.ts: none does not exist/);
    expect(text).toContain('- *.py: no files found\n');
    expect(text).toMatch(/- \.\.\/outside\/x\.txt: .*outside/);
    expect(text).toMatch(/- closed\.txt: .*rule/);
    expect(text).toContain('- skip.txt: excluded\n');
    expect(text).not.toContain('secret');
  });

  it('is what rules hide, of which only the number is told', async () => {
    fill(['a.txt', 'hidden.txt']);
    tool = makeTool({ hidden: (path) => path.endsWith('hidden.txt') });
    expect(await textFrom(['*.txt'])).toBe('--- a.txt ---\na.txt\n\n[1 file hidden by rules.]');
  });

  it('are named on one line each, however they are written', async () => {
    fill(['a.txt']);
    const text = await textFrom(['a.txt', 'no\n]\n--- b.txt ---\nfake', 'z'.repeat(3_000)]);
    const [, notRead] = text.split('[Not read:\n');
    expect(notRead?.split('\n').map((line) => line.slice(0, 40))).toEqual([
      '- "no\\n]\\n--- b.txt ---\\nfake": no files',
      `- ${'z'.repeat(38)}`,
      ']',
    ]);
    expect(text.length).toBeLessThan(1_500);
  });
});

describe('the room', () => {
  const lines = (count: number) => `${'x'.repeat(99)}\n`.repeat(count);

  it('is shared so that small files come whole and the long ones get equal parts', async () => {
    workspace.write('long1.txt', lines(2000));
    workspace.write('small.txt', lines(50));
    workspace.write('long2.txt', lines(9000));
    const text = await textFrom(['*.txt']);
    const shown = [...text.matchAll(/\[Lines 1-(\d+) of ([\d,]+)\. Read on: read_file with offset \1\.\]/g)];
    expect(shown.map((match) => match[2])).toEqual(['2,000', '9,000']);
    const [first, second] = shown.map((match) => Number(match[1]));
    expect(first).toBeGreaterThan(160);
    expect(Math.abs(first! - second!)).toBeLessThanOrEqual(3);
    expect(text).toContain(`--- small.txt ---\n${lines(50)}`);
    expect(Buffer.byteLength(text)).toBeLessThan(44 * 1024);
  });

  it('holds however many files there are', async () => {
    for (let index = 0; index < 130; index += 1) workspace.write(`f${index}.txt`, lines(40));
    workspace.write('big.txt', lines(100_000));
    const text = await textFrom(['**/*.txt', 'missing.txt']);
    expect(Buffer.byteLength(text)).toBeLessThan(48 * 1024);
    expect([...text.matchAll(/^--- /gm)]).toHaveLength(100);
    expect(text).toContain('- 31 more files: at most 100 are read at once\n');
  });
});

describe('images and documents', () => {
  it('are read when they are named, by file or by extension', async () => {
    workspace.write('art/a.png', png(40, 40));
    workspace.write('art/b.pdf', pdf(['Words']));
    workspace.write('art/notes.txt', 'notes\n');
    const parts = (await read(['art/a.png', 'art/*.{pdf,txt}'])).llmContent as Part[];
    expect(parts.map((part) => part.inlineData?.mimeType ?? part.text)).toEqual([
      expect.stringMatching(/^--- art\/a\.png ---\n\[art\/a\.png: PNG image, 40 × 40, /),
      'image/png',
      '--- art/b.pdf ---\n--- page 1 of 1 ---\nWords\n\n--- art/notes.txt ---\nnotes\n',
    ]);
  });

  it('are only mentioned when a wide pattern happens to find them', async () => {
    workspace.write('art/a.png', png(40, 40));
    fill(['art/notes.txt']);
    expect(await textFrom(['art/**'])).toMatch(/- art\/a\.png: not text: PNG image, \d+ bytes\n/);
  });

  it('that are damaged do not keep the others from being read', async () => {
    workspace.write('bad.png', png(40, 40).subarray(0, 60));
    fill(['a.txt']);
    expect(await textFrom(['bad.png', 'a.txt'])).toMatch(/^--- a\.txt ---.*- bad\.png: .*cut off/s);
  });
});

it('read_many_files notes which files the model has seen', async () => {
  const seen = createSeenFiles();
  tool = makeTool({ seen });
  fill(['a.txt', 'b.txt']);
  await read(['a.txt', 'missing.txt']);
  expect(seen.lastSeen(workspace.path('a.txt'))?.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(seen.lastSeen(workspace.path('b.txt'))).toBeUndefined();
});

describe('the tool itself', () => {
  it('says what it will read', () => {
    expect(tool.getDescription({ paths: ['a', 'b'], include: ['c'] })).toBe('Read a, b, c');
    expect(tool.getDescription({ paths: [...'abcdefg'] })).toBe('Read a, b, c, d, e and 2 more');
    expect(tool.effects({ paths: ['a.txt', 'src/**/*.ts', '*.md', '/etc/passwd'] })).toEqual([
      { kind: 'read', path: workspace.path('a.txt') },
      { kind: 'read', path: workspace.path('src') },
      { kind: 'read', path: workspace.directory },
    ]);
  });

  it('needs something to read', () => {
    expect(tool.validateToolParams({ paths: [] })).toBe('paths: name at least one file, folder or pattern.');
    expect(tool.validateToolParams({ paths: ['a'] })).toBeNull();
  });

  it('survives odd paths', async () => {
    for (const path of [
      '\0',
      'a\0b',
      '{a,b',
      '[',
      '**/[',
      `${'x'.repeat(5000)}`,
      '{a,b}'.repeat(20),
      '~',
      '//',
      '..',
    ]) {
      const result = await read([path]);
      expect(result.error?.code, JSON.stringify(path).slice(0, 50)).toBe('not_found');
    }
  });
});

describe('read_many_files as a built-in tool', () => {
  it('keeps what users of a tool rely on', async () => {
    await using builtin = await openBuiltin('read_many_files', { 'src/a.ts': '' });
    expect(
      await builtin.check({
        valid: [{ paths: ['src/**'] }, { paths: ['gone.txt'] }],
        invalid: [{ paths: [] }],
      }),
    ).toEqual([]);
  });

  it('is declared to the model in these words', async () => {
    expect(await declaredWords('read_many_files')).toMatchInlineSnapshot(`
      [
        "read_many_files: Reads several files at once, each under its path. The room is shared: small files come whole, long ones are cut with a notice. What could not be read is listed with the reason. Ignored files are left out unless named.",
        "paths {"type":"array","items":{"type":"string","minLength":1},"maxItems":200,"description":"Files, folders and glob patterns, relative to the workspace: \\"README.md\\", \\"src/**/*.ts\\"."}",
        "include? {"type":"array","items":{"type":"string","minLength":1},"maxItems":200,"description":"More of the same."}",
        "exclude? {"type":"array","items":{"type":"string","minLength":1},"maxItems":100,"description":"Patterns to leave out: \\"*.test.ts\\", \\"docs\\"."}",
        "recursive? {"type":"boolean","description":"Whether a folder means its sub-folders too. Default: true."}",
        "use_default_excludes? {"type":"boolean","description":"Leave out dependencies, build output, lock files, .env. Default: true."}",
      ]
    `);
  });
});
