import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { createClock, createIds, silentLog } from '@toolwright/machine/host/node-host.js';
import { expect, it } from 'vitest';
import { createPermission } from '../permission/permission.js';
import type { CallEvent } from '../scheduler/call.js';
import { createScheduler } from '../scheduler/scheduler.js';
import { scriptedTool } from '../testing/scripted-tool.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import type { Tool } from '../tools/tools.js';
import { openServing, type Serving } from './serving.js';

interface Bench {
  serving: Serving;
  registry: ToolRegistry;
  /** Events seen by the listener of all calls. */
  events: CallEvent[];
}

async function open(tools: Tool[]): Promise<Bench> {
  const registry = new ToolRegistry();
  for (const tool of tools) registry.registerTool(tool);
  const events: CallEvent[] = [];
  const clock = createClock();
  const permission = await createPermission({
    mode: 'default',
    rules: [],
    workspace: { directory: '/work', rootOf: () => undefined, show: (path) => path },
  });
  const scheduler = createScheduler({
    registry,
    permission,
    clock,
    ids: createIds(),
    log: silentLog,
    confirm: async () => ({ kind: 'cancel', reason: 'the toolbox was asked, not the client' }),
    record: async () => undefined,
    emit: (event) => events.push(event),
    saveOutput: async (name) => name,
  });
  const serving = await openServing({
    registry,
    scheduler,
    clock,
    log: silentLog,
    directory: '/work',
    version: '1.0.0',
    clean: (text) => text,
  });
  return { serving, registry, events };
}

async function connect({ serving }: Bench, answer: string): Promise<{ client: Client; asked: string[] }> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const asked: string[] = [];
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: { answer } };
  });
  await Promise.all([serving.connection('legacy').server.connect(ours), client.connect(theirs)]);
  return { client, asked };
}

it('each client is asked about its own calls, and whoever watches all of them goes on seeing them', async () => {
  const bench = await open([scriptedTool('act')]);
  const [yes, no] = [await connect(bench, 'once'), await connect(bench, 'no')];
  const results = await Promise.all(
    [yes, no].map(({ client }) => client.callTool({ name: 'act', arguments: {} })),
  );
  expect(results.map(({ content }) => content)).toEqual([
    [{ type: 'text', text: 'act done' }],
    [{ type: 'text', text: 'The user refused this call: no reason was given' }],
  ]);
  expect([yes.asked.length, no.asked.length]).toEqual([1, 1]);
  expect(bench.events.filter(({ type }) => type === 'call-ask')).toHaveLength(2);
  await bench.serving.close();
});

it('a call that is under way when the server ends is stopped, and waited for', async () => {
  let stopped = '';
  let hasStarted = false;
  const bench = await open([
    scriptedTool('wait', {
      effects: [],
      run: (_params, signal) =>
        new Promise((resolve) => {
          hasStarted = true;
          signal.addEventListener('abort', () => {
            stopped = JSON.stringify(signal.reason);
            resolve({ llmContent: 'stopped', returnDisplay: '' });
          });
        }),
    }),
  ]);
  const { client } = await connect(bench, 'once');
  const call = client.callTool({ name: 'wait', arguments: {} }).catch(() => undefined);
  await expect.poll(() => hasStarted).toBe(true);
  await bench.serving.close();
  expect(stopped).toBe('{"kind":"shutdown"}');
  await call;
});
