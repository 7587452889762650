import {
  closeSync,
  constants,
  createReadStream,
  fdatasync,
  fstatSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { isNodeError } from '../../base/errors.js';
import { jsonIn } from '../../base/json.js';

/** A file that only grows, one line at a time. */
export interface AppendFile {
  readonly path: string;
  /** Resolves when the line is with the operating system, or on the disk with `sync`. Lines keep the order of the calls. */
  append(line: string, options?: { sync?: boolean }): Promise<void>;
  close(): Promise<void>;
}

const NEWLINE = 0x0a;

/** Opens or creates the file; its folder must exist. A line torn by a crash is closed off, never removed. */
export async function openAppendFile(path: string, mode = 0o600): Promise<AppendFile> {
  const file = openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, mode);
  let torn = endsInsideLine(file);
  let queue: Promise<unknown> = Promise.resolve();

  async function write(line: string, sync: boolean): Promise<void> {
    const bytes = Buffer.from(`${torn ? '\n' : ''}${line}\n`);
    torn = true;
    // The operating system takes a line in less time than it takes to wake a thread for it.
    for (let offset = 0; offset < bytes.length; ) {
      const written = writeSync(file, bytes, offset);
      if (written === 0) throw new Error('the file system takes no more');
      offset += written;
    }
    torn = false;
    if (sync) await flush(file);
  }

  function enqueue(work: () => Promise<void>): Promise<void> {
    const done = queue.then(work);
    queue = done.catch(() => undefined);
    return done;
  }

  return {
    path,
    async append(line, { sync = false } = {}) {
      if (line.includes('\n')) throw new Error('a line of an append-only file must not contain a newline');
      await enqueue(() => write(line, sync));
    },
    close: () => enqueue(async () => closeSync(file)),
  };
}

function endsInsideLine(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] !== NEWLINE;
}

function flush(file: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(file, (error) => (error ? reject(error) : resolve()));
  });
}

export interface JsonLine {
  /** Counted from 1. */
  number: number;
  /** Undefined for a line that is not JSON: torn by a crash. */
  value: unknown;
  text: string;
}

/** The lines of an append-only JSON file; a file that does not exist has none. Empty lines are left out. */
export async function* readJsonLines(path: string, signal?: AbortSignal): AsyncGenerator<JsonLine> {
  let number = 0;
  for await (const text of linesOf(path, signal)) {
    number++;
    if (text !== '') yield { number, value: jsonIn(text), text };
  }
}

/**
 * The lines from a byte on, and the byte to go on from: whoever follows a file that grows reads each line once. A last line
 * that has no end yet waits.
 */
export async function readJsonLinesFrom(
  path: string,
  from: number,
  signal?: AbortSignal,
): Promise<{ values: unknown[]; next: number }> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(path, { start: from, signal })) chunks.push(chunk as Buffer);
  } catch (error) {
    if (isNodeError(error, 'ENOENT')) return { values: [], next: from };
    throw error;
  }
  const bytes = Buffer.concat(chunks);
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  return { values: jsonLinesIn(bytes.subarray(0, end).toString('utf8')), next: from + end };
}

/** The values of JSON lines; undefined for what is none. */
export function jsonLinesIn(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(jsonIn);
}

async function* linesOf(path: string, signal?: AbortSignal): AsyncGenerator<string> {
  const pending: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(path, { signal })) {
      let rest = chunk as Buffer;
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
        yield Buffer.concat([...pending.splice(0), rest.subarray(0, end)]).toString('utf8');
        rest = rest.subarray(end + 1);
      }
      if (rest.length > 0) pending.push(rest);
    }
  } catch (error) {
    if (isNodeError(error, 'ENOENT')) return;
    throw error;
  }
  if (pending.length > 0) yield Buffer.concat(pending).toString('utf8');
}
