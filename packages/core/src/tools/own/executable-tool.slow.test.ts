import { createHash } from 'node:crypto';
import { chmodSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkTool } from '../../testing/check-tool.js';
import type { Program } from '../programs/program.js';
import { createOwnToolsBench, type OwnToolsBench } from './fixtures/own-tools.js';
import { FolderSource } from './tool-folder.js';

let bench: OwnToolsBench;
const { signal } = new AbortController();

beforeEach(() => {
  bench = createOwnToolsBench({ 'a.txt': 'one two three\n' });
});
afterEach(() => bench.cleanup());

const parameters = {
  type: 'object',
  properties: { path: { type: 'string', description: 'File to count.' } },
  required: ['path'],
};

/** A program with its manifest in the folder of tools. */
function executable(program: string, more: object = {}): string {
  const path = bench.toolFile('count.mjs.txt', program);
  chmodSync(path, 0o755);
  bench.toolFile(
    'count.json',
    JSON.stringify({
      v: 1,
      name: 'count_words',
      description: 'Counts the words of a file.',
      parameters,
      command: [
        process.execPath,
        '--input-type=module',
        '-e',
        `await import('data:text/javascript,' + encodeURIComponent((await import('node:fs')).readFileSync(process.argv[1], 'utf8')))`,
        './count.mjs.txt',
      ],
      ...more,
    }),
  );
  return path;
}

const counting = `
import { readFileSync } from 'node:fs';
const { path } = JSON.parse(readFileSync(0, 'utf8'));
console.error('reading ' + path);
console.log(readFileSync(path, 'utf8').trim().split(/\\s+/).length + ' words');
`;

const countTool = async () => {
  const { tools, problems } = await bench.discover();
  expect(problems).toEqual([]);
  return tools.get('count_words')!;
};

