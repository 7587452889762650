import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openStateFolder } from '../state/state-folder.js';
import { createSandbox } from './create-sandbox.js';
import type { SandboxMode } from './sandbox.js';

const base = mkdtempSync(join(tmpdir(), 'open-sandbox-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const never = new AbortController().signal;
const launch = { program: 'true', args: [], directory: '/', environment: { PATH: '/usr/bin' } };
const open = (mode: SandboxMode, platform: NodeJS.Platform) =>
  createSandbox({ mode, platform, environment: { HOME: base }, state: openStateFolder(join(base, 'state')) });

test.each<[SandboxMode, NodeJS.Platform, string]>([
  ['off', 'linux', 'unconfined: the sandbox is switched off'],
  ['auto', 'win32', 'unconfined: there is no sandbox for win32'],
])('with %s on %s commands run as they are, and it is said', async (mode, platform, sentence) => {
  const sandbox = open(mode, platform);
  expect(await sandbox.state(never)).toEqual({ confined: false, sentence, program: null });
  const profile = { workspace: 'writable', roots: [base], network: 'off' } as const;
  const confined = await sandbox.confine(launch, profile, never);
  expect([confined.confined, confined.launch]).toEqual([false, launch]);
  await confined.release();
});

test('on a machine that only claims to be a Mac commands run unconfined', async () => {
  if (process.platform === 'darwin') return console.log('not tried: this is a Mac');
  expect(await open('auto', 'darwin').state(never)).toEqual({
    confined: false,
    sentence: 'unconfined: /usr/bin/sandbox-exec is not there',
    program: null,
  });
});

test('where a sandbox is required and there is none, nothing runs', async () => {
  const sandbox = open('required', 'win32');
  await expect(
    sandbox.confine(launch, { workspace: 'writable', roots: [base], network: 'off' }, never),
  ).rejects.toThrow(
    'Commands must be confined (sandbox.mode is "required"), and here they are unconfined: there is no sandbox for win32. Fix that, or choose --sandbox auto.',
  );
});
