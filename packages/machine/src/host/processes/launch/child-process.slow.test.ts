import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { editText } from '../../editor/edit-text.js';
import { createClock, createIds } from '../../node-host.js';
import { createRipgrep } from '../../ripgrep/ripgrep.js';
import { openState } from '../../state/state.js';
import { openTestShell, type TestShell, until } from '../fixtures/shell.js';
import type { Running } from '../processes.js';
import { runOwnProgram, spawn } from './child-process.js';

/** A shell that has nothing else to do says which descriptors it was given; `ls` has one of its own open meanwhile. */
const RECORD = 'ls -l /proc/$$/fd; :';
const SCREEN = { columns: 80, rows: 24 };
const never = new AbortController().signal;

let folder: string;
let shell: TestShell;
const jobs: Running[] = [];

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'descriptors-')));
  mkdirSync(join(folder, 'state'), { mode: 0o700 });
  shell = openTestShell();
  jobs.push(await shell.start('read -s -p "Password: " word', { terminal: SCREEN, follow: 'tree' }));
});
afterAll(async () => {
  await shell.processes.end({ kind: 'user' });
  rmSync(folder, { recursive: true });
});

function descriptorsIn(text: string): string[] {
  const found = [...text.matchAll(/(\d+) -> (\S+)/g)].filter(
    ([, , target]) => !/^\/proc\/\d+\/fd/.test(target!),
  );
  return found.map(([, number, target]) => (Number(number) < 3 ? number! : `${number} -> ${target}`));
}

/** A program that writes what it was given into a file. */
function recorder(name: string): { program: string; text: () => string } {
  const [program, file] = [join(folder, name), join(folder, `${name}.txt`)];
  writeFileSync(program, `#!/bin/sh\nsh -c '${RECORD}' > '${file}'\n`, { mode: 0o755 });
  return { program, text: () => readFileSync(file, 'utf8') };
}

const ways: [string, () => Promise<string>][] = [
  ['a command', async () => (await shell.run(RECORD)).stdout.head],
  ['a program that reads', async () => (await shell.run(RECORD, { input: 'x' })).stdout.head],
  ['a job', async () => (await shell.run(RECORD, { follow: 'tree' })).stdout.head],
  ['another job on a terminal', async () => (await shell.run(RECORD, { terminal: SCREEN })).stdout.head],
  [
    'a program that starts nothing',
    async () => {
      const { program, text } = recorder('bare');
      await shell.run(program, { startsNothing: true });
      return text();
    },
  ],
  [
    'a program started directly',
    () =>
      new Promise((resolve) => {
        let text = '';
        const child = spawn('sh', ['-c', RECORD], { stdio: ['ignore', 'pipe', 'ignore'] });
        child.stdout.on('data', (bytes: Buffer) => {
          text += bytes.toString();
        });
        child.on('close', () => resolve(text));
      }),
  ],
  [
    'a program that answers',
    async () => (await runOwnProgram('sh', ['-c', RECORD], { deadlineMs: 10_000 })).stdout,
  ],
  [
    'an editor',
    async () => {
      const { program, text } = recorder('editor');
      const [clock, ids] = [createClock(), createIds()];
      const state = openState({ path: join(folder, 'state'), host: { clock, ids } });
      await editText({ state, ids, editor: program, name: 'a.txt', text: '', signal: never });
      return text();
    },
  ],
  [
    'ripgrep',
    async () => {
      const { program, text } = recorder('rg');
      await createRipgrep({ program }).run({
        args: [],
        directory: folder,
        signal: never,
        onRecord: () => true,
      });
      return text();
    },
  ],
];

describe.runIf(process.platform === 'linux')('while a job waits for a password on its terminal', () => {
  it.each(ways)('%s gets the standard descriptors alone', async (name, run) => {
    await until(() => jobs[0]?.blocked() !== null);
    const text = await run();
    const seen = descriptorsIn(text);
    console.log(`evidence: descriptors beside a terminal: ${name.padEnd(32)} ${seen.join(' ')}`);
    expect(seen, text).toEqual(['0', '1', '2']);
  });
});

it('a program of our own ends with its output, its failure or its deadline as data', async () => {
  const run = (script: string, deadlineMs = 10_000) => runOwnProgram('sh', ['-c', script], { deadlineMs });
  expect(await run('echo out; echo err >&2')).toEqual({ failure: null, stdout: 'out\n', stderr: 'err\n' });
  expect(await run('echo so far; exit 3')).toMatchObject({ failure: { code: 3 }, stdout: 'so far\n' });
  expect(await run('sleep 600', 50)).toMatchObject({ failure: { killed: true } });
  expect((await run('yes')).failure?.message).toMatch(/maxBuffer/);
  expect((await runOwnProgram('/no/such/program', [], { deadlineMs: 10_000 })).failure).not.toBeNull();
});
