import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { isNodeError, messageOf, orNull } from '../../base/errors.js';
import { removeTree } from '../leases/owned-folder.js';
import type { StandIn } from '../processes/processes.js';
import { isInside } from '../workspace.js';
import type { CopyMarks } from './copy-trees.js';

/** A root with the overlay over it. */
export interface OverlayRoot {
  /** The folder itself, absolute and real, which the overlay leaves as it is. */
  lower: string;
  /** A path to what the folder holds without this overlay: the folder itself, or the view that the overlay lies over. */
  below: string;
  /** The folder that receives the changes. */
  upper: string;
  /** A path into what the command inside sees; good from `hold` to `release`, also after the command has ended. */
  merged: string;
  /** Where the folder stands as a plain copy instead: what each entry was like when that was made. */
  marks?: CopyMarks;
}

/** A program with its arguments. */
export interface CommandLine {
  program: string;
  args: readonly string[];
}

/** An overlay over each root, which one command sees and nobody else. It is gone with the command and `release`. */
export interface Overlay {
  /** True when a folder that was there before can be renamed; else programs get EXDEV and must copy. */
  readonly followsRenames: boolean;
  /** Where it is no overlay but a plain copy: the folders that a sandbox must show in place of the roots. */
  readonly standIns?: readonly StandIn[];
  /** The command line that makes the overlay, waits until it is held, and starts another one inside. */
  around(command: CommandLine, options: InsideOptions): CommandLine;
  /** Waits for the overlay and takes hold of it, so that the command can begin. Null when it ended before that. */
  hold(ended: Promise<unknown>, signal: AbortSignal): Promise<OverlayRoot[] | null>;
  /** Why there was no overlay, as part of a sentence, from what the command line printed. */
  problem(printed: string): string;
  /** The command line that starts another one inside a lasting overlay, while it is held. */
  enter(command: CommandLine, options: InsideOptions): CommandLine;
  /** Lets go. What was changed stays in the upper folders. */
  release(): void;
}

export interface InsideOptions {
  directory: string;
  /** The command brings a sandbox that decides itself who it runs as. */
  confined: boolean;
}

export interface OverlayOptions {
  /** A folder of our own, on a file system that can hold an upper layer. */
  folder: string;
  /** Folders to lay an overlay over; none inside another. */
  roots: readonly string[];
  /** Index among the ways known here, the best one first. */
  way: number;
  /** The layers outlive the process, and the folder may hold them already. */
  lasting?: boolean;
  /** A lasting overlay over the same roots, which this one lies over. */
  over?: OverlayBelow;
}

/** A lasting overlay as another one that lies over it sees it. */
export interface OverlayBelow {
  folder: string;
  /** A path into what it shows of a root. */
  at(path: string): string;
}

/**
 * Mounts the overlays, writes its pid, and stops until we hold the mounts open; then it becomes the command. Paths
 * come as arguments or open descriptors, never inside the option string, where a comma or a colon would end them.
 */
const MOUNT_AND_BECOME = `
stage=$1 mount=$2 options=$3 directory=$4 over=$5 count=$6
shift 6
exec 9<"$stage"
number=0
lower=.
[ -z "$over" ] || exec 8<"$over" || exit 1
while [ "$number" -lt "$count" ]; do
  cd "$1" || exit 1
  [ -z "$over" ] || lower="/proc/self/fd/8/upper-$number:."
  layers="lowerdir=$lower,upperdir=/proc/self/fd/9/upper-$number,workdir=/proc/self/fd/9/work-$number"
  LC_ALL=C "$mount" -n -t overlay overlay -o "$layers,$options" "$1" || exit 1
  shift
  number=$((number + 1))
done
exec 8<&- 9<&-
echo $$ > "$stage/pid"
kill -STOP $$
cd "$directory" && exec "$@"
`;

/** Whoever enters a mount namespace starts at its top. */
const GO_AND_BECOME = 'cd "$1" && shift && exec "$@"';

/** A way to get the rights that a mount needs. */
interface MountRights {
  unshare: readonly string[];
  /** Does the kernel follow renamed folders? Only where users can't reach the marks it makes for that. */
  followsRenames(sameDevice: boolean): boolean;
  options: readonly string[];
  /** Command that restores the user's identity for a command without a sandbox. */
  identity: readonly string[];
}

