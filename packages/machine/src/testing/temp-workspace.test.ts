import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createFakeClock, createFixedIds } from './fakes.js';
import { createTempWorkspace } from './temp-workspace.js';

test('a temporary workspace holds what it was given and goes away', async () => {
  let directory: string;
  {
    await using temporary = createTempWorkspace({ content: { 'a/b.txt': 'text' } });
    directory = temporary.directory;
    temporary.write('c', Buffer.from([104, 105]));
    temporary.symlink('l', 'c');
    await temporary.files.makeDirectory('empty');
    expect(temporary.tree()).toEqual({ 'a/b.txt': 'text', c: 'hi', empty: null, l: '-> c' });
    expect(temporary.read('c')).toBe('hi');
    expect([...temporary.readBytes('c')]).toEqual([104, 105]);
    expect(temporary.exists('c')).toBe(true);
    expect(temporary.exists('d')).toBe(false);
    expect(temporary.workspace.resolve('c')).toBe(temporary.path('c'));
    expect(existsSync(temporary.outside)).toBe(true);
  }
  expect(existsSync(directory)).toBe(false);
});

test('the fake clock moves only when told, and wakes sleepers in order', async () => {
  const clock = createFakeClock(1000);
  const woken: string[] = [];
  const late = clock.sleep(20).then(() => woken.push('late'));
  const early = clock.sleep(10).then(() => woken.push('early'));
  const controller = new AbortController();
  const cancelled = clock.sleep(5, controller.signal);
  controller.abort({ kind: 'user' });
  await expect(cancelled).rejects.toEqual({ kind: 'user' });
  clock.advance(9);
  await Promise.resolve();
  expect(woken).toEqual([]);
  clock.advance(11);
  await Promise.all([late, early, clock.sleep(0)]);
  expect(woken).toEqual(['early', 'late']);
  expect(clock.now()).toBe(1020);
});

test('fixed ids count, and their numbers repeat', () => {
  const ids = createFixedIds('call');
  expect([ids.next(), ids.next()]).toEqual(['call-0001', 'call-0002']);
  const numbers = Array.from({ length: 100 }, () => ids.random());
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  expect(new Set(numbers).size).toBe(100);
  expect(createFixedIds().random()).toBe(numbers[0]);
});
