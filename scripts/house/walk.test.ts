import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('an edit goes from the top of the house to its bottom and turns back nowhere', () => {
  const way = execFileSync(process.execPath, ['scripts/house/walk.mjs', 'edit'], { encoding: 'utf8' });
  const [, files] = /^(\d+) files in \d+ rooms/m.exec(way) ?? [];
  expect(Number(files)).toBeGreaterThan(0);
  expect(Number(files)).toBeLessThanOrEqual(76);
  const [, turns] = /calls that turn back.*: (\d+\n[\s\S]*)$/.exec(way) ?? [];
  expect(turns).toBe('0\n');
});
