import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { isNodeError } from '../../base/errors.js';
import {
  type CommandLine,
  type InsideOptions,
  type Overlay,
  OverlayError,
  type OverlayOptions,
  type OverlayRoot,
} from '../staging/overlay.js';

/**
 * Paths come as arguments or as open descriptors, never inside the option string, where a comma or a colon
 * would end them. It lives until its input ends, with us at the latest.
 */
const HOLDER = `
set -e
exec 9<"$1"
options=$2
shift 2
number=0
for root; do
  cd "$root"
  layers="lowerdir=.,upperdir=/proc/self/fd/9/upper-$number,workdir=/proc/self/fd/9/work-$number"
  mount -n -t overlay overlay -o "$layers,$options" "$root"
  number=$((number + 1))
done
cd /
exec 9<&-
echo mounted
read -r end || :
`;

const ENTER = 'cd "$0" && exec "$@"';

/** One way to the rights that a mount needs. */
interface Way {
  unshare: readonly string[];
  enter(pid: number): string[];
  /** Whether the kernel follows renamed folders, which it does only where its marks are out of users' reach. */
  followsRenames(sameDevice: boolean): boolean;
  options: string;
  /** Who a command without a sandbox runs as. */
  identity: readonly string[];
}

const asRoot: Way = {
  unshare: [],
  enter: () => [],
  followsRenames: (sameDevice) => sameDevice,
  options: 'volatile',
  identity: [],
};

function asUser(): Way {
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  return {
    unshare: ['--user', '--map-root-user'],
    enter: (pid) => [`--user=/proc/${pid}/ns/user`, '--preserve-credentials'],
    followsRenames: () => false,
    options: 'userxattr,volatile',
    identity: [programAt('unshare'), '--user', `--map-user=${user}`, `--map-group=${group}`, '--'],
  };
}

/** Which way worked here; tried once. */
let chosen: Way | undefined;

export async function mountLinuxOverlay(options: OverlayOptions): Promise<Overlay> {
  const ways = chosen ? [chosen] : process.getuid?.() === 0 ? [asRoot, asUser()] : [asUser()];
  const problems: string[] = [];
  for (const way of ways) {
    try {
      const overlay = await mountBy(way, options);
      chosen = way;
      return overlay;
    } catch (error) {
      if (!(error instanceof OverlayError)) throw error;
      problems.push(error.message);
    }
  }
  throw new OverlayError(problems.at(-1));
}

async function mountBy(way: Way, { folder, roots, signal }: OverlayOptions): Promise<Overlay> {
  signal.throwIfAborted();
  for (const [number, root] of roots.entries()) makeLayers(folder, number, root);
  const device = statSync(folder).dev;
  const followsRenames = way.followsRenames(roots.every((root) => statSync(root).dev === device));
  const layers = followsRenames ? `${way.options},redirect_dir=on` : way.options;
  const holder = spawn(
    'unshare',
    [
      ...way.unshare,
      '--mount',
      '--propagation',
      'private',
      '--',
      'sh',
      '-c',
      HOLDER,
      'sh',
      folder,
      layers,
      ...roots,
    ],
    { stdio: ['pipe', 'pipe', 'pipe'], env: { PATH: SYSTEM_PATH, LC_ALL: 'C' }, detached: true },
  );
  // Its end is told by `exit`; a pipe that breaks meanwhile is no news.
  holder.stdin.on('error', () => undefined);
  try {
    const pid = await mounted(holder, signal);
    return held({ holder, pid, way, followsRenames, roots: openRoots(pid, folder, roots) });
  } catch (error) {
    await end(holder);
    throw error;
  }
}

/** The topmost folder of the upper layer is what a root looks like from inside. */
function makeLayers(folder: string, number: number, root: string): void {
  const upper = join(folder, `upper-${number}`);
  const { mode, uid, gid } = statSync(root);
  mkdirSync(upper, { recursive: true });
  mkdirSync(join(folder, `work-${number}`), { recursive: true, mode: 0o700 });
  if (process.getuid?.() === 0) chownSync(upper, uid, gid);
  chmodSync(upper, mode & 0o7777);
}

