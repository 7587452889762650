import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asOrdinaryUser } from '@toolwright/machine/host/sandbox/fixtures/ordinary-user.js';
import { expect, test } from 'vitest';
import { promisesHere } from './fixtures/promises-here.js';
import type { PromiseTried } from './try-promises.js';

const module = new URL('./fixtures/promises-here.ts', import.meta.url);
const isRoot = process.getuid?.() === 0;

function print(who: string, rows: readonly PromiseTried[]): void {
  for (const { promise, attempt, result, detail } of rows)
    console.log(`evidence: ${who} | ${promise} | ${attempt} | ${result} (${detail})`);
}

/** What is not there can't be broken, but it is said. */
function expectAllHold(who: string, rows: readonly PromiseTried[]): void {
  print(who, rows);
  expect(rows.length).toBeGreaterThan(25);
  expect(rows.filter(({ result }) => result === 'broken')).toEqual([]);
  const wasTried = rows.some(({ result }) => result !== 'not tried');
  if (wasTried) expect(rows.filter(({ result }) => result === 'holds').length).toBeGreaterThan(20);
}

test('every promise holds for whoever runs the tests, root included', async () => {
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  try {
    expectAllHold(isRoot ? 'root' : 'this user', await promisesHere(home, 'real'));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test('every promise holds for an ordinary user', async () => {
  expectAllHold('ordinary user', await asOrdinaryUser(module, 'promisesHere', 'real'));
});

/** These hold for an ordinary user without any sandbox. */
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
  if (process.platform !== 'linux') return console.log('not tried: the attempts are written for Linux');
  const rows = await asOrdinaryUser<PromiseTried[]>(module, 'promisesHere', 'hollow');
  const believed = rows.filter(({ attempt, result }) => result === 'holds' && !heldAnyway.has(attempt));
  expect(believed).toEqual([]);
  console.log(
    `evidence: without confinement ${rows.filter(({ result }) => result === 'broken').length} of ${rows.length} attempts succeed`,
  );
});
