import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCallBench } from '../../testing/call-bench.js';
import { checkTool } from '../../testing/check-tool.js';
import { scriptedConfirm } from '../../testing/scripted-confirm.js';
import { defineTool, type ToolDefinition } from './define-tool.js';
import { createOwnToolsBench, type OwnToolsBench } from './fixtures/own-tools.js';
import { OwnTool } from './own-tool.js';

let bench: OwnToolsBench;
const { signal } = new AbortController();

beforeEach(() => {
  bench = createOwnToolsBench({ 'a.txt': 'one\r\ntwo\r\n' });
});
afterEach(() => bench.cleanup());

type Params = { path: string; line: string };
const parameters = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'File to add to.' },
    line: { type: 'string', description: 'Line to add.' },
  },
  required: ['path', 'line'],
};
const append = defineTool<Params>({
  apiVersion: 1,
  name: 'append_line',
  description: 'Adds a line at the end of a text file.',
  parameters,
  describe: ({ path }) => `Add a line to ${path}`,
  async changes({ path, line }, { host, signal }) {
    const { bytes } = await host.files.read(host.workspace.resolve(path), { signal });
    return [
      { path, content: `${Buffer.from(bytes).toString()}${line}\n` },
      { path: 'log/added.txt', content: `${line}\n` },
    ];
  },
});

describe('a defined tool', () => {
  it('that names its changes shows them as a diff, writes them together, keeps line endings, and can be undone', async () => {
    const confirm = scriptedConfirm({ kind: 'once' });
    const calls = await createCallBench({
      tools: [new OwnTool(append, bench.host)],
      mode: 'default',
      workspace: bench.directory,
      confirm,
    });
    const [settled] = await calls.run([['append_line', { path: 'a.txt', line: 'three' }]]);
    expect(settled?.error).toBeUndefined();
    const asked = calls.events.find((event) => event.type === 'call-ask');
    const details = asked?.type === 'call-ask' ? asked.request.details : null;
    expect(details).toMatchObject({ kind: 'edit', title: 'Add a line to a.txt' });
    expect(
      details?.kind === 'edit' ? details.diff.files.map(({ path, added }) => [path, added]) : [],
    ).toEqual([
      ['a.txt', 1],
      ['log/added.txt', 1],
    ]);
    expect(bench.read('a.txt')).toBe('one\r\ntwo\r\nthree\r\n');
    expect(bench.read('log/added.txt')).toBe('three\n');
    expect(settled?.llmContent).toBe('Done: 1 file changed, 1 file created (a.txt, log/added.txt).');
    expect(settled?.changeSet).toBe(bench.recorded[0]?.changeSet.id);
  });

  it('that is refused changes nothing', async () => {
    const calls = await createCallBench({
      tools: [new OwnTool(append, bench.host)],
      mode: 'plan',
      workspace: bench.directory,
    });
    const [settled] = await calls.run([['append_line', { path: 'a.txt', line: 'three' }]]);
    expect(settled?.error?.code).toBe('denied');
    expect(bench.tree()).toEqual({ 'a.txt': 'one\r\ntwo\r\n' });
  });

  it('keeps all the promises of a tool', async () => {
    const samples = { valid: [{ path: 'a.txt', line: 'x' }], directory: bench.directory };
    expect(await checkTool(new OwnTool(append, bench.host), samples)).toEqual([]);
  });

  it('without effects is asked about, whatever it does', async () => {
    const quiet = {
      apiVersion: 1 as const,
      name: 'quiet',
      description: 'Says nothing much.',
      parameters: { type: 'object', properties: {} },
      run: () => 'x',
    };
    const run = async (definition: ToolDefinition) => {
      const tools = [new OwnTool(defineTool(definition), bench.host)];
      const calls = await createCallBench({
        tools,
        mode: 'default',
        confirm: scriptedConfirm({ kind: 'once' }),
      });
      await calls.run([['quiet', {}]]);
      return calls.events.some(({ type }) => type === 'call-ask');
    };
    expect(await run(quiet)).toBe(true);
    expect(await run({ ...quiet, effects: () => [] })).toBe(false);
  });

  it('that wants a question is asked about with its own details, and does not run after a no', async () => {
    let runs = 0;
    const careful = defineTool({
      apiVersion: 1,
      name: 'careful',
      description: 'Sends a letter.',
      parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
      effects: () => [],
      confirm: async ({ to }) => ({
        kind: 'info',
        title: 'Send a letter',
        prompt: `To ${to}.`,
        urls: [],
        effects: [],
      }),
      run: () => {
        runs += 1;
        return 'sent';
      },
    });
    const calls = await createCallBench({
      tools: [new OwnTool(careful, bench.host)],
      mode: 'default',
      confirm: scriptedConfirm({ kind: 'once' }, { kind: 'cancel' }),
    });
    await calls.run([['careful', { to: 'Ada' }]]);
    await calls.run([['careful', { to: 'Bob' }]]);
    const asked = calls.events.flatMap((event) => (event.type === 'call-ask' ? [event.request.details] : []));
    expect(asked).toMatchObject([{ title: 'Send a letter', prompt: 'To Ada.' }, { prompt: 'To Bob.' }]);
    expect(runs).toBe(1);
  });

  it('gives progress, several parts, and stops when told', async () => {
    const tool = new OwnTool(
      defineTool({
        apiVersion: 1,
        name: 'draw',
        description: 'Draws something slowly.',
        parameters: { type: 'object', properties: {} },
        async run(_params, { update, signal }) {
          update('1 of 2\n');
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          return ['a picture', { inlineData: { mimeType: 'image/png', data: 'AAAA' } }];
        },
      }),
      bench.host,
    );
    const controller = new AbortController();
    const updates: string[] = [];
    const running = tool.execute({}, controller.signal, (text) => {
      updates.push(text);
      setImmediate(() => controller.abort({ kind: 'user' }));
    });
    expect((await running).error?.code).toBe('cancelled');
    expect(updates).toEqual(['1 of 2\n']);
  });

  it('may answer with a whole result, parts, or text', async () => {
    const answer = async (value: unknown) =>
      new OwnTool(
        defineTool({
          apiVersion: 1,
          name: 'x',
          description: 'Answers.',
          parameters: { type: 'object', properties: {} },
          run: () => value as string,
        }),
        bench.host,
      ).execute({}, signal);
    const image = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
    expect(await answer('text')).toEqual({ llmContent: 'text', returnDisplay: 'text' });
    expect(await answer([image, 'text'])).toEqual({
      llmContent: [image, 'text'],
      returnDisplay: 'text\n[1 attachment]',
    });
    expect(await answer({ llmContent: 'a', returnDisplay: 'b' })).toEqual({
      llmContent: 'a',
      returnDisplay: 'b',
    });
  });

  it.each([
    [{ apiVersion: 2 }, 'defineTool: apiVersion must be 1, got 2; this Toolwright knows version 1.'],
    [{ apiVersion: 1 }, 'defineTool: name is missing.'],
    [
      { apiVersion: 1, name: 'x', description: 'y' },
      'defineTool: x: parameters must be a JSON Schema object, or a schema of zod 4 or another library that offers `~standard.jsonSchema`.',
    ],
    [{ apiVersion: 1, name: 'x', description: 'y', parameters: {} }, 'defineTool: x needs run or changes.'],
    [
      { apiVersion: 1, name: 'x', description: 'y', parameters: { type: 'string' }, run: () => '' },
      "defineTool: x: parameters must have type: 'object', because arguments have names.",
    ],
  ])('%j is refused', (definition, message) => {
    expect(() => defineTool(definition as unknown as ToolDefinition)).toThrow(message);
  });
});
