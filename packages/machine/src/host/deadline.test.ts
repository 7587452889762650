import { getEventListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createFakeClock } from '../testing/fakes.js';
import { deadlineIn, unlessAborted, withController, withinDeadline } from './deadline.js';

const never = new Promise<string>(() => undefined);

it('work that settles in time gives its result or its failure', async () => {
  const clock = createFakeClock();
  expect(await withinDeadline(Promise.resolve('done'), { ms: 10, clock })).toBe('done');
  await expect(withinDeadline(Promise.reject(new Error('broken')), { ms: 10, clock })).rejects.toThrow(
    'broken',
  );
});

it('work that hangs gives null at the deadline, not before', async () => {
  const clock = createFakeClock();
  let result: string | null | undefined;
  const waiting = withinDeadline(never, { ms: 10, clock }).then((value) => {
    result = value;
  });
  clock.advance(9);
  await Promise.resolve();
  expect(result).toBeUndefined();
  clock.advance(1);
  await waiting;
  expect(result).toBeNull();
});

it('an abort ends the waiting like the deadline', async () => {
  const controller = new AbortController();
  const waiting = withinDeadline(never, { ms: 10, clock: createFakeClock(), signal: controller.signal });
  controller.abort();
  expect(await waiting).toBeNull();
});

it('a failure after the deadline is nobody’s business', async () => {
  const clock = createFakeClock();
  let fail: (error: Error) => void = () => undefined;
  const work = new Promise<string>((_resolve, reject) => {
    fail = reject;
  });
  const waiting = withinDeadline(work, { ms: 10, clock });
  clock.advance(10);
  expect(await waiting).toBeNull();
  fail(new Error('too late'));
});

it('dozens may work under one signal without a warning of Node', async () => {
  const warnings: Error[] = [];
  const hear = (warning: Error): void => void warnings.push(warning);
  process.on('warning', hear);
  const { signal } = new AbortController();
  const settled = Promise.all(Array.from({ length: 30 }, () => withController(signal, async () => {})));
  const waited = Promise.all(Array.from({ length: 30 }, () => unlessAborted(settled, signal)));
  await waited;
  // Node tells of warnings in the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', hear);
  expect(warnings).toEqual([]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('whoever waits no longer hears the reason of the abort, and others still get the result', async () => {
  const controller = new AbortController();
  let finish: (text: string) => void = () => undefined;
  const work = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const [impatient, patient] = [
    unlessAborted(work, controller.signal),
    unlessAborted(work, new AbortController().signal),
  ];
  controller.abort('enough');
  await expect(impatient).rejects.toBe('enough');
  await expect(unlessAborted(work, controller.signal)).rejects.toBe('enough');
  finish('done');
  expect(await patient).toBe('done');
});

it('a signal for a deadline aborts with the given signal when that comes first', () => {
  const controller = new AbortController();
  const within = deadlineIn(60_000, controller.signal);
  expect(within.aborted).toBe(false);
  controller.abort('enough');
  expect(within.reason).toBe('enough');
});

it('a signal for a deadline aborts at the deadline', async () => {
  const within = deadlineIn(1);
  await new Promise((resolve) => within.addEventListener('abort', resolve));
  expect(within.reason).toMatchObject({ name: 'TimeoutError' });
});

it('a controller for some work aborts with the signal, and by itself without it', async () => {
  const outer = new AbortController();
  const reasons = withController(outer.signal, async (first) =>
    withController(outer.signal, async (second) => {
      second.abort('by itself');
      expect([first.signal.aborted, outer.signal.aborted]).toEqual([false, false]);
      outer.abort('from outside');
      return [first.signal.reason, second.signal.reason];
    }),
  );
  expect(await reasons).toEqual(['from outside', 'by itself']);
  expect(await withController(outer.signal, async ({ signal }) => signal.reason)).toBe('from outside');
});

it('a controller for some work leaves nothing on the signal, however the work ends', async () => {
  const { signal } = new AbortController();
  expect(await withController(signal, async () => 'done')).toBe('done');
  await expect(withController(signal, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

const packages = fileURLToPath(new URL('../../../', import.meta.url));

/** Messages may name it as an example. */
function withoutTexts(source: string): string {
  return source.replace(/'[^'\n]*'/g, "''");
}

it('no package makes a deadline of its own', () => {
  const makers = readdirSync(packages).flatMap((name) =>
    readdirSync(join(packages, name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter(
        (file) => /\.tsx?$/.test(file) && !/\.test\.ts$|(?:^|\/)(?:fixtures|testing|serve)\//.test(file),
      )
      .map((file) => join(packages, name, 'src', file))
      .filter((path) => withoutTexts(readFileSync(path, 'utf8')).includes('AbortSignal.timeout(')),
  );
  expect(makers.map((path) => relative(packages, path))).toEqual(['machine/src/host/deadline.ts']);
});
