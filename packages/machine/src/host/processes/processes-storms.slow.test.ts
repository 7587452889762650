import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive, openTestShell, type TestShell, until } from './fixtures/shell.js';
import { openCappedFile } from './output/capped-file.js';
import type { Ended } from './processes.js';

let shell: TestShell;
afterEach(async () => {
  await shell.processes.end({ kind: 'shutdown' });
  expect(shell.left()).toEqual([]);
});

/** Starts a command, waits until it has started what it wants, cancels, and counts what is left. */
async function cancelled(command: string, expected: number): Promise<{ ended: Ended; before: number }> {
  const controller = new AbortController();
  const running = await shell.start(command, { signal: controller.signal, merge: true, graceMs: 300 });
  await until(async () => (await running.output()).stdout.totalBytes > 0);
  await until(() => shell.left().length >= expected);
  const before = shell.left().length;
  controller.abort({ kind: 'user' });
  return { ended: await running.ended, before };
}

const daemons: [string, string, number][] = [
  ['a setsid daemon', 'setsid sleep 1000 & echo started; wait', 2],
  [
    'a double-forked daemon',
    `perl -MPOSIX -e 'exit if fork; POSIX::setsid(); exit if fork; open STDOUT, ">/dev/null"; sleep 1000'; echo started; sleep 1000`,
    2,
  ],
  [
    'a daemon deaf to TERM',
    `setsid sh -c 'trap "" TERM HUP; while :; do sleep 1; done' & echo started; wait`,
    3,
  ],
  ['sleep 1000 with a held pipe', 'sleep 1000 & echo started; sleep 1000', 2],
  ['a storm of 500 processes', 'for i in $(seq 500); do sleep 1000 & done; echo started; wait', 501],
  [
    'a storm of 150 sessions',
    'for i in $(seq 150); do setsid -f sleep 1000; done; echo started; sleep 1000',
    151,
  ],
];

describe.each([
  ['with a control group where there is one', { asScripts: true }],
  ['with the process table alone', { withoutGroups: true }],
])('%s', (sight, options) => {
  beforeEach(() => {
    shell = openTestShell(options);
  });

  it.each(daemons)('%s is gone after a cancel', async (name, command, expected) => {
    const { ended, before } = await cancelled(command, expected);
    expect(ended).toMatchObject({ stopped: { kind: 'user' }, left: 0 });
    expect(ended.stdout.head).toBe('started\n');
    expect(shell.left()).toEqual([]);
    const told = `stopped by ${ended.stopped?.kind}, ${ended.signal ?? `exit ${ended.exitCode}`}, output ${JSON.stringify(ended.stdout.head)}`;
    console.log(
      `evidence: ${name} (${sight}): ${before} processes before the cancel, ${shell.left().length} after; ${told}`,
    );
  });

  it('nothing escapes while it is being started', async () => {
    const commands = [
      'for i in $(seq 60); do sleep 1000 & done; wait',
      'for i in $(seq 30); do setsid sleep 1000 & done; wait',
      'for i in $(seq 30); do (sleep 1000 &); done; sleep 1000',
    ];
    for (let round = 0; round < 15; round++) {
      const running = await shell.start(commands[round % commands.length] ?? '', { graceMs: 100 });
      await new Promise((resolve) => setTimeout(resolve, round * 4));
      expect(await running.stop({ kind: 'user' })).toMatchObject({ left: 0 });
      expect(shell.left()).toEqual([]);
    }
    console.log(
      `evidence: 15 storms cancelled while they began (${sight}): ${shell.left().length} processes left`,
    );
  });

  it('a flood is cancelled at once, and its beginning and end are kept', async () => {
    const running = await shell.start('yes', { merge: true });
    await until(async () => (await running.output()).stdout.totalBytes > 10_000_000);
    const ended = await running.stop({ kind: 'user' });
    expect(ended.stdout).toMatchObject({ isBinary: false });
    expect(ended.stdout.head.startsWith('y\ny\n')).toBe(true);
    expect(ended.stdout.omittedBytes).toBeGreaterThan(0);
    console.log(
      `evidence: a yes flood (${sight}): ${ended.stdout.totalBytes} bytes came, ${ended.stdout.head.length} kept of the beginning and ${ended.stdout.tail.length} of the end; ${shell.left().length} processes left`,
    );
  });

  it.each([
    ['wrote a title over its environment', '', true],
    ['has no environment at all', 'env -i ', true],
    ['has no environment and was started by a program', 'env -i ', false],
  ])(
    'a daemon that a finished command left is named and ended though it %s',
    async (what, prefix, asScripts) => {
      shell = openTestShell({ ...options, asScripts });
      const ended = await shell.run(
        `${prefix}/usr/bin/perl -MPOSIX -e 'exit if fork; POSIX::setsid(); exit if fork; $0 = "lurker"; sleep 1000' >/dev/null 2>&1; sleep 0.1; echo done`,
      );
      expect(ended).toMatchObject({ exitCode: 0, stopped: null, left: 0 });
      expect(ended.survivors).toHaveLength(1);
      expect(isAlive(ended.survivors[0]?.pid ?? 0)).toBe(false);
      console.log(
        `evidence: a daemon that ${what}, after its command (${sight}): survivors ${JSON.stringify(ended.survivors.map(({ command }) => command))}, ended`,
      );
    },
  );
});

describe('on this machine', () => {
  beforeEach(() => {
    shell = openTestShell();
  });

  it('300 MB of output pass at flat memory, into a file that stays small', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'flood-'));
    const path = join(folder, 'output');
    await shell.run('true');
    const before = process.memoryUsage().rss;
    let most = before;
    const sampling = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 10);
    const file = await openCappedFile({ path, maxBytes: 4_000_000 });
    const ended = await shell.run('yes "a line of output" | head -c 300000000', {
      merge: true,
      onOutput: () => undefined,
      onBytes: (bytes) => file.add(bytes),
    });
    expect(await file.close()).toBeNull();
    clearInterval(sampling);
    expect(ended.stdout.totalBytes).toBe(300_000_000);
    expect(statSync(path).size).toBeLessThanOrEqual(4_000_000);
    const grown = Math.round((most - before) / 1e6);
    expect(grown).toBeLessThan(150);
    console.log(
      `evidence: 300 MB of output: memory grew by ${grown} MB at most, the file has ${statSync(path).size} bytes`,
    );
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['of a script', true],
    ['of a program', false],
  ])('a storm %s meets its bound, where this machine has one', async (_what, asScripts) => {
    shell = openTestShell({ asScripts });
    const { processes: bound } = await shell.processes.limits();
    console.log(`evidence: ${bound.sentence}`);
    if (bound.bound !== 'cgroup') {
      console.log('skipped: no control group can be made here, so there is no bound to meet');
      return;
    }
    const running = await shell.start('for i in $(seq 200); do sleep 1000 & done; wait', {
      merge: true,
      maxProcesses: 40,
    });
    await until(async () =>
      (await running.output()).stdout.head.includes('Resource temporarily unavailable'),
    );
    const most = shell.left().length;
    expect(most).toBeLessThanOrEqual(40);
    const ended = await running.stop({ kind: 'user' });
    console.log(
      `evidence: a storm with a bound of 40 had ${most} processes; the command was told ${JSON.stringify(/fork: .*/.exec(ended.stdout.head)?.[0])}; ${shell.left().length} left`,
    );
  });
});