const asRoot: MountRights = {
  unshare: [],
  followsRenames: (sameDevice) => sameDevice,
  options: ['index=off'],
  identity: [],
};

function asUser(): MountRights {
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  return {
    unshare: ['--user', '--map-root-user'],
    followsRenames: () => false,
    options: ['userxattr', 'index=off'],
    identity: [systemProgram('unshare'), '--user', `--map-user=${user}`, `--map-group=${group}`, '--'],
  };
}

/** The rights to mount with, best first; none but on Linux. */
function mountRights(): MountRights[] {
  if (process.platform !== 'linux') return [];
  return isTrueRoot() ? [asRoot, asUser()] : [asUser()];
}

/** The number of ways to an overlay that are worth a try on this system. */
export function countOverlayWays(): number {
  return mountRights().length;
}

/** One overlay for one command, or a lasting one. */
export function prepareOverlay(options: OverlayOptions): Overlay {
  const { folder, roots } = options;
  const way = mountRights()[options.way];
  if (!way) throw new Error(`there is no way ${options.way} to an overlay`);
  for (const [index, root] of roots.entries()) makeLayers(folder, index, root);
  rmSync(join(folder, 'pid'), { force: true });
  const device = statSync(folder).dev;
  return new PreparedOverlay(
    options,
    way,
    way.followsRenames(roots.every((root) => statSync(root).dev === device)),
  );
}

class PreparedOverlay implements Overlay {
  readonly #descriptors: number[] = [];
  /** Options by which `nsenter` finds a lasting overlay. */
  #namespaces: string[] = [];
  #held: OverlayRoot[] = [];
  #unseen: string | null = null;

  constructor(
    private readonly options: OverlayOptions,
    private readonly way: MountRights,
    readonly followsRenames: boolean,
  ) {}

  around(command: CommandLine, inside: InsideOptions): CommandLine {
    const { folder, roots, over, lasting } = this.options;
    const mountOptions = [
      ...this.way.options,
      // Without waiting for the disk: after a crash nobody looks at it again.
      ...(lasting ? [] : ['volatile']),
      ...(this.followsRenames ? ['redirect_dir=on'] : []),
    ].join(',');
    const layers = [folder, systemProgram('mount'), mountOptions, inside.directory, over?.folder ?? ''];
    const mounting = [...layers, String(roots.length), ...roots];
    return {
      program: systemProgram('unshare'),
      args: [
        ...this.way.unshare,
        ...['--mount', '--propagation', 'private', '--'],
        ...['/bin/sh', '-c', MOUNT_AND_BECOME, 'sh', ...mounting, ...this.#words(command, inside)],
      ],
    };
  }

  async hold(ended: Promise<unknown>, signal: AbortSignal): Promise<OverlayRoot[] | null> {
    const { folder, roots, over, lasting } = this.options;
    const pid = await stoppedAt(join(folder, 'pid'), ended, signal);
    if (pid === null) return null;
    try {
      this.#held = roots.map((lower, index) =>
        openRoot(
          { pid, lower, below: over?.at(lower) ?? lower, upper: join(folder, `upper-${index}`) },
          this.#descriptors,
        ),
      );
      // While its namespace is held the kernel tells the true paths of what is in the overlay, and others can enter.
      if (lasting) this.#namespaces = holdNamespaces(pid, this.way, this.#descriptors);
      signalTo(pid, 'SIGCONT');
      return this.#held;
    } catch (error) {
      // Nothing may run inside unless we can look at it.
      this.#unseen = `what happens in an overlay can't be seen here (${messageOf(error)})`;
      signalTo(pid, 'SIGKILL');
      return null;
    }
  }

  problem(printed: string): string {
    return this.#unseen ?? explain(printed);
  }

