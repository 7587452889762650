import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { sweepOwnedFolders } from './owned-folder.js';

it('an owned folder is swept whatever modes and depths a command left there', async () => {
  const directory = tempFolder();
  const { pid: gone } = spawnSync('true');
  const folder = join(directory, `run.of-${gone}`);
  const script =
    'mkdir -p "$1/upper-0/shut/inner" "$1/work-0/work" && touch "$1/upper-0/shut/inner/x" && chmod 000 "$1/upper-0/shut/inner" "$1/upper-0/shut" "$1/work-0/work"; cd "$1"; for i in $(seq 300); do mkdir long-name-of-a-folder && cd long-name-of-a-folder; done';
  spawnSync('bash', ['-c', script, 'bash', folder]);
  expect(await sweepOwnedFolders(directory, { now: Date.now() })).toBe(1);
  expect(readdirSync(directory)).toEqual([]);
});
