import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type IsolatedTask, runIsolated } from './run-isolated.js';

const never = new AbortController().signal;
const answer = (expression: string) =>
  `const { parentPort, workerData } = require('node:worker_threads'); parentPort.postMessage(${expression});`;

function run(task: Partial<IsolatedTask> & { source: string }): Promise<unknown> {
  return runIsolated({
    what: 'Decoding the test',
    library: '@silvia-odwyer/photon-node',
    data: {},
    signal: never,
    limitMs: 20_000,
    ...task,
  });
}

describe('a decoder in its own thread', () => {
  it('gets data and a library, and answers', async () => {
    const source = `(async () => {
      const { parentPort, workerData } = require('node:worker_threads');
      const { resize } = await import(workerData.library);
      parentPort.postMessage([typeof resize, workerData.bytes.length]);
    })();`;
    expect(await run({ source, data: { bytes: new Uint8Array(5) } })).toEqual(['function', 5]);
  });

  it('sees no environment variables of ours', async () => {
    expect(await run({ source: answer('Object.keys(process.env)') })).toEqual([]);
  });

  it('is ended when it loops for ever', async () => {
    await expect(run({ source: 'for (;;);', limitMs: 200 })).rejects.toMatchObject({
      code: 'timeout',
      message: 'Decoding the test took longer than 0 s and was stopped. Try a smaller file or part.',
    });
  });

  it('is ended when the call is cancelled, with the reason given', async () => {
    const controller = new AbortController();
    const work = run({ source: 'for (;;);', signal: controller.signal });
    void wait(100).then(() => controller.abort({ kind: 'user' }));
    await expect(work).rejects.toEqual({ kind: 'user' });
    await expect(run({ source: answer('1'), signal: controller.signal })).rejects.toEqual({ kind: 'user' });
  });

  it('is ended when it takes too much memory, however it does that', async () => {
    const source = 'const all = []; for (;;) all.push(new Uint8Array(1 << 24).fill(1));';
    await expect(run({ source, memoryMb: 200 })).rejects.toMatchObject({
      code: 'too_large',
      message:
        'Decoding the test took more than 200 MB of memory and was stopped: the file unpacks to far more than it holds. Try a smaller file or part.',
    });
  });

  it('waits for the one before, but not when the call is cancelled', async () => {
    const controller = new AbortController();
    const first = run({ source: 'for (;;);', limitMs: 1_000 });
    const second = run({ source: answer('2'), signal: controller.signal });
    const third = run({ source: answer('3') });
    controller.abort({ kind: 'user' });
    await expect(second).rejects.toEqual({ kind: 'user' });
    await expect(first).rejects.toMatchObject({ code: 'timeout' });
    expect(await third).toBe(3);
  });

  it('does not hold what earlier ones gave', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
    const given = new WeakRef((await run({ source: answer('{ page: 1 }') })) as object);
    await run({ source: answer('2') });
    for (let look = 0; look < 50 && given.deref() !== undefined; look++) {
      await wait(10);
      collect();
    }
    expect(given.deref()).toBeUndefined();
  });

  it.each([
    ['throws', "throw new Error('boom')", 'Decoding the test failed: boom.'],
    ['exits', 'process.exit(0)', 'Decoding the test failed: the decoder ended without an answer.'],
    ['eats all memory', 'const all = []; for (;;) all.push(new Array(1e6).fill(all.length));', /memory/],
  ])('that %s is an error, not the end of the program', async (_name, source, message) => {
    await expect(run({ source, heapMb: 32 })).rejects.toMatchObject({
      code: 'failed',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });
});
