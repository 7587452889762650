import { describe, expect, test } from 'vitest';
import { checkedDirectories, descriptorDirectories } from '../platform/directory-access.js';
import { type Attack, runCarelessRace, runRace } from './fixtures/race.js';

const attacks: Attack[] = ['directory', 'links', 'file'];

describe.each([
  ['descriptor', descriptorDirectories],
  ['checked', checkedDirectories],
] as const)('access by %s', (way, access) => {
  test.each(attacks)('no file operation leaves the workspace in a long race: %s', async (attack) => {
    const result = await runRace({ access, attack, reads: 30_000, writes: 3_000 });
    console.log(`race ${way}/${attack}: ${JSON.stringify(result)}`);
    expect(result).toMatchObject({ tries: 96_000, escapes: 0, temporaryFiles: 0 });
  });
});

test('the race is one that resolving first and opening later loses', async () => {
  const escapes = await runCarelessRace('directory', 100_000);
  console.log(`careless race: 100000 tries, ${escapes} escapes`);
  expect(escapes).toBeGreaterThan(0);
});
