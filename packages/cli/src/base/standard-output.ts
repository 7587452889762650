import { constants, fstatSync, openSync, type Stats, statSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { exitCodes } from './exit-codes.js';

/** True for a terminal: unlike `isTTY` of the streams of the process this makes no stream to find out. */
export function isTerminal(descriptor: 0 | 1 | 2): boolean {
  const found = look(descriptor);
  if (found === null) return isatty(descriptor);
  return (
    found.isCharacterDevice() &&
    found.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev &&
    isatty(descriptor)
  );
}

function look(descriptor: number): Stats | null {
  try {
    return fstatSync(descriptor);
  } catch {
    return null;
  }
}

type StreamName = 'stdout' | 'stderr';

/** The streams that somebody asked for; Node makes one when it is first looked at, and loads for milliseconds to do so. */
const made = new Map<StreamName, NodeJS.WriteStream>();

/** How standard output is written to while its stream is not made; null: through the stream. */
let direct: Direct | null = null;

interface Direct {
  descriptor: number;
  /** What may still be written without asking whether there is room. */
  bytes: number;
  writes: number;
}

/**
 * Output that can't be written ends the program: silently when nobody reads any more, as after `toolwright … | head`, and
 * with one line when there is no room.
 */
export function endWhenOutputFails(): void {
  for (const name of ['stdout', 'stderr'] as const)
    onceMade(name, (stream) => {
      made.set(name, stream);
      stream.on('error', (error) => endOver(error, name));
    });
  direct = openDirect();
}

function onceMade(name: StreamName, prepare: (stream: NodeJS.WriteStream) => void): void {
  const original = Object.getOwnPropertyDescriptor(process, name);
  if (!original?.get || !original.configurable) {
    prepare(process[name]);
    return;
  }
  Object.defineProperty(process, name, {
    ...original,
    get() {
      Object.defineProperty(process, name, original);
      const stream = process[name];
      prepare(stream);
      return stream;
    },
  });
}

function endOver(error: NodeJS.ErrnoException, name: StreamName): void {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
  // The terminal was closed: the signal that comes with it ends the run in good order.
  if (error.code === 'EIO') return;
  if (name === 'stdout') process.stderr.write(sentenceAbout(error));
  process.exit(exitCodes.failure);
}

function sentenceAbout({ code, message }: NodeJS.ErrnoException): string {
  const why = code === 'ENOSPC' || code === 'EDQUOT' ? 'there is no room for it' : message;
  return `toolwright: The output can't be written: ${why}. Make room, or send it elsewhere.\n`;
}

/** So much goes into an empty pipe or socket of any system, even if nobody reads it. */
const SMALL = { bytes: 4_096, writes: 16 };

/**
 * A file takes whatever comes. A pipe is opened once more in a way that refuses what it has no room for: a slow reader must
 * not stop the program, which listens to Ctrl+C and to the model meanwhile. Where that can't be had, only a little is written.
 */
function openDirect(): Direct | null {
  const found = look(1);
  if (found?.isFile())
    return { descriptor: 1, bytes: Number.POSITIVE_INFINITY, writes: Number.POSITIVE_INFINITY };
  if (found?.isSocket()) return { descriptor: 1, ...SMALL };
  if (!found?.isFIFO()) return null;
  try {
    const descriptor = openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK);
    return { descriptor, bytes: Number.POSITIVE_INFINITY, writes: Number.POSITIVE_INFINITY };
  } catch {
    return { descriptor: 1, ...SMALL };
  }
}

/** Writes to standard output, in the order of the calls and of what was written to the stream before. */
export function writeOutput(text: string): void {
  if (text === '') return;
  if (direct === null || made.has('stdout')) {
    process.stdout.write(text);
    return;
  }
  const bytes = Buffer.from(text);
  const rest = bytes.subarray(writeDirectly(bytes, direct));
  if (rest.length > 0) process.stdout.write(rest);
}

/** Gives the number of bytes that were written; once it is less than all, the rest and what follows is for the stream. */
function writeDirectly(bytes: Buffer, target: Direct): number {
  target.bytes -= bytes.length;
  target.writes -= 1;
  if (target.bytes < 0 || target.writes < 0) return 0;
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(target.descriptor, bytes, written);
  } catch (error) {
    const failure = error as NodeJS.ErrnoException;
    if (failure.code !== 'EAGAIN') endOver(failure, 'stdout');
  }
  return written;
}

/** True while something was given to a stream that its reader has not taken. */
export function hasUnwrittenOutput(): boolean {
  return [...made.values()].some(({ writableLength }) => writableLength > 0);
}
