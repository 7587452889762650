import { describe, expect, test } from 'vitest';
import { checkedDirectories, descriptorDirectories } from '../platform/directory-access.js';
import { type Attack, runRace } from './fixtures/race.js';

const attacks: Attack[] = ['directory', 'links', 'file'];
const ways = { descriptor: descriptorDirectories, checked: checkedDirectories };

describe.each(Object.entries(ways))('access by %s', (way, access) => {
  test.each(attacks)('never leaves the workspace while another process swaps: %s', async (attack) => {
    const result = await runRace({ access, attack, reads: 300, writes: 25 });
    console.log(`race ${way}/${attack}: ${JSON.stringify(result)}`);
    expect(result).toMatchObject({ escapes: 0, temporaryFiles: 0 });
    expect(result.refused).toBeGreaterThan(0);
    expect(result.succeeded).toBeGreaterThan(0);
  });
});
