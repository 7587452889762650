import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { program } from '../program.js';

/** File systems can only be made by root. */
export const canMakeFaults = process.getuid?.() === 0 && process.platform === 'linux';
if (!canMakeFaults) console.log('evidence: faults: not tried, because file systems can only be made by root');

const NOBODY = 65_534;
/** A limit that only a program that hangs reaches. */
const LIMIT_MS = 60_000;

interface Place {
  home: string;
  workspace: string;
  temporary: string;
  user: number;
}

export interface Fault {
  name: string;
  /** Called when the program has worked here once, unless `early`. */
  prepare(place: Place): void;
  early?: boolean;
  descriptors?: number;
  /** Root may write everywhere. */
  onlyOrdinary?: boolean;
  /** Takes seconds. */
  withDoctor?: boolean;
}

const undo: (() => void)[] = [];

function mount(folder: string, options: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  undo.push(() => execFileSync('umount', ['-l', folder]));
}

/** Puts the content of the folder back on a small disk, so full that nothing more fits. */
function fill(folder: string, user: number): void {
  const copy = mkdtempSync(join(tmpdir(), 'faults-copy-'));
  execFileSync('cp', ['-a', `${folder}/.`, copy]);
  mount(folder, `size=24m,mode=700,uid=${user},gid=${user}`);
  execFileSync('cp', ['-a', `${copy}/.`, folder]);
  rmSync(copy, { recursive: true });
  execFileSync('sh', ['-c', 'dd if=/dev/zero of="$1/filler" bs=4k 2>/dev/null; true', 'sh', folder]);
}

export const faults: readonly Fault[] = [
  {
    name: 'full HOME, first start',
    early: true,
    withDoctor: true,
    prepare: ({ home, user }) => fill(home, user),
  },
  { name: 'full HOME', prepare: ({ home, user }) => fill(home, user) },
  { name: 'full workspace', prepare: ({ workspace, user }) => fill(workspace, user) },
  { name: 'full TMPDIR', prepare: ({ temporary, user }) => fill(temporary, user) },
  { name: '64 descriptors', descriptors: 64, withDoctor: true, prepare: () => undefined },
  { name: '36 descriptors', descriptors: 36, prepare: () => undefined },
  {
    name: 'stage/runs of another user',
    onlyOrdinary: true,
    withDoctor: true,
    prepare({ home, user }) {
      const stage = join(home, '.toolwright/stage');
      mkdirSync(join(stage, 'runs'), { recursive: true, mode: 0o755 });
      execFileSync('chown', ['-R', `${user}:${user}`, join(home, '.toolwright')]);
      chownSync(join(stage, 'runs'), 0, 0);
      chmodSync(stage, 0o700);
    },
  },
  {
    name: 'read-only HOME',
    prepare({ home }) {
      execFileSync('mount', ['--bind', home, home]);
      undo.push(() => execFileSync('umount', ['-l', home]));
      execFileSync('mount', ['-o', 'remount,bind,ro', home]);
    },
  },
];

const tool = (name: string, args: object) => ['tools', 'run', name, '--args', JSON.stringify(args), '-y'];

const calls: [string, string[]][] = [
  ['command', tool('run_shell_command', { command: 'echo more >> b.txt; cat b.txt' })],
  ['write_file', tool('write_file', { file_path: 'a.txt', content: 'changed\n' })],
  ['edit', tool('edit', { file_path: 'c.txt', old_string: 'gamma', new_string: 'delta' })],
  ['search', tool('grep_search', { pattern: 'alpha|changed' })],
  ['prompt', ['--provider', 'offline', '-p', 'read a.txt']],
  ['undo --list', ['undo', '--list']],
  ['sessions', ['sessions', 'list']],
  ['doctor', ['doctor']],
];

interface Said {
  code: number | string | null;
  text: string;
  isStack: boolean;
}

