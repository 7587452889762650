import { closeSync, constants, existsSync, openSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isNodeError, orNull } from '../../base/errors.js';
import { isInside } from '../workspace.js';

/** A program with its arguments. */
export interface CommandLine {
  program: string;
  args: readonly string[];
}

export type Namespace = 'user' | 'mount';

/** Mounts of another process that live as long as our descriptors on them, also after the last process inside has ended. */
export interface HeldMounts {
  /** Paths into the folders as that process sees them, in the order in which they were named. */
  readonly paths: readonly string[];
  /** The command line that starts another one, given as words, in a folder where it sees the same mounts. */
  enter(words: readonly string[], directory: string): CommandLine;
  release(): void;
}

/** A process that enters a mount namespace starts at its top. */
const GO_AND_BECOME = 'cd "$1" && shift && exec "$@"';

/** Takes hold of what a stopped process sees at some folders, and of namespaces of its own, which others can enter then. */
export function holdMounts(
  pid: number,
  { folders, namespaces }: { folders: readonly string[]; namespaces: readonly Namespace[] },
): HeldMounts {
  const descriptors: number[] = [];
  const release = (): void => {
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
  };
  // The path has our pid instead of `/proc/self`: programs that we start are told such paths too.
  const hold = (path: string, flags: number): string => {
    const descriptor = openSync(path, flags);
    descriptors.push(descriptor);
    return `/proc/${process.pid}/fd/${descriptor}`;
  };
  try {
    const { O_RDONLY, O_DIRECTORY } = constants;
    const paths = folders.map((folder) => hold(`/proc/${pid}/root${folder}`, O_RDONLY | O_DIRECTORY));
    const options = namespaces.map((name) => {
      const file = name === 'mount' ? 'mnt' : name;
      return `--${name}=${hold(`/proc/${pid}/ns/${file}`, O_RDONLY)}`;
    });
    if (namespaces.includes('user')) options.push('--preserve-credentials');
    return {
      paths,
      enter(words, directory) {
        const index = folders.findIndex((folder) => isInside(directory, folder));
        // A path that leads there from outside spares a shell that would go there.
        const going =
          index === -1
            ? ['--', '/bin/sh', '-c', GO_AND_BECOME, 'sh', directory]
            : [`--wd=${paths[index]}/${relative(folders[index]!, directory)}`, '--'];
        return { program: systemProgram('nsenter'), args: [...options, ...going, ...words] };
      },
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Waits for a process to write its number and to stop; null when the run ended or was given up before. */
export async function stoppedAt(
  path: string,
  ended: Promise<unknown>,
  signal: AbortSignal,
): Promise<number | null> {
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
export function signalTo(pid: number, signal: NodeJS.Signals): void {
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
export function systemProgram(name: string): string {
  const folders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? name;
}
