import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asOrdinaryUser } from '@toolwright/machine/host/sandbox/fixtures/ordinary-user.js';
import { expect, test } from 'vitest';
import { checksHere } from './fixtures/checks-here.js';
import type { SandboxCheckResult } from './run-sandbox-checks.js';

const module = new URL('./fixtures/checks-here.ts', import.meta.url);
const isRoot = process.getuid?.() === 0;

function print(who: string, rows: readonly SandboxCheckResult[]): void {
  for (const { guarantee, attempt, result, detail } of rows)
    console.log(`evidence: ${who} | ${guarantee} | ${attempt} | ${result} (${detail})`);
}

/** Expects that nothing is broken, and that most checks could be run where any could. */
function expectAllHold(who: string, rows: readonly SandboxCheckResult[]): void {
  print(who, rows);
  expect(rows.length).toBeGreaterThan(25);
  expect(rows.filter(({ result }) => result === 'broken')).toEqual([]);
  const wasTried = rows.some(({ result }) => result !== 'not tried');
  if (wasTried) expect(rows.filter(({ result }) => result === 'holds').length).toBeGreaterThan(20);
}

test('every guarantee holds for whoever runs the tests, root included', async () => {
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  try {
    expectAllHold(isRoot ? 'root' : 'this user', await checksHere(home, 'real'));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test('every guarantee holds for an ordinary user', async () => {
  expectAllHold('ordinary user', await asOrdinaryUser(module, 'checksHere', 'real'));
});

/** Attempts that fail, or work, for an ordinary user without any sandbox, too. */
const heldAnyway = new Set([
  'create a file in it',
  'write to /etc',
  'set a value of the kernel (/proc/sys)',
  'serve on 127.0.0.1 and fetch from it',
  'mount a file system',
  'look for capabilities left',
  'list the variables',
  'connect to an address outside (/dev/tcp)',
  'open a socket to the host of a virtual machine (vsock)',
]);

test('a sandbox that does nothing is found out by every attempt that could find it out', async () => {
  if (process.platform !== 'linux') return console.log('not tried: the checks are written for Linux');
  const rows = await asOrdinaryUser<SandboxCheckResult[]>(module, 'checksHere', 'hollow');
  const believed = rows.filter(({ attempt, result }) => result === 'holds' && !heldAnyway.has(attempt));
  expect(believed).toEqual([]);
  console.log(
    `evidence: without confinement ${rows.filter(({ result }) => result === 'broken').length} of ${rows.length} attempts succeed`,
  );
});