function call(args: string[], place: Place, descriptors: number): Promise<Said> {
  const { PATH = '' } = process.env;
  const asUser = ['--reuid', String(place.user), '--regid', String(place.user), '--clear-groups', '--'];
  const limited = ['bash', '-c', `ulimit -n ${descriptors}; exec "$@"`, 'bash', process.execPath, program];
  const child = spawn('setpriv', [...asUser, ...limited, ...args], {
    cwd: place.workspace,
    env: { PATH, HOME: place.home, TMPDIR: place.temporary, NO_COLOR: '1', LANG: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const all = `${stderr}\n${stdout}`;
      resolve({
        code: code ?? signal,
        text: sentenceOf(stdout, stderr),
        isStack: /^\s+at .*:\d+:\d+\)?$/m.test(all),
      });
    });
  });
}

/** Gives the broken thing, the complaint, or the first line of the answer. */
function sentenceOf(stdout: string, stderr: string): string {
  const broken = stdout.split('\n').filter((line) => line.startsWith('broken'));
  const [line = ''] = [...broken, ...stderr.trim().split('\n'), ...stdout.trim().split('\n')].filter(Boolean);
  return line.replaceAll(/\/tmp\/faults-\w+/g, '…').slice(0, 220);
}

function makePlace(user: number): Place {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'faults-')));
  undo.push(() => rmSync(base, { recursive: true, force: true }));
  const [home, workspace, temporary] = ['home', 'work', 'tmp'].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [home, workspace, temporary]) mkdirSync(folder, { mode: 0o700 });
  for (const [name, text] of [
    ['a.txt', 'alpha\n'],
    ['b.txt', 'beta\n'],
    ['c.txt', 'gamma\n'],
  ])
    writeFileSync(join(workspace, name!), text!);
  execFileSync('chown', ['-R', `${user}:${user}`, base]);
  return { home, workspace, temporary, user };
}

function processesOf(home: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const isOurs = /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(home);
      const isGone = isOurs && / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
      return isOurs && !isGone ? [readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')] : [];
    } catch {
      return [];
    }
  });
}

const users = { root: 0, 'ordinary user': NOBODY } as const;

/** Runs every command with this fault and looks for what was lost or left. */
export async function tryFault(fault: Fault, who: keyof typeof users): Promise<void> {
  onTestFinished(() => {
    for (const step of undo.splice(0).reverse()) step();
  });
  const { name } = fault;
  const user = users[who];
  const place = makePlace(user);
  if (!fault.early) await call(['undo', '--list'], place, 1024);
  fault.prepare(place);
  const lines: string[] = [];
  for (const [label, args] of calls.filter(([label]) => label !== 'doctor' || fault.withDoctor)) {
    const said = await call(args, place, fault.descriptors ?? 1024);
    lines.push(`${label} [${said.code}] ${said.text}`);
    expect(said.code, `${label} hung`).not.toBe('SIGKILL');
    expect(said.isStack, `${label} printed a stack trace: ${said.text}`).toBe(false);
    expect(said.code === 0 || said.text !== '', `${label} failed without a word`).toBe(true);
  }
  console.log(`evidence: fault: ${name} (${who}):\n  ${lines.join('\n  ')}`);
  const textOf = (file: string) => readFileSync(join(place.workspace, file), 'utf8');
  expect(['alpha\n', 'changed\n']).toContain(textOf('a.txt'));
  expect(['beta\n', 'beta\nmore\n']).toContain(textOf('b.txt'));
  expect(['gamma\n', 'delta\n']).toContain(textOf('c.txt'));
  const runs = join(place.home, '.toolwright/stage/runs');
  expect(existsSync(runs) ? readdirSync(runs) : []).toEqual([]);
  expect(
    readdirSync(place.workspace)
      .filter((file) => file !== 'filler')
      .sort(),
  ).toEqual(['a.txt', 'b.txt', 'c.txt']);
  expect(processesOf(place.home)).toEqual([]);
}
