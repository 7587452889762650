import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { expect, it } from 'vitest';
import { scriptedTool } from '../../testing/scripted-tool.js';
import { openServingBench, type ServingBench } from '../fixtures/serving-bench.js';

// biome-ignore lint/suspicious/noExplicitAny: whatever a server answers is looked at by the test.
type Answered = any;

const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

/** A client of 2025-11-25 that asks for tasks; `answer` answers questions of the server. */
async function connect({ serving }: ServingBench, answer: () => Promise<object>) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  const asked: Answered[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params);
    return (await answer()) as { action: 'accept' };
  });
  await Promise.all([serving.connection('legacy').server.connect(ours), client.connect(theirs)]);
  const send = (method: string, params: object): Promise<Answered> =>
    client.request({ method, params: { ...params } }, anything) as Promise<Answered>;
  const begin = async (name: string): Promise<string> =>
    (await send('tools/call', { name, arguments: {}, task: { ttl: 60_000 } })).task.taskId;
  return { client, asked, send, begin };
}

const yes = async () => ({ action: 'accept', content: { answer: 'once' } });

/** A tool, without effects unless given, that runs until it is let go, or aborted. */
function heldTool(effects: Effect[] = []) {
  const held: { letGo?(): void } = {};
  const tool = scriptedTool('held', {
    effects,
    run: (_params, signal) =>
      new Promise((resolve) => {
        held.letGo = () => resolve({ llmContent: 'held and done', returnDisplay: '' });
        signal.addEventListener('abort', () => resolve({ llmContent: 'stopped', returnDisplay: '' }));
      }),
  });
  const letGo = async (): Promise<void> => {
    await expect.poll(() => held.letGo).toBeDefined();
    held.letGo?.();
  };
  return { tool, letGo, isHeld: () => held.letGo !== undefined };
}

it('a client that asks for a task gets one at once, sees its state, and fetches the result', async () => {
  const { tool, letGo } = heldTool();
  const bench = await openServingBench([tool]);
  const { client, send, begin } = await connect(bench, yes);
  expect(client.getServerCapabilities()).toMatchObject({
    tasks: { cancel: {}, requests: { tools: { call: {} } } },
  });
  expect((await client.listTools()).tools[0]).toMatchObject({ execution: { taskSupport: 'optional' } });
  const taskId = await begin('held');
  expect(await send('tasks/get', { taskId })).toMatchObject({
    taskId,
    status: 'working',
    ttl: 3_600_000,
    pollInterval: 1_000,
  });
  const result = send('tasks/result', { taskId });
  await letGo();
  expect(await result).toMatchObject({
    content: [{ type: 'text', text: 'held and done' }],
    _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
  });
  expect((await send('tasks/get', { taskId })).status).toBe('completed');
  await bench.serving.close();
});

it('a question of a task is asked while the client waits for the result, and names the task', async () => {
  const bench = await openServingBench([scriptedTool('act')]);
  const { asked, send, begin } = await connect(bench, yes);
  const taskId = await begin('act');
  await expect.poll(async () => (await send('tasks/get', { taskId })).status).toBe('input_required');
  expect(asked).toEqual([]);
  expect((await send('tasks/result', { taskId })).content).toEqual([{ type: 'text', text: 'act done' }]);
  expect(asked[0]._meta).toEqual({ 'io.modelcontextprotocol/related-task': { taskId } });
  await bench.serving.close();
});

it('a client whose answer is none has its call refused, and the task has failed', async () => {
  const bench = await openServingBench([scriptedTool('act')]);
  const { send, begin } = await connect(bench, () => Promise.reject(new Error('nobody is here')));
  const taskId = await begin('act');
  await expect.poll(async () => (await send('tasks/get', { taskId })).status).toBe('input_required');
  const result = await send('tasks/result', { taskId });
  expect(result.isError).toBe(true);
  expect(JSON.stringify(result.content)).toContain('the question could not be asked');
  expect((await send('tasks/get', { taskId })).status).toBe('failed');
  await bench.serving.close();
});

it('a cancelled task has no result and can not be cancelled again; strange ids and too many tasks are refused', async () => {
  const { tool } = heldTool();
  const bench = await openServingBench([tool]);
  const { send, begin } = await connect(bench, yes);
  const taskId = await begin('held');
  expect((await send('tasks/cancel', { taskId })).status).toBe('cancelled');
  await expect(send('tasks/cancel', { taskId })).rejects.toThrow('it is cancelled already');
  await expect(send('tasks/result', { taskId })).rejects.toThrow('The task was cancelled.');
  for (const strange of ['no such task', '../grants', 7, null])
    await expect(send('tasks/get', { taskId: strange })).rejects.toThrow();
  await expect(begin('no_such_tool')).rejects.toThrow('There is no tool called');
  for (let index = 1; index < 64; index += 1) await begin('held');
  await expect(begin('held')).rejects.toThrow('There are too many tasks.');
  await bench.serving.close();
});

it('a client reads what its task is about to change while the task runs', async () => {
  const { tool, letGo, isHeld } = heldTool([{ kind: 'write', path: '/work/a' }]);
  const look = scriptedTool('look', { effects: [{ kind: 'read', path: '/work/a' }] });
  const bench = await openServingBench([tool, look]);
  const { client, send, begin } = await connect(bench, yes);
  const taskId = await begin('held');
  const result = send('tasks/result', { taskId });
  await expect.poll(() => isHeld()).toBe(true);
  const looked = await client.callTool({ name: 'look', arguments: {} });
  expect(looked.content).toEqual([{ type: 'text', text: 'look done' }]);
  expect((await send('tasks/get', { taskId })).status).toBe('working');
  await letGo();
  expect((await result).content).toEqual([{ type: 'text', text: 'held and done' }]);
  await bench.serving.close();
});

it('a client that goes away while it waits for a result can come back for it', async () => {
  const { tool, letGo } = heldTool();
  const bench = await openServingBench([tool]);
  const first = await connect(bench, yes);
  const taskId = await first.begin('held');
  const lost = first.send('tasks/result', { taskId }).catch(() => 'gone');
  await first.client.close();
  expect(await lost).toBe('gone');
  const second = await connect(bench, yes);
  expect((await second.send('tasks/get', { taskId })).status).toBe('working');
  await letGo();
  expect((await second.send('tasks/result', { taskId })).content).toEqual([
    { type: 'text', text: 'held and done' },
  ]);
  await bench.serving.close();
});
