import { createFakeClock } from '@toolwright/machine/testing/fakes.js';
import { expect, it } from 'vitest';
import { type Progress, reportLive } from './live-reports.js';

function open() {
  const clock = createFakeClock();
  const told: Progress[] = [];
  return { clock, told, report: reportLive(clock, () => ({ progress: (progress) => told.push(progress) })) };
}

it('output is told as it comes, bounded, with numbers that grow and nothing that acts on a terminal', () => {
  const { told, report } = open();
  report.output('\n  one\n');
  report.output(`\u001b[31m${'x'.repeat(5_000)}`);
  report.end();
  report.output('too late');
  expect(told.map(({ progress }) => progress)).toEqual([1, 2]);
  expect(told[0]?.message).toBe('  one');
  expect(told[1]?.message.length).toBeLessThanOrEqual(2_000);
  expect(told[1]?.message).not.toContain('\u001b');
});

it('a silent call gives a sign of life now and then, until it ends', async () => {
  const { clock, told, report } = open();
  clock.advance(10_000);
  await expect.poll(() => told).toEqual([{ progress: 1, message: 'still at work' }]);
  report.end();
  clock.advance(60_000);
  await Promise.resolve();
  expect(told).toHaveLength(1);
});