/** Programs that get such rights are not looked for where others may put theirs. */
const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

function programAt(name: string): string {
  const found = SYSTEM_PATH.split(':')
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
  return found ?? name;
}

function mounted(holder: ChildProcess, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    let complaint = '';
    const stop = () => reject(signal.reason);
    const settle = (act: () => void) => {
      signal.removeEventListener('abort', stop);
      act();
    };
    signal.addEventListener('abort', stop, { once: true });
    holder.stderr?.on('data', (text: Buffer) => {
      if (complaint.length < 2_000) complaint += text.toString();
    });
    holder.stdout?.once('data', () => settle(() => resolve(holder.pid!)));
    holder.once('error', (error) => settle(() => reject(new OverlayError(explainStart(error)))));
    holder.once('close', () => settle(() => reject(new OverlayError(explain(complaint)))));
  });
}

function explainStart(error: Error): string {
  return isNodeError(error, 'ENOENT')
    ? 'the program unshare (util-linux) is not installed'
    : `unshare can't be started (${error.message})`;
}

function explain(complaint: string): string {
  const line = complaint.trim().split('\n')[0] ?? '';
  if (/unshare failed|uid_map|setgroups/.test(line)) {
    return `this system does not let you make user namespaces (${line})`;
  }
  if (/unknown filesystem type/.test(line)) return 'the kernel has no overlay file system';
  if (/permission denied|not permitted/i.test(line))
    return `mounting an overlay is not permitted here (${line})`;
  return `an overlay can't be mounted here (${line || 'no reason given'})`;
}

interface Held {
  holder: ChildProcess;
  pid: number;
  way: Way;
  followsRenames: boolean;
  roots: (OverlayRoot & { descriptor: number })[];
}

/** An open folder keeps its mount alive, after the last process inside has ended too. */
function openRoots(pid: number, folder: string, roots: readonly string[]): Held['roots'] {
  const opened: Held['roots'] = [];
  try {
    for (const [number, lower] of roots.entries()) {
      const descriptor = openSync(`/proc/${pid}/root${lower}`, constants.O_RDONLY | constants.O_DIRECTORY);
      const merged = `/proc/self/fd/${descriptor}`;
      opened.push({ lower, upper: join(folder, `upper-${number}`), merged, descriptor });
    }
    return opened;
  } catch (error) {
    for (const { descriptor } of opened) closeSync(descriptor);
    throw error;
  }
}

function held({ holder, pid, way, followsRenames, roots }: Held): Overlay {
  const namespace = readlinkSync(`/proc/${pid}/ns/mnt`);
  let released: Promise<void> | undefined;
  return {
    roots,
    followsRenames,
    inside: (command, options) => enter({ pid, way }, command, options),
    endProcesses: async () => endAllIn(namespace, pid),
    release() {
      released ??= (async () => {
        for (const { descriptor } of roots) closeSync(descriptor);
        await end(holder);
      })();
      return released;
    },
  };
}

function enter(
  { pid, way }: Pick<Held, 'pid' | 'way'>,
  { program, args }: CommandLine,
  { directory, confined }: InsideOptions,
): CommandLine {
  const identity = confined ? [] : way.identity;
  const inside = ['--', '/bin/sh', '-c', ENTER, directory, ...identity, program, ...args];
  return {
    program: programAt('nsenter'),
    args: [`--mount=/proc/${pid}/ns/mnt`, ...way.enter(pid), ...inside],
  };
}

function endAllIn(namespace: string, except: number): void {
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === except || namespaceOf(pid) !== namespace) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (!isNodeError(error, 'ESRCH')) throw error;
    }
  }
}

function namespaceOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return null;
  }
}

async function end(holder: ChildProcess): Promise<void> {
  if (holder.pid === undefined || holder.exitCode !== null || holder.signalCode !== null) return;
  const ended = new Promise((resolve) => holder.once('exit', resolve));
  holder.kill('SIGKILL');
  await ended;
}
