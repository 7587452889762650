import type { Effect } from '@toolwright/machine/base/effect.js';
import { expect, it } from 'vitest';
import { scriptedTool } from '../testing/scripted-tool.js';
import type { Tool } from '../tools/tools.js';
import { connectClient, openServingBench } from './fixtures/serving-bench.js';

it('each client is asked about its own calls, and whoever watches all of them goes on seeing them', async () => {
  const bench = await openServingBench([scriptedTool('act')]);
  const [yes, no] = [await connectClient(bench, () => 'once'), await connectClient(bench, () => 'no')];
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
  const bench = await openServingBench([
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
  const { client } = await connectClient(bench, () => 'once');
  const call = client.callTool({ name: 'wait', arguments: {} }).catch(() => undefined);
  await expect.poll(() => hasStarted).toBe(true);
  await bench.serving.close();
  expect(stopped).toBe('{"kind":"shutdown"}');
  await call;
});

/** A tool that touches the path it is given until it is let go. */
function heldTool(): { tool: Tool; running: string[]; end(path: string): void } {
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const tool = scriptedTool('touch', {
    schema: { type: 'object', properties: { path: { type: 'string' }, kind: { type: 'string' } } },
    effects: ({ path, kind }) => [{ kind, path } as Effect],
    run: async ({ path }) => {
      running.push(String(path));
      await new Promise<void>((resolve) => ends.set(String(path), resolve));
      return { llmContent: `touched ${path}`, returnDisplay: '' };
    },
  });
  return { tool, running, end: (path) => ends.get(path)?.() };
}

it('calls of two clients wait for each other when their effects conflict, and only then', async () => {
  const { tool, running, end } = heldTool();
  const bench = await openServingBench([tool]);
  const [one, two] = [await connectClient(bench, () => 'once'), await connectClient(bench, () => 'once')];
  const touch = ({ client }: typeof one, path: string, kind = 'write') =>
    client.callTool({ name: 'touch', arguments: { path, kind } });
  const independent = [touch(one, '/work/a'), touch(two, '/work/b')];
  await expect.poll(() => running.toSorted()).toEqual(['/work/a', '/work/b']);
  const conflicting = touch(two, '/work/a', 'write');
  const reading = touch(two, '/work/c', 'read');
  await expect.poll(() => running).toContain('/work/c');
  expect(running.filter((path) => path === '/work/a')).toHaveLength(1);
  end('/work/a');
  await expect.poll(() => running.filter((path) => path === '/work/a')).toHaveLength(2);
  for (const path of ['/work/a', '/work/b', '/work/c']) end(path);
  await Promise.all([...independent, conflicting, reading]);
  await bench.serving.close();
});

it('a client that never answers its question holds up no other, even about the same file', async () => {
  const writer = scriptedTool('write', { effects: [{ kind: 'write', path: '/work/a' }] });
  const bench = await openServingBench([writer], { questionLimitMs: 60_000 });
  const mute = await connectClient(bench, () => new Promise<string>(() => undefined));
  const quick = await connectClient(bench, () => 'once');
  const unanswered = mute.client.callTool({ name: 'write', arguments: {} }).catch(() => undefined);
  await expect.poll(() => mute.asked.length).toBe(1);
  const result = await quick.client.callTool({ name: 'write', arguments: {} });
  expect(result.content).toEqual([{ type: 'text', text: 'write done' }]);
  await mute.client.close();
  await bench.serving.close();
  await unanswered;
});

it('a question that nobody answers is a no at its limit', async () => {
  const bench = await openServingBench([scriptedTool('act')], { questionLimitMs: 50 });
  const { client } = await connectClient(bench, () => new Promise<string>(() => undefined));
  const result = await client.callTool({ name: 'act', arguments: {} });
  expect(result.isError).toBe(true);
  await bench.serving.close();
});

it('the 65th call at a time is refused with a clear message, and the others are not disturbed', async () => {
  const { tool, running, end } = heldTool();
  const bench = await openServingBench([tool]);
  const { client } = await connectClient(bench, () => 'once');
  const paths = Array.from({ length: 64 }, (_, index) => `/work/${index}/x`);
  const calls = paths.map((path) => client.callTool({ name: 'touch', arguments: { path, kind: 'read' } }));
  await expect.poll(() => running.length).toBe(64);
  const refused = await client.callTool({ name: 'touch', arguments: { path: '/work/y', kind: 'read' } });
  expect(refused).toMatchObject({ isError: true });
  expect(JSON.stringify(refused.content)).toContain('64 calls are under way');
  for (const path of paths) end(path);
  expect((await Promise.all(calls)).every(({ isError }) => !isError)).toBe(true);
  await bench.serving.close();
});

it('a client may follow 256 resources and no more, and none that is not there', async () => {
  const uris = Array.from({ length: 257 }, (_, index) => `x://${index}`);
  const resources = [
    {
      list: async () => uris.map((uri) => ({ uri, name: uri })),
      read: async (uri: string) => (uris.includes(uri) ? [{ uri, text: 'x' }] : null),
    },
  ];
  const bench = await openServingBench([], { resources });
  const { client } = await connectClient(bench, () => 'once');
  await expect(client.subscribeResource({ uri: 'x://gone' })).rejects.toThrow(
    'There is no resource x://gone',
  );
  for (const uri of uris.slice(0, 256)) await client.subscribeResource({ uri });
  await expect(client.subscribeResource({ uri: 'x://256' })).rejects.toThrow('256 resources');
  await client.unsubscribeResource({ uri: 'x://0' });
  await client.subscribeResource({ uri: 'x://256' });
  await expect(client.readResource({ uri: 'x://gone' })).rejects.toThrow('There is no resource');
  await bench.serving.close();
});