describe('a program with a manifest', () => {
  it('makes a program a tool: JSON in, text out, started in the workspace, standard error shown live', async () => {
    executable(counting);
    const updates: string[] = [];
    const result = await (await countTool()).execute({ path: 'a.txt' }, signal, (text) => updates.push(text));
    expect(result).toEqual({
      llmContent: '3 words',
      returnDisplay: '3 words\n\nOn standard error:\nreading a.txt',
    });
    expect(updates.join('')).toBe('reading a.txt\n');
  });

  it('keeps all the promises of a tool', async () => {
    executable(counting, { effects: [{ kind: 'read', path: '{path}' }] });
    const samples = { valid: [{ path: 'a.txt' }], invalid: [{ path: ['a'] }], directory: bench.directory };
    expect(await checkTool(await countTool(), samples)).toEqual([]);
  });

  it('fails with its status, its time or a cancel, and tells what it printed', async () => {
    executable(`console.log('half'); console.error('no such file'); process.exit(3);`);
    expect((await (await countTool()).execute({ path: 'x' }, signal)).error).toEqual({
      code: 'failed',
      message:
        'count_words failed: it ended with status 3.\nOn standard error: no such file\nOn standard output: half',
    });
    executable(`console.log('begun'); setInterval(() => {}, 1000);`, { timeout: 1_500 });
    expect((await (await countTool()).execute({ path: 'x' }, signal)).error).toEqual({
      code: 'timeout',
      message: 'count_words was stopped: it did not end within 1.5 s.\nOn standard output: begun',
    });
    executable(`console.error('begun'); setInterval(() => {}, 1000);`);
    const controller = new AbortController();
    const cancelled = await (await countTool()).execute({ path: 'x' }, controller.signal, () =>
      controller.abort({ kind: 'user' }),
    );
    expect(cancelled.error).toEqual({
      code: 'cancelled',
      message: 'count_words was cancelled by the user.\nOn standard error: begun',
    });
  });

  it('says what it declares to do, gets access to no more, and is unknown otherwise', async () => {
    const runs: Program[] = [];
    const parts = {
      ...bench.parts,
      run: (...[program, options]: Parameters<typeof bench.parts.run>) => {
        runs.push(program);
        return bench.parts.run(program, options);
      },
    };
    const find = async () => (await bench.discover(new FolderSource(parts))).tools.get('count_words')!;
    executable(counting, { effects: [{ kind: 'read', path: '{path}' }] });
    const declared = await find();
    expect(await declared.effects?.({ path: 'a.txt' })).toEqual([
      { kind: 'read', path: bench.path('a.txt') },
    ]);
    await declared.execute({ path: 'a.txt' }, signal);
    executable(counting);
    const unknown = await find();
    expect(await unknown.effects?.({ path: 'a.txt' })).toBeUndefined();
    await unknown.execute({ path: 'a.txt' }, signal);
    expect(runs.map(({ access, directory, readable }) => ({ access, directory, readable }))).toEqual([
      {
        access: { write: false, network: false },
        directory: bench.directory,
        readable: [bench.parts.folder],
      },
      { access: { write: true, network: false }, directory: bench.directory, readable: [bench.parts.folder] },
    ]);
  });

  it('is not believed where nothing confines it, and may name nothing outside the workspace', async () => {
    executable(counting, { effects: [{ kind: 'read', path: '{path}' }] });
    const confinedBy = async (confined: boolean) => {
      const confinement = async () => ({
        confined,
        sentence: confined ? 'confined' : 'unconfined: there is no sandbox',
      });
      return (await bench.discover(new FolderSource({ ...bench.parts, confinement }))).tools.get(
        'count_words',
      )!;
    };
    expect(await (await confinedBy(true)).effects?.({ path: 'a.txt' })).toHaveLength(1);
    const free = await confinedBy(false);
    expect(await free.effects?.({ path: 'a.txt' })).toBeUndefined();
    const details = await free.shouldConfirmExecute({ path: 'a.txt' }, signal);
    expect(details && details.kind === 'info' ? details.prompt : '').toContain(
      'unconfined: there is no sandbox; it may only read the workspace, without network',
    );
    await expect((await confinedBy(true)).effects?.({ path: '../outside.txt' })).rejects.toMatchObject({
      code: 'outside_workspace',
    });
  });

  it('asks with the command and all its input', async () => {
    executable(counting);
    const details = await (await countTool()).shouldConfirmExecute({ path: 'a.txt' }, signal);
    expect(details).toMatchObject({ kind: 'info', title: 'count_words {"path":"a.txt"}', effects: [] });
    expect(details && details.kind === 'info' ? details.prompt : '').toMatch(
      /count\.mjs\.txt with this on its standard input\?\n\{\n {2}"path": "a\.txt"\n\}$/,
    );
  });

  it('in a folder that is vouched for is not run once the program changed', async () => {
    const path = executable(counting);
    const hashes = new Set(
      [path, path.replace('count.mjs.txt', 'count.json')].map((file) =>
        createHash('sha256').update(readFileSync(file)).digest('hex'),
      ),
    );
    const vouched = async (_path: string, hash: string) => hashes.has(hash);
    const source = new FolderSource({ ...bench.parts, vouched });
    const tool = (await bench.discover(source)).tools.get('count_words')!;
    expect((await tool.execute({ path: 'a.txt' }, signal)).error).toBeUndefined();
    bench.toolFile('count.mjs.txt', 'console.log("evil")');
    expect((await tool.execute({ path: 'a.txt' }, signal)).error).toEqual({
      code: 'denied',
      message: `${path} changed since you trusted this folder, so it is not used. Look at it, then: toolwright trust`,
    });
  });

  it('that is missing is an error that says so', async () => {
    bench.toolFile(
      'gone.json',
      JSON.stringify({ v: 1, name: 'gone', description: 'Not there at all.', command: ['./gone.sh'] }),
    );
    const tool = (await bench.discover()).tools.get('gone')!;
    const { error } = await tool.execute({}, signal);
    expect(error?.message).toContain('gone.sh');
  });
});
