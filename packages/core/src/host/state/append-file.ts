import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isNodeError } from '../../base/errors.js';

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
  const handle = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, mode);
  let torn = await endsInsideLine(handle);
  let queue: Promise<unknown> = Promise.resolve();

  async function write(line: string, sync: boolean): Promise<void> {
    const bytes = Buffer.from(`${torn ? '\n' : ''}${line}\n`);
    torn = true;
    for (let offset = 0; offset < bytes.length; ) {
      offset += (await handle.write(bytes, offset)).bytesWritten;
    }
    torn = false;
    if (sync) await handle.datasync();
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
    close: () => enqueue(() => handle.close()),
  };
}

async function endsInsideLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== NEWLINE;
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
    if (text !== '') yield { number, value: parseOrUndefined(text), text };
  }
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

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
