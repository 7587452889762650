import type { Effect } from '@toolwright/machine/base/effect.js';
import { expect, it } from 'vitest';
import { scriptedTool } from '../../testing/scripted-tool.js';
import { ToolRegistry } from '../../tools/tool-registry.js';
import { createTurns } from './turns.js';

const never = new AbortController().signal;
const one = { client: {}, signal: never };
const other = { client: {}, signal: never };

/** Calls of a tool whose argument says what it reads and writes; each runs until it is let go. */
function bench() {
  const registry = new ToolRegistry();
  registry.registerTool(
    scriptedTool('touch', {
      schema: {
        type: 'object',
        properties: { reads: { type: 'string' }, writes: { type: 'string' } },
      },
      effects: ({ reads, writes }): Effect[] => [
        ...(reads ? [{ kind: 'read' as const, path: String(reads) }] : []),
        ...(writes ? [{ kind: 'write' as const, path: String(writes) }] : []),
      ],
    }),
  );
  registry.registerTool(scriptedTool('unknown'));
  const turns = createTurns(registry);
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (label: string, args: object, from = one, name = 'touch'): Promise<string> =>
    turns(
      { id: '', name, arguments: { ...args } },
      from,
      () =>
        new Promise<string>((resolve) => {
          running.push(label);
          ends.set(label, () => resolve(label));
        }),
    );
  return { begin, running, end: (label: string): void => ends.get(label)?.() };
}

it('calls that read run side by side, and one that writes the same waits for them', async () => {
  const { begin, running, end } = bench();
  const [first, second, third] = [
    begin('one', { reads: '/a' }),
    begin('two', { reads: '/a' }),
    begin('three', { writes: '/a' }),
  ];
  await expect.poll(() => running).toEqual(['one', 'two']);
  end('one');
  await first;
  expect(running).toEqual(['one', 'two']);
  end('two');
  await second;
  await expect.poll(() => running).toEqual(['one', 'two', 'three']);
  end('three');
  await third;
});

it('calls of another client wait only where both may change the same', async () => {
  const { begin, running, end } = bench();
  const all = [
    begin('writes a', { writes: '/a' }),
    begin('reads a', { reads: '/a' }, other),
    begin('anything', {}, one, 'unknown'),
    begin('reads b', { reads: '/b' }, other),
    begin('writes b', { writes: '/b' }, other),
  ];
  await expect.poll(() => running).toEqual(['writes a', 'reads a', 'reads b']);
  end('reads b');
  end('writes a');
  await expect.poll(() => running).toEqual(['writes a', 'reads a', 'reads b', 'anything']);
  end('anything');
  await expect.poll(() => running).toHaveLength(5);
  for (const label of ['reads a', 'writes b']) end(label);
  await Promise.all(all);
});

it('calls about different files do not wait, and one of unknown effect waits for all', async () => {
  const { begin, running, end } = bench();
  const all = [begin('a', { writes: '/a' }), begin('b', { writes: '/b' }), begin('c', {}, one, 'unknown')];
  await expect.poll(() => running).toEqual(['a', 'b']);
  end('a');
  end('b');
  await expect.poll(() => running).toEqual(['a', 'b', 'c']);
  end('c');
  await Promise.all(all);
});

it('a call that is cancelled while it waits waits no longer', async () => {
  const { begin, running, end } = bench();
  const cancel = new AbortController();
  const first = begin('first', { writes: '/a' });
  const second = begin('second', { writes: '/a' }, { ...one, signal: cancel.signal });
  await expect.poll(() => running).toEqual(['first']);
  cancel.abort();
  await expect.poll(() => running).toEqual(['first', 'second']);
  end('second');
  end('first');
  await Promise.all([first, second]);
});

it('a call that fails lets the next one go on, and one that will be refused gets into nobody’s way', async () => {
  const { begin, running, end } = bench();
  const turns = createTurns(new ToolRegistry());
  await expect(
    turns({ id: '', name: 'gone', arguments: {} }, one, async () => {
      throw new Error('broken');
    }),
  ).rejects.toThrow('broken');
  expect(await turns({ id: '', name: 'gone', arguments: {} }, one, async () => 'next')).toBe('next');
  const held = begin('held', { writes: '/a' });
  const refused = begin('refused', { writes: 7, reads: {} });
  await expect.poll(() => running).toEqual(['held', 'refused']);
  end('held');
  end('refused');
  await Promise.all([held, refused]);
});

it('a call that waits for its user lets others go first, and then waits for them', async () => {
  const registry = new ToolRegistry();
  registry.registerTool(scriptedTool('unknown'));
  const turns = createTurns(registry);
  const call = { id: '', name: 'unknown', arguments: {} };
  const seen: string[] = [];
  const answers: (() => void)[] = [];
  const asking = turns(call, one, async ({ aside }) => {
    await aside(() => new Promise<void>((resolve) => void answers.push(resolve)));
    seen.push('first, after its answer');
  });
  let finish: () => void = () => undefined;
  const second = turns(call, one, async () => {
    seen.push('second');
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
  });
  await expect.poll(() => seen).toEqual(['second']);
  answers[0]?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toEqual(['second']);
  finish();
  await Promise.all([asking, second]);
  expect(seen).toEqual(['second', 'first, after its answer']);
});
