import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, orNull } from '../../base/errors.js';
import { removeTree } from '../leases/owned-folder.js';
import type { StandIn } from '../processes/processes.js';
import type { CopyMarks } from './copy-trees.js';
import {
  type CommandLine,
  type HeldMounts,
  holdMounts,
  type Namespace,
  signalTo,
  stoppedAt,
  systemProgram,
} from './held-mounts.js';

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
  /** For a plain copy: the state of each entry when it was made. */
  marks?: CopyMarks;
}

/** An overlay over each root, which one command sees and nobody else. It is gone with the command and `release`. */
export interface Overlay {
  /** True when a folder that was there before can be renamed; else programs get EXDEV and must copy. */
  readonly followsRenames: boolean;
  /** The namespaces that a command inside has for itself; none for a plain copy. */
  readonly namespaces: readonly Namespace[];
  /** For a plain copy: the folders that a sandbox must show in place of the roots. */
  readonly standIns?: readonly StandIn[];
  /** The command line that makes the overlay, waits until it is held, and starts another one inside. */
  around(command: CommandLine, options: InsideOptions): CommandLine;
  /** Waits for the overlay and takes hold of it, so that the command can begin. Null when it ended before that. */
  hold(ended: Promise<unknown>, signal: AbortSignal): Promise<OverlayRoot[] | null>;
  /** Why there was no overlay, as part of a sentence, from what the command line printed. */
  problem(printed: string): string;
  /** The command line that starts another one inside a lasting overlay, while it is held. */
  enter(command: CommandLine, options: InsideOptions): CommandLine;
  /** Gives up the hold on the overlay. What was changed stays in the upper folders. */
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

/** A way to get the rights that a mount needs. */
interface MountRights {
  unshare: readonly string[];
  /** The namespaces that other processes must enter. */
  namespaces: readonly Namespace[];
  /** Does the kernel follow renamed folders? Only where users can't reach the marks it makes for that. */
  followsRenames(sameDevice: boolean): boolean;
  options: readonly string[];
  /** Command that restores the user's identity for a command without a sandbox. */
  identity: readonly string[];
}

const asRoot: MountRights = {
  unshare: [],
  namespaces: ['mount'],
  followsRenames: (sameDevice) => sameDevice,
  options: ['index=off'],
  identity: [],
};

function asUser(): MountRights {
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  return {
    unshare: ['--user', '--map-root-user'],
    namespaces: ['user', 'mount'],
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

/** Prepares an overlay for one command, or a lasting one. */
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
  #held: HeldMounts | null = null;
  #unseen: string | null = null;

  constructor(
    private readonly options: OverlayOptions,
    private readonly way: MountRights,
    readonly followsRenames: boolean,
  ) {}

  get namespaces(): readonly Namespace[] {
    return this.way.namespaces;
  }

  around(command: CommandLine, inside: InsideOptions): CommandLine {
    const { folder, roots, over, lasting } = this.options;
    const mountOptions = [
      ...this.way.options,
      // A volatile overlay does not wait for the disk: after a crash nobody looks at it again.
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
      // While its namespace is held the kernel tells the true paths of what is in the overlay, and others can enter.
      const held = holdMounts(pid, { folders: roots, namespaces: lasting ? this.way.namespaces : [] });
      this.#held = held;
      signalTo(pid, 'SIGCONT');
      return roots.map((lower, index) => ({
        lower,
        below: over?.at(lower) ?? lower,
        upper: join(folder, `upper-${index}`),
        merged: held.paths[index]!,
      }));
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
    if (!this.#held) throw new Error('nobody holds the overlay');
    return this.#held.enter(this.#words(command, inside), inside.directory);
  }

  release(): void {
    this.#held?.release();
    this.#held = null;
  }

  #words({ program, args }: CommandLine, { confined }: InsideOptions): string[] {
    return [...(confined ? [] : this.way.identity), program, ...args];
  }
}

/** Root of a container's user namespace is not true root: the marks that follow renames are out of its reach too. */
function isTrueRoot(): boolean {
  const map = orNull(() => readFileSync('/proc/self/uid_map', 'utf8')) ?? '';
  return process.getuid?.() === 0 && /^\s*0\s+0\s+4294967295\s*$/.test(map);
}

/** Makes the layers of an overlay. The topmost folder of the upper layer is what the root looks like from inside. */
function makeLayers(folder: string, number: number, root: string): void {
  const upper = join(folder, `upper-${number}`);
  const { mode, uid, gid } = statSync(root);
  // A lasting overlay has its layers from the second time on.
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