  enter(command: CommandLine, inside: InsideOptions): CommandLine {
    const { directory } = inside;
    const root = this.#held.find(({ lower }) => isInside(directory, lower));
    // By a path that leads into the overlay from outside it takes no shell to go there.
    const going = root
      ? [`--wd=${root.merged}/${relative(root.lower, directory)}`, '--']
      : ['--', '/bin/sh', '-c', GO_AND_BECOME, 'sh', directory];
    const args = [...this.#namespaces, ...going, ...this.#words(command, inside)];
    return { program: systemProgram('nsenter'), args };
  }

  release(): void {
    for (const descriptor of this.#descriptors.splice(0)) closeSync(descriptor);
  }

  #words({ program, args }: CommandLine, { confined }: InsideOptions): string[] {
    return [...(confined ? [] : this.way.identity), program, ...args];
  }
}

/** Root of a container's user namespace is not true root: the marks that follow renames are out of its reach too. */
function isTrueRoot(): boolean {
  return process.getuid?.() === 0 && /^\s*0\s+0\s+4294967295\s*$/.test(textOf('/proc/self/uid_map'));
}

/** Makes the layers of an overlay. The topmost folder of the upper layer is what the root looks like from inside. */
function makeLayers(folder: string, number: number, root: string): void {
  const upper = join(folder, `upper-${number}`);
  const { mode, uid, gid } = statSync(root);
  // Those of a lasting overlay are there from the second time on.
  if (existsSync(upper)) return;
  mkdirSync(join(folder, `work-${number}`), { mode: 0o700, recursive: true });
  mkdirSync(upper);
  if (process.getuid?.() === 0) chownSync(upper, uid, gid);
  chmodSync(upper, mode & 0o7777);
}

/** True where a folder holds the layers of a lasting overlay. */
export function holdsLayers(folder: string): boolean {
  return existsSync(join(folder, 'upper-0'));
}

export async function removeLayers(folder: string, count: number): Promise<void> {
  for (let number = 0; number < count; number++)
    for (const layer of ['upper', 'work']) await removeTree(join(folder, `${layer}-${number}`));
}

/** An open folder keeps its mount alive, even after the last process inside has ended. */
function openRoot(
  { pid, ...root }: Omit<OverlayRoot, 'merged'> & { pid: number },
  descriptors: number[],
): OverlayRoot {
  const descriptor = openSync(`/proc/${pid}/root${root.lower}`, constants.O_RDONLY | constants.O_DIRECTORY);
  descriptors.push(descriptor);
  // Not `/proc/self`: programs that we start are told such paths too.
  return { ...root, merged: `/proc/${process.pid}/fd/${descriptor}` };
}

/** Holds the namespaces of the process that mounted. Gives the options by which `nsenter` finds them. */
function holdNamespaces(pid: number, { unshare }: MountRights, descriptors: number[]): string[] {
  const isUsers = unshare.includes('--user');
  const names = isUsers ? (['user', 'mnt'] as const) : (['mnt'] as const);
  const options = names.map((name) => {
    const descriptor = openSync(`/proc/${pid}/ns/${name}`, constants.O_RDONLY);
    descriptors.push(descriptor);
    return `--${name === 'mnt' ? 'mount' : name}=/proc/${process.pid}/fd/${descriptor}`;
  });
  return isUsers ? [...options, '--preserve-credentials'] : options;
}

/** Waits for the process that mounted to stop; null when the run ended or was given up before. */
async function stoppedAt(path: string, ended: Promise<unknown>, signal: AbortSignal): Promise<number | null> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  ended.then(over, over);
  while (!isOver) {
    const pid = Number(textOf(path));
    if (pid > 0 && isStopped(pid)) {
      if (!signal.aborted) return pid;
      // While stopped, it would not receive SIGTERM.
      signalTo(pid, 'SIGCONT');
      return null;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return null;
}

/** The process may just have ended. */
function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!isNodeError(error, 'ESRCH')) throw error;
  }
}

function isStopped(pid: number): boolean {
  const status = textOf(`/proc/${pid}/stat`);
  // `t` while a debugger watches it.
  return /^t/i.test(status.slice(status.lastIndexOf(')') + 2));
}

function textOf(path: string): string {
  return orNull(() => readFileSync(path, 'utf8')) ?? '';
}

/** Programs that get such rights are not looked for in folders where others may put theirs. */
function systemProgram(name: string): string {
  const folders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? name;
}

function explain(printed: string): string {
  const line = printed.trim().split('\n')[0] ?? '';
  if (/unshare failed|uid_map|setgroups/.test(line)) {
    return `this system does not let you make user namespaces (${line})`;
  }
  if (/unknown filesystem type/.test(line)) return 'the kernel has no overlay file system';
  if (/permission denied|not permitted/i.test(line))
    return `mounting an overlay is not permitted here (${line})`;
  return `an overlay can't be mounted here (${line || 'no reason given'})`;
}
