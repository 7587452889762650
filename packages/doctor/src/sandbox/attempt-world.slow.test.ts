import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, until } from '@toolwright/machine/host/processes/fixtures/shell.js';
import { openStateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { expect, it } from 'vitest';
import { openAttemptWorld } from './attempt-world.js';

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1]) === parent;
      } catch {
        return false;
      }
    })
    .map(Number);
}

it.runIf(process.platform === 'linux')('leaves neither a process nor a folder behind', async () => {
  const base = mkdtempSync(join(tmpdir(), 'attempt-world-'));
  try {
    const world = await openAttemptWorld(openStateFolder(join(base, 'state')), base);
    const started = () => [world.outsider, ...childrenOf(world.outsider)];
    await until(() => started().some((pid) => readFileSync(`/proc/${pid}/comm`, 'latin1') === 'grep\n'));
    const all = started();
    expect(world.isOutsiderAlive()).toBe(true);
    await world.close();
    await until(() => !world.isOutsiderAlive());
    expect(all.filter(isAlive)).toEqual([]);
    expect(readdirSync(join(base, 'state', 'stage'))).toEqual([]);
  } finally {
    rmSync(base, { recursive: true });
  }
});
