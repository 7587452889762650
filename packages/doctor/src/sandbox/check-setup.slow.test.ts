import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, until } from '@toolwright/machine/host/processes/fixtures/shell.js';
import { openStateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { expect, it } from 'vitest';
import { openCheckSetup } from './check-setup.js';

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

it.runIf(process.platform === 'linux')(
  'the setup of a sandbox check leaves neither a process nor a folder behind',
  async () => {
    const base = mkdtempSync(join(tmpdir(), 'check-setup-'));
    try {
      const setup = await openCheckSetup(openStateFolder(join(base, 'state')), base);
      const started = () => [setup.outsider, ...childrenOf(setup.outsider)];
      await until(() => started().some((pid) => readFileSync(`/proc/${pid}/comm`, 'latin1') === 'grep\n'));
      const all = started();
      expect(setup.isOutsiderAlive()).toBe(true);
      await setup.close();
      await until(() => !setup.isOutsiderAlive());
      expect(all.filter(isAlive)).toEqual([]);
      expect(readdirSync(join(base, 'state', 'stage'))).toEqual([]);
    } finally {
      rmSync(base, { recursive: true });
    }
  },
);
