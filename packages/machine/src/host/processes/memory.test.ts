import { totalmem } from 'node:os';
import { expect, it } from 'vitest';
import { describeExcess, memoryLimitOf } from './memory.js';

it.each([
  ['4g', 4 * 1024 ** 3],
  ['4GB', 4 * 1024 ** 3],
  ['4 GiB', 4 * 1024 ** 3],
  ['1.5g', 1.5 * 1024 ** 3],
  ['512m', 512 * 1024 ** 2],
  ['300000k', 300_000 * 1024],
  ['1k', 16 * 1024 ** 2],
])('%s is an amount of memory', (written, bytes) => {
  expect(memoryLimitOf(written)).toEqual({ bytes, written });
});

it('a share is one of the machine, or of what the container may use', () => {
  const whole = memoryLimitOf('100%')?.bytes ?? 0;
  expect(whole).toBeLessThanOrEqual(totalmem());
  expect(memoryLimitOf()?.bytes).toBe(Math.floor(whole / 2));
});

it('a setting of none means no memory limit', () => {
  expect(memoryLimitOf('none')).toBeNull();
});

it('describeExcess names the use, the limit and the setting', () => {
  expect(describeExcess(3 * 1024 ** 3, { bytes: 2 * 1024 ** 3, written: '50%' })).toBe(
    "stopped, with everything it had started, at the memory limit of 2 GB, 50% of the machine's (setting sandbox.memory): " +
      'it used 3 GB. The same command would hit the same limit: let it do less at once, or ask the user to raise the setting',
  );
});
