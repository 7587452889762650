import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inGroups } from './in-groups.js';

async function* slowly(count: number): AsyncGenerator<number> {
  for (let number = 1; number <= count; number++) {
    yield number;
    await sleep(5);
  }
}

describe('work in groups', () => {
  it('is done once for each of more items than a group holds', async () => {
    const done: number[] = [];
    await inGroups(slowly(120), async (number) => void done.push(number));
    expect(done).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
  });

  it('that fails while further items are read fails whoever asked for it, and leaves no rejection that ends the program', async () => {
    const stray: unknown[] = [];
    const hear = (reason: unknown): void => void stray.push(reason);
    process.on('unhandledRejection', hear);
    try {
      const fails = async (number: number): Promise<void> => {
        if (number === 2) throw new Error('the store is away');
      };
      await expect(inGroups(slowly(6), fails)).rejects.toThrow('the store is away');
      await sleep(10);
    } finally {
      process.off('unhandledRejection', hear);
    }
    expect(stray).toEqual([]);
  });
});
