import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOwnToolsBench, type OwnToolsBench } from './fixtures/own-tools.js';
import { toolFileKind } from './tool-file.js';
import { FolderSource } from './tool-folder.js';

let bench: OwnToolsBench;
const { signal } = new AbortController();

beforeEach(() => {
  bench = createOwnToolsBench();
});
afterEach(() => bench.cleanup());

const shout = (name = 'shout', extra = '') => `
import { defineTool } from '@toolwright/core';
${extra}
interface Params { text: string }
export default defineTool<Params>({
  apiVersion: 1,
  name: '${name}',
  description: 'Says a text louder.',
  parameters: { type: 'object', properties: { text: { type: 'string', description: 'What to say.' } }, required: ['text'] },
  effects: () => [],
  run: ({ text }) => text.toUpperCase() + '!',
});
`;

describe('a folder of tool files', () => {
  it('gives tools written in TypeScript and JavaScript, as definitions and as classes, several in a file', async () => {
    bench.toolFile('shout.ts', shout());
    bench.toolFile(
      'classes.mjs',
      `import { BaseTool, ToolError } from '@toolwright/core';
       const schema = { type: 'object', properties: {} };
       class One extends BaseTool {
         constructor(host) { super({ name: 'one', displayName: 'One', description: 'Where are we?', parameterSchema: schema }); this.host = host; }
         getDescription() { return 'Say where'; }
         effects() { return []; }
         async run() { return { llmContent: this.host.workspace.directory, returnDisplay: 'here' }; }
       }
       class Two extends One {
         name = 'two';
         async run() { throw new ToolError('not_found', 'There is no second. Use one.'); }
       }
       export { One, Two };
       export const version = 3;`,
    );
    const { tools, problems } = await bench.discover();
    expect(problems).toEqual([]);
    expect([...tools.keys()]).toEqual(['one', 'two', 'shout']);
    expect(await tools.get('shout')?.execute({ text: 'ho' }, signal)).toEqual({
      llmContent: 'HO!',
      returnDisplay: 'HO!',
    });
    expect((await tools.get('one')?.execute({}, signal))?.llmContent).toBe(bench.directory);
    expect((await tools.get('two')?.execute({}, signal))?.error).toEqual({
      code: 'not_found',
      message: 'There is no second. Use one.',
    });
  });

  it('takes tools by their shape: an object with the members will do, and a definition without defineTool', async () => {
    bench.toolFile(
      'plain.js',
      `export const plain = {
         name: 'plain', displayName: 'Plain', description: 'No class at all.', parameterSchema: { type: 'object', properties: {} },
         validateToolParams: () => null, getDescription: () => 'Do it', shouldConfirmExecute: async () => false,
         execute: async () => ({ llmContent: 'done', returnDisplay: 'done' }),
       };
       export default { apiVersion: 1, name: 'bare', description: 'A definition.', parameters: { type: 'object' }, run: () => 'bare' };`,
    );
    const { tools, problems } = await bench.discover();
    expect({ problems, names: [...tools.keys()].sort() }).toEqual({ problems: [], names: ['bare', 'plain'] });
    expect((await tools.get('plain')?.execute({}, signal))?.llmContent).toBe('done');
    expect(tools.get('plain')?.effects).toBeUndefined();
  });

  it('leaves out tests, declarations, hidden files and what is neither code nor a manifest', () => {
    const names = [
      'a.ts',
      'a.js',
      'a.mjs',
      'a.json',
      'a.test.ts',
      'a.test.json',
      'a.d.ts',
      '.a.ts',
      '_a.ts',
      'a.py',
      'package.json',
    ];
    expect(names.map(toolFileKind)).toEqual([
      'module',
      'module',
      'module',
      'manifest',
      null,
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it('loses only the broken file, and names its line', async () => {
    bench.toolFile('good.ts', shout('good'));
    const at = (name: string, text: string, message: string) =>
      [bench.toolFile(name, text), message] as const;
    const expected = [
      at('a-syntax.ts', 'const a = 1;\nexport default {{;\n', ':2:17: Expected identifier but found "{"'),
      at(
        'b-throws.ts',
        '\nconst config: null | { x: 1 } = null;\n\nexport default config!.x;',
        ":4: Cannot read properties of null (reading 'x')",
      ),
      at('c-missing.ts', "\nimport './nowhere.js';", ':2:8: Could not resolve "./nowhere.js"'),
      at(
        'd-none.ts',
        'export const a = 1;',
        ': no tool is exported (only a). Export a class that extends BaseTool, or: export default defineTool({ apiVersion: 1, … })',
      ),
      at(
        'e-newer.js',
        "export default { apiVersion: 2, name: 'e' };",
        ': the export default: apiVersion must be 1, got 2; this Toolwright knows version 1.',
      ),
      at(
        'f-half.js',
        'export const half = { execute() {} };',
        ': the export half is not a tool: name, displayName, description, parameterSchema, validateToolParams, getDescription, shouldConfirmExecute missing. Give what defineTool makes, a class that extends BaseTool, or an object with the members of Tool.',
      ),
      at(
        'g-waits.mjs',
        'await 1;\nexport default 1;',
        ':1:1: Top-level await is currently not supported with the "cjs" output format',
      ),
      at(
        'h-define.ts',
        "import { defineTool } from '@toolwright/core';\n\nexport default defineTool({ apiVersion: 1, name: 'h' } as never);",
        ':3: defineTool: h has no description.',
      ),
    ].map(([path, message]) => path + message);
    const { tools, problems } = await bench.discover();
    expect(problems).toEqual(expected);
    expect([...tools.keys()]).toEqual(['good']);
  });

  it('answers with file and line when a tool throws while it runs', async () => {
    const path = bench.toolFile(
      'late.ts',
      `import { defineTool } from '@toolwright/core';
type Params = { n: number };
export default defineTool<Params>({
  apiVersion: 1, name: 'late', description: 'Fails late.',
  parameters: { type: 'object', properties: {} },
  describe: () => { throw new Error('no words'); },
  async run() {
    const nothing = undefined as unknown as { x: { y: number } };
    return String(nothing.x.y);
  },
});`,
    );
    const tool = (await bench.discover()).tools.get('late');
    expect((await tool?.execute({}, signal))?.error).toEqual({
      code: 'failed',
      message: `The tool late itself failed at ${path}:9: Cannot read properties of undefined (reading 'x')`,
    });
    await expect(tool?.prepare?.({})).rejects.toThrow(`The tool late itself failed at ${path}:6: no words`);
  });

  it('is a guest in the process: it prints to standard error, and can not end the program', async () => {
    bench.toolFile(
      'guest.ts',
      `import { Console } from 'node:console';
       import { exit, stdout } from 'node:process';
       import { defineTool } from '@toolwright/core';
       const parameters = { type: 'object', properties: {} };
       process.once('a word of this test', () => undefined);
       export default defineTool({
         apiVersion: 1, name: 'guest', description: 'Looks around.', parameters, effects: () => [],
         run: () => JSON.stringify([
           process.stdout === process.stderr, stdout === process.stderr, typeof Console, process.pid, process.env.HOME,
           process.listenerCount('a word of this test'),
         ]),
       });
       export const leaver = defineTool({
         apiVersion: 1, name: 'leaver', description: 'Leaves.', parameters, effects: () => [],
         run() { process.exitCode = 9; exit(3); },
       });`,
    );
    const { tools, problems } = await bench.discover();
    expect(problems).toEqual([]);
    const seen = (await tools.get('guest')?.execute({}, signal))?.llmContent;
    expect(JSON.parse(String(seen))).toEqual([true, true, 'function', process.pid, process.env['HOME'], 1]);
    expect((await tools.get('leaver')?.execute({}, signal))?.error).toEqual({
      code: 'failed',
      message: expect.stringMatching(
        /^The tool leaver itself failed at .*guest\.ts:15: process\.exit\(3\) was called, .* throw a ToolError\.$/,
      ),
    });
    expect(process.exitCode).toBeUndefined();
  });

  it('is loaded again when a file or something it imports changes, and forgets what is gone', async () => {
    const path = bench.toolFile(
      'shout.ts',
      shout('shout', "import { mark } from './marks/mark.ts';").replace("'!'", 'mark'),
    );
    const mark = bench.toolFile('marks/mark.ts', "export const mark = '?';");
    const source = new FolderSource(bench.parts);
    const say = async () =>
      (await (await bench.discover(source)).tools.get('shout')?.execute({ text: 'a' }, signal))?.llmContent;
    expect(await say()).toBe('A?');
    const [before] = (await bench.discover(source)).tools.values();
    expect([...(await bench.discover(source)).tools.values()]).toEqual([before]);
    writeFileSync(mark, "export const mark = '??';");
    expect(await say()).toBe('A??');
    writeFileSync(path, shout());
    expect(await say()).toBe('A!');
    rmSync(path);
    expect((await bench.discover(source)).tools.size).toBe(0);
  });

  it('tells of the same mistake once, and loads the file when it is mended', async () => {
    bench.toolFile('shout.ts', 'export default {{');
    const source = new FolderSource(bench.parts);
    expect((await bench.discover(source)).problems).toHaveLength(1);
    expect((await bench.discover(source)).problems).toEqual([]);
    bench.toolFile('shout.ts', shout());
    const { tools, problems } = await bench.discover(source);
    expect({ names: [...tools.keys()], problems }).toEqual({ names: ['shout'], problems: [] });
  });

  it('keeps what was compiled, and a damaged cache costs nothing but time', async () => {
    const path = bench.toolFile('shout.ts', shout());
    await bench.discover();
    const cache = bench.state.pathOf('cache', 'tool-files');
    const [name = ''] = readdirSync(cache);
    utimesSync(path, 1, 1);
    await bench.discover();
    expect(readdirSync(cache)).toEqual([name]);
    writeFileSync(join(cache, name), '{"v":1,"code":');
    expect((await bench.discover()).tools.size).toBe(1);
    expect(existsSync(join(bench.parts.folder, 'shout.ts.cjs'))).toBe(false);
  });

  it('imports packages that lie above it, Node itself and files beside it', async () => {
    bench.toolFile('node_modules/louder/package.json', '{"name":"louder","main":"index.js"}');
    bench.toolFile('node_modules/louder/index.js', "exports.louder = (text) => text + '!!!';");
    bench.toolFile(
      'shout.ts',
      shout('shout', "import { louder } from 'louder';\nimport { basename } from 'node:path';").replace(
        "text.toUpperCase() + '!'",
        'louder(basename(text)) + import.meta.url.slice(-8)',
      ),
    );
    const tool = (await bench.discover()).tools.get('shout');
    expect((await tool?.execute({ text: '/a/b' }, signal))?.llmContent).toBe('b!!!shout.ts');
  });
});

describe('in a folder that must be vouched for, a tool file', () => {
  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

  it('is loaded only with the content that was vouched for', async () => {
    const vouchedHashes = new Set([hashOf(shout())]);
    const vouched = async (_path: string, hash: string) => vouchedHashes.has(hash);
    const path = bench.toolFile('shout.ts', shout());
    const source = new FolderSource({ ...bench.parts, vouched });
    expect([...(await bench.discover(source)).tools.keys()]).toEqual(['shout']);
    bench.toolFile('shout.ts', shout('evil'));
    expect(await bench.discover(source)).toEqual({
      tools: new Map(),
      problems: [
        `${path} changed since you trusted this folder, so it is not loaded. Look at it, then: toolwright trust`,
      ],
    });
    vouchedHashes.add(hashOf(shout('evil')));
    expect([...(await bench.discover(source)).tools.keys()]).toEqual(['evil']);
  });

  it('imports nothing from outside that folder but packages', async () => {
    const path = bench.toolFile('shout.ts', shout('shout', "import '../outside.ts';"));
    const other = join(bench.outside, 'outside.ts');
    writeFileSync(other, 'globalThis.canary = true;');
    const { tools, problems } = await bench.discover(
      new FolderSource({ ...bench.parts, vouched: async () => true }),
    );
    expect(tools.size).toBe(0);
    expect(problems).toEqual([
      `${path} imports ${other}, which is outside ${bench.parts.folder}. Your trust covers what is in that folder: move the file there.`,
    ]);
    expect('canary' in globalThis).toBe(false);
  });
});
