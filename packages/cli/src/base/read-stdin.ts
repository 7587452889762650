import { fstatSync, readSync } from 'node:fs';
import { UsageError } from './exit-codes.js';
import { isTerminal } from './standard-output.js';

const MAX_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** True when a user can be asked. */
export function isStdinTerminal(): boolean {
  return isTerminal(0);
}

/** Reads all of standard input as text. */
export async function readStdin(): Promise<string> {
  const atOnce = readWithoutWaiting();
  if (atOnce !== null) return atOnce;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    size += bytes.length;
    if (size > MAX_BYTES) throw tooMuch();
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A file or /dev/null has its answer ready, and a stream would cost more than the whole reading; null for a pipe. */
function readWithoutWaiting(): string | null {
  if (!isAtHand()) return null;
  const chunks: Buffer[] = [];
  for (let size = 0; size <= MAX_BYTES; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const length = readSync(0, chunk, 0, CHUNK_BYTES, null);
    if (length === 0) return Buffer.concat(chunks).toString('utf8');
    chunks.push(chunk.subarray(0, length));
    size += length;
  }
  throw tooMuch();
}

function isAtHand(): boolean {
  try {
    const found = fstatSync(0);
    return found.isFile() || (found.isCharacterDevice() && !isStdinTerminal());
  } catch {
    return false;
  }
}

function tooMuch(): UsageError {
  return new UsageError('Standard input is larger than 64 MB. Put it in a file and name the file.');
}

/** The lines of standard input as they come. */
export async function* stdinLines(): AsyncGenerator<string | typeof tooLong> {
  const decoder = new TextDecoder();
  const line = createLine();
  for await (const chunk of process.stdin) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    const [first = '', ...others] = decoder.decode(bytes, { stream: true }).split('\n');
    line.add(first);
    for (const next of others) {
      yield line.take();
      line.add(next);
    }
  }
  line.add(decoder.decode());
  if (!line.isEmpty()) yield line.take();
}

/** Stands for a line that was not kept. */
export const tooLong = Symbol('a line of more than 64 MB');

function createLine() {
  let pieces: string[] = [];
  let length = 0;
  return {
    isEmpty: () => length === 0,
    add(piece: string): void {
      length += piece.length;
      if (length > MAX_BYTES) pieces = [];
      else pieces.push(piece);
    },
    take(): string | typeof tooLong {
      const line = length > MAX_BYTES ? tooLong : pieces.join('');
      pieces = [];
      length = 0;
      return line;
    },
  };
}

const FIRST_BYTE_MS = 3_000;

/**
 * Text piped into standard input. Beside a prompt it is optional: a pipe that somebody left open without ever writing to it
 * must not hold up the run.
 */
export async function pipedText({ isOptional }: { isOptional: boolean }): Promise<string> {
  if (!isOptional) return readStdin();
  const atOnce = readWithoutWaiting();
  if (atOnce !== null) return atOnce;
  const began = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), FIRST_BYTE_MS);
    const decide = (answer: boolean) => (): void => {
      clearTimeout(timer);
      resolve(answer);
    };
    process.stdin.once('readable', decide(true));
    process.stdin.once('end', decide(true));
    process.stdin.once('error', decide(false));
  });
  if (began) return readStdin();
  process.stdin.destroy();
  process.stderr.write(
    'toolwright: nothing came on standard input for 3 s; continuing without it (use < /dev/null to skip the wait)\n',
  );
  return '';
}

/** Resolves when the parent process closes the pipe; never for a file, a terminal or no standard input. */
export function pipeClosed(): Promise<void> {
  return new Promise((resolve) => {
    if (isAtHand() || isStdinTerminal()) return;
    for (const ending of ['end', 'close', 'error']) process.stdin.once(ending, () => resolve());
    process.stdin.resume();
  });
}
