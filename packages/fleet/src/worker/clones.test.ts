import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openClones } from './clones.js';

const DAY_MS = 24 * 3_600_000;

it('clones that no task has used for a month go, and fetches that were cut short go after a day', async () => {
  const root = mkdtempSync(join(tmpdir(), 'toolwright-clones-'));
  try {
    const made = (name: string, days: number): void => {
      mkdirSync(join(root, 'key', name), { recursive: true });
      const at = new Date(Date.now() - days * DAY_MS);
      utimesSync(join(root, 'key', name), at, at);
    };
    made('used', 20);
    made('unused', 40);
    made('new.part', 0.5);
    made('old.part', 2);
    await openClones(root).sweep();
    expect(readdirSync(join(root, 'key')).sort()).toEqual(['new.part', 'used']);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
