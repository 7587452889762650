import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { tempFolder } from '../../../base/fixtures/temp-folder.js';
import { openStateFolder } from '../../state/state-folder.js';
import { createSandbox } from '../create-sandbox.js';

let base: string;
let before: string | undefined;
beforeEach(() => {
  before = process.env['TMPDIR'];
  base = tempFolder();
  process.env['TMPDIR'] = base;
});
afterEach(() => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
});

it('the sandbox leaves no home, no proxy and no folder behind when a sandbox can not be made', async () => {
  const state = openStateFolder(join(base, 'state'));
  const sandbox = createSandbox({ mode: 'auto', environment: { ...process.env, HOME: base }, state });
  const { confined: works, sentence } = await sandbox.state(new AbortController().signal);
  if (!works) return console.log(`not tried: commands are ${sentence}`);
  writeFileSync(join(base, 'file'), '');
  const [made, impossible] = [join(base, 'made'), join(base, 'file', 'folder')];
  const launch = { program: '/bin/true', args: [], directory: '/', environment: {} };
  const confined = sandbox.confine(
    launch,
    {
      workspace: 'read-only',
      roots: [],
      network: { hosts: ['example.org'] },
      watchesHome: true,
      outside: {
        read: [],
        write: [made, impossible].map((path) => ({ path, real: path, kind: 'missing-folder' as const })),
      },
    },
    new AbortController().signal,
  );
  await expect(confined).rejects.toThrow(/ENOTDIR|EEXIST/);
  expect(readdirSync(join(base, 'state/stage/homes'))).toEqual([]);
  expect(readdirSync(base).sort()).toEqual(['file', 'state']);
});
