import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Tool } from '../../tools.js';
import { createOwnToolsBench, type OwnToolsBench } from '../fixtures/own-tools.js';
import { FolderSource } from '../tool-folder.js';

let bench: OwnToolsBench;
const { signal } = new AbortController();

beforeEach(() => {
  bench = createOwnToolsBench({ 'a.txt': 'alpha\n' }, { loadMs: 60_000, lookMs: 5_000, graceMs: 200 });
});
afterEach(() => bench.cleanup());

const tool = (name: string, members: string): string =>
  `export const ${name} = { apiVersion: 1, name: '${name}', description: 'Does something.', parameters: { type: 'object', properties: {} }, effects: () => [], ${members} };\n`;

async function toolsOf(...files: string[]) {
  for (const [index, text] of files.entries()) bench.toolFile(`file${index}.mjs`, text);
  const { tools, problems } = await bench.discover();
  expect(problems).toEqual([]);
  return (name: string) => tools.get(name)!;
}

const dataOf = (made: Tool) => JSON.parse(JSON.stringify(made));

describe('a tool file in its thread', () => {
  it.each([
    ['spins', 'run() { for (;;); }'],
    ['ignores its signal', 'run: () => new Promise(() => setInterval(() => undefined, 1000))'],
    [
      'waits for a command that does not end',
      "async run() { (await import('node:child_process')).execSync('sleep 600 | sleep 600'); }",
    ],
    ['waits for a lock', 'run() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); }'],
  ])('that %s is left behind when told to stop, and works again at the next call', async (_, run) => {
    const named = await toolsOf(tool('bad', run) + tool('good', "run: () => 'fine'"));
    const stop = new AbortController();
    const bad = named('bad').execute({}, stop.signal);
    stop.abort({ kind: 'timeout' });
    await expect(bad).rejects.toMatchObject({
      code: 'timeout',
      message: 'The call was stopped at the time limit. It did not stop when told to and was left behind.',
    });
    expect((await named('good').execute({}, signal)).llmContent).toBe('fine');
  });

  it('does not hold up the tools of other files while it spins', async () => {
    const named = await toolsOf(tool('bad', 'run() { for (;;); }'), tool('good', "run: () => 'fine'"));
    const stop = new AbortController();
    const bad = named('bad').execute({}, stop.signal);
    expect((await named('good').execute({}, signal)).llmContent).toBe('fine');
    stop.abort({ kind: 'user' });
    await expect(bad).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('takes its other open calls along when it must be ended, and refuses what was planned there', async () => {
    const named = await toolsOf(
      tool('bad', 'run() { for (;;); }') +
        tool('waits', 'run: () => new Promise(() => undefined)') +
        tool('plans', "changes: async () => [{ path: 'b.txt', content: 'b' }]"),
    );
    const planned = {};
    await named('plans').shouldConfirmExecute(planned, signal);
    const waiting = named('waits').execute({}, signal);
    const stop = new AbortController();
    const bad = named('bad').execute({}, stop.signal);
    stop.abort({ kind: 'user' });
    await expect(bad).rejects.toMatchObject({ code: 'cancelled' });
    await expect(waiting).rejects.toThrow(/was ended: another call of it did not stop when told to/);
    await expect(named('plans').execute(planned, signal)).rejects.toThrow(
      /so it was not run\. Call it again\./,
    );
  });

  it('gets signals, streams updates, and works on files by the rules of the program', async () => {
    const named = await toolsOf(
      tool(
        'reads',
        `async run(_, { host, update, signal }) {
          update('reading');
          const file = await host.files.open(host.workspace.resolve('a.txt'), signal);
          const buffer = new Uint8Array(3);
          const count = await file.readInto(buffer, 1);
          await file.close();
          const missing = await host.files.read('nowhere', { signal }).catch((error) => error.code);
          return [count, new TextDecoder().decode(buffer), missing, signal.aborted].join(' ');
        }`,
      ) +
        tool(
          'waits',
          `run: (_, { signal }) => new Promise((done) => signal.addEventListener('abort', () => done(signal.reason.kind)))`,
        ),
    );
    const updates: string[] = [];
    const result = await named('reads').execute({}, signal, (delta) => updates.push(delta));
    expect([result.llmContent, updates]).toEqual(['3 lph not_found false', ['reading']]);
    const stop = new AbortController();
    const waiting = named('waits').execute({}, stop.signal);
    stop.abort({ kind: 'user' });
    expect((await waiting).error?.code).toBe('cancelled');
  });

  it('says its own words on arguments once the call is prepared', async () => {
    const named = await toolsOf(
      tool('picky', "describe: () => 'Pick one', problem: () => 'No.', run: () => ''") +
        tool('plain', "describe: () => 'Pick one', run: () => ''"),
    );
    const params = {};
    expect(named('picky').validateToolParams(params)).toBeNull();
    await named('picky').prepare?.(params);
    expect(named('picky').validateToolParams(params)).toBe('No.');
    expect(named('plain').getDescription(params)).toBe('plain {}');
    await named('plain').prepare?.(params);
    expect(named('plain').getDescription(params)).toBe('Pick one');
  });

  it('fails alone when it takes more memory than it may, or gives what is no data', async () => {
    const named = await toolsOf(
      tool('eats', 'run() { const all = []; for (;;) all.push(new Array(1e6).fill(1.5)); }') +
        tool('odd', "run: () => ({ llmContent: 'a', structuredContent: () => undefined })"),
    );
    await expect(named('odd').execute({}, signal)).rejects.toThrow(/could not be cloned/);
    await expect(named('eats').execute({}, signal)).rejects.toThrow(/memory limit/);
    await expect(named('odd').execute({}, signal)).rejects.toThrow(/could not be cloned/);
  });

  it('gives a display as data, and an error that names it where that is of a wrong shape', async () => {
    const table = "{ kind: 'table', columns: ['n'], rows: [[1]] }";
    const named = await toolsOf(
      tool('right', `run: () => ({ llmContent: 'a', returnDisplay: ${table} })`) +
        tool('wrong', `run: () => ({ llmContent: 'a', returnDisplay: { ...${table}, rows: [[1, 2]] } })`) +
        tool('odd', "run: () => ({ llmContent: 'a', returnDisplay: () => undefined })"),
    );
    const result = await named('right').execute({}, signal);
    expect(result.returnDisplay).toEqual({ kind: 'table', columns: ['n'], rows: [[1]] });
    const { error } = await named('wrong').execute({}, signal);
    expect(error?.message).toMatch(
      /^The tool wrong gave a returnDisplay .* rows\[0\] has 2 values for 1 column\./,
    );
    const odd = await named('odd').execute({}, signal);
    expect(odd.error?.message).toMatch(
      /^The tool odd gave a returnDisplay .* it is a function\. A display is/,
    );
  });

  it.each(['prepare', 'effects'] as const)('stops when its call is cancelled during %s', async (member) => {
    const spinning = { prepare: 'describe() { for (;;); }', effects: 'effects() { for (;;); }' }[member];
    const named = await toolsOf(tool('bad', `${spinning}, run: () => ''`));
    const stop = new AbortController();
    const asked =
      member === 'prepare'
        ? named('bad').prepare?.({}, stop.signal)
        : named('bad').effects?.({}, 'model', stop.signal);
    stop.abort({ kind: 'user' });
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('hands effects a signal that is aborted when the call is cancelled', async () => {
    const waits = `effects: (_, { signal }) => new Promise((done) =>
      signal.addEventListener('abort', () => done([{ kind: 'network', host: signal.reason.kind, port: 1, url: '' }])))`;
    const named = await toolsOf(tool('waits', `${waits}, run: () => ''`));
    const stop = new AbortController();
    const asked = named('waits').effects?.({}, 'model', stop.signal);
    stop.abort({ kind: 'user' });
    expect(await asked).toMatchObject([{ host: 'user' }]);
  });

  it('is not run at the next start when it has not changed, and then with the first call', async () => {
    const runs = (): number => Number(process.env['TOOL_FILE_RUNS'] ?? 0);
    delete process.env['TOOL_FILE_RUNS'];
    const count = 'process.env.TOOL_FILE_RUNS = Number(process.env.TOOL_FILE_RUNS ?? 0) + 1;\n';
    const named = await toolsOf(count + tool('counted', "run: () => 'fine'"));
    expect(runs()).toBe(1);
    const { tools } = await bench.discover();
    expect(tools.get('counted')).toMatchObject(dataOf(named('counted')));
    expect(runs()).toBe(1);
    expect((await tools.get('counted')!.execute({}, signal)).llmContent).toBe('fine');
    expect(runs()).toBe(2);
    bench.toolFile('file0.mjs', count + tool('changed', "run: () => 'fine'"));
    expect([...(await bench.discover()).tools.keys()]).toEqual(['changed']);
    expect(runs()).toBe(3);
  });

  it('whose tools depend on more than its code is believed anew once it has run', async () => {
    process.env['TOOL_FILE_NAME'] = 'before';
    const named = tool('it', "run: () => 'fine'").replace("name: 'it'", 'name: process.env.TOOL_FILE_NAME');
    bench.toolFile('named.mjs', named);
    await bench.discover();
    process.env['TOOL_FILE_NAME'] = 'after';
    const source = new FolderSource(bench.parts);
    const { tools } = await bench.discover(source);
    await expect(tools.get('before')!.execute({}, signal)).rejects.toThrow(
      /before was not run: its file offers other tools today .* They take effect with the next prompt\./,
    );
    expect([...(await bench.discover(source)).tools.keys()]).toEqual(['after']);
  });

  it('that spins while it is loaded is a problem of that file alone', async () => {
    await bench.cleanup();
    bench = createOwnToolsBench({}, { loadMs: 3_000, lookMs: 5_000, graceMs: 200 });
    bench.toolFile('good.mjs', tool('good', "run: () => 'fine'"));
    const path = bench.toolFile('bad.mjs', 'for (;;);');
    const { tools, problems } = await bench.discover();
    expect([...tools.keys()]).toEqual(['good']);
    expect(problems).toEqual([
      `${path} did not answer within 3 s, so its thread was ended. The next call starts it again.`,
    ]);
  });
});
