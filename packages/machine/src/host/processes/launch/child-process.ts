import * as node from 'node:child_process';
import { closeSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { isNodeError, ToolError } from '../../../base/errors.js';

/** Descriptors that the kernel would pass on: inherited ones and terminals. They are looked for before the first program starts. */
let unmarked: number[] | undefined;
let hasProcessToItself = false;

/**
 * For a program that has its process to itself: before it starts another, it closes what it inherited, so that no shell
 * need do so each time.
 */
export function closeInheritedDescriptors(): void {
  hasProcessToItself = true;
}

/** Called after something outside of Node opened descriptors. */
export function findUnmarkedDescriptors(): number[] {
  unmarked = process.platform === 'linux' ? inheritableDescriptors() : [];
  return unmarked;
}

/** The command line that starts another one without the descriptors not meant for it; mostly the same one. */
export function withoutOthersDescriptors(
  file: string,
  args: readonly string[],
  /** Descriptors below this one are handed over on purpose, and replace what is open there. */
  firstOther = STANDARD_ERROR + 1,
): { file: string; args: string[] } {
  const open = openUnmarked().filter((descriptor) => descriptor >= firstOther);
  if (open.length === 0) return { file, args: [...args] };
  const closing = open.map((descriptor) => `${descriptor}>&-`).join(' ');
  // `-p` and `--norc` keep bash from running anything that the environment names.
  const shell = ['--norc', '-p', '-c', `exec ${closing} && exec "$@"`, 'toolwright', file, ...args];
  return { file: shellThatCloses(open), args: shell };
}

function openUnmarked(): number[] {
  if (unmarked === undefined) {
    const inherited = findUnmarkedDescriptors();
    if (hasProcessToItself) for (const descriptor of inherited) closeSync(descriptor);
  }
  unmarked = (unmarked ?? []).filter(isInheritable);
  return unmarked;
}

/** Names a shell that closes these descriptors: only bash can close those above 9. */
function shellThatCloses(open: readonly number[]): string {
  const found = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new ToolError(
    'failed',
    `Toolwright was started with open files (descriptors ${open.join(', ')}) that would reach every program, and bash, which could close them, is not installed. Start Toolwright without them, or install bash.`,
  );
}

/**
 * The only door to Node's functions that start programs. Whatever comes through here has no descriptor above standard
 * error but those it is handed by name: one that is open on a folder would lead out of every sandbox, and one of a terminal would let a program type
 * what only the user may type. Node can't mark a descriptor to be closed, so a shell closes what is not marked.
 */
export const spawn = ((file: string, args: readonly string[], options: node.SpawnOptions) => {
  const handedOver = Array.isArray(options.stdio) ? options.stdio.length : undefined;
  const line = withoutOthersDescriptors(file, args, handedOver);
  const child = node.spawn(line.file, line.args, options);
  // Callers that care add a listener of their own; without any listener Node would end the whole program.
  child.on('error', () => undefined);
  return child;
}) as typeof node.spawn;

export interface OwnProgramOptions {
  deadlineMs: number;
  signal?: AbortSignal;
  /** The whole environment of the program; default: the system's PATH and plain English. */
  environment?: Readonly<Record<string, string>>;
  directory?: string;
}

export interface OwnProgramEnd {
  /** Null when it ended with status 0. */
  failure: Error | null;
  stdout: string;
  stderr: string;
}

const plainEnvironment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
const MOST_OUTPUT_BYTES = 1024 * 1024;

/** Runs a small program of the system for our own use to its end, its deadline or too much output. Failures are data. */
export function runOwnProgram(
  file: string,
  args: readonly string[],
  { deadlineMs, signal, environment = plainEnvironment, directory = '/' }: OwnProgramOptions,
): Promise<OwnProgramEnd> {
  const line = withoutOthersDescriptors(file, args);
  const options = {
    cwd: directory,
    env: environment,
    timeout: deadlineMs,
    // A program that is stopped, such as one whose mounts we are about to hold, receives no other signal.
    killSignal: 'SIGKILL' as const,
    maxBuffer: MOST_OUTPUT_BYTES,
  };
  return new Promise((resolve) => {
    const child = node.execFile(line.file, line.args, options, (failure, stdout, stderr) => {
      signal?.removeEventListener('abort', end);
      resolve({ failure, stdout, stderr });
    });
    // Node's own option for it would send SIGTERM, and not wait for the end.
    const end = (): void => {
      child.kill('SIGKILL');
      // What the program started may hold them open.
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });
}

const CLOSED_BY_EXEC = 0o2000000;
const STANDARD_ERROR = 2;

/**
 * Descriptors above standard error that every started program would inherit. The kernel closes only those marked for
 * it. Node marks its own; of those it inherited, only the first sixteen and what follows without a gap.
 */
function inheritableDescriptors(): number[] {
  const all = readdirSync('/proc/self/fd').map(Number);
  return all.filter((descriptor) => descriptor > STANDARD_ERROR && isInheritable(descriptor));
}

function isInheritable(descriptor: number): boolean {
  try {
    const [, flags = '0'] =
      /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & CLOSED_BY_EXEC) === 0;
  } catch (error) {
    // A descriptor that was closed meanwhile can't be inherited; any other that can't be read may be.
    return !isNodeError(error, 'ENOENT');
  }
}
