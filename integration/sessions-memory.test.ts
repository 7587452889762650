import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

interface Memory {
  heapUsed: number;
  rss: number;
}

const script = fileURLToPath(new URL('memory/fifty-sessions.mjs', import.meta.url));

it('fifty sessions that were closed are freed, and the heap is as before', async () => {
  const place = mkdtempSync(join(tmpdir(), 'toolwright-memory-'));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, place], {
      env: { PATH: process.env['PATH'], HOME: place },
    });
    const { before, open, closed, left } = JSON.parse(stdout) as Record<
      'before' | 'open' | 'closed',
      Memory
    > & {
      left: number;
    };
    const show = ({ heapUsed, rss }: Memory): string =>
      `${(heapUsed / 1e6).toFixed(1)} MB heap (${Math.round(rss / 1e6)} MB resident)`;
    const kept = (closed.heapUsed - before.heapUsed) / (open.heapUsed - before.heapUsed);
    console.log(
      `evidence: fifty sessions: ${show(before)} before, ${show(open)} open, ${show(closed)} closed; ` +
        `${Math.round(kept * 100)} % of what they took is left, ${left} sessions are`,
    );
    expect(left).toBe(0);
    expect(kept).toBeLessThan(0.35);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});
