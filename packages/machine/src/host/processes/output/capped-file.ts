import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { messageOf } from '../../../base/errors.js';
import { createRing } from './ring.js';
import { droppedNotice } from './utf8-cuts.js';

export interface CappedFileOptions {
  path: string;
  maxBytes: number;
}

/** A part of everything that was ever written. */
export interface Passage {
  bytes: Buffer;
  /** Position of its first byte, counted in all bytes written; later than asked for when those before were dropped. */
  from: number;
}

/**
 * A log that never grows past its limit: the first bytes stay, then comes a line that says how much was dropped, then the
 * last bytes. Beyond the limit it is rewritten only now and then, so that a flood does not wear the disk.
 */
export interface CappedFile {
  /** A promise when the writer should wait before it goes on. */
  add(bytes: Uint8Array): Promise<void> | null;
  totalBytes(): number;
  /** Reads at most `maxBytes` from a place on. */
  read(from: number, maxBytes: number): Promise<Passage>;
  /** Writes what is due. Gives the problem when the file could not be written as a whole. */
  close(): Promise<string | null>;
}

const TAIL_SHARE = 0.25;
const MOST_TAIL_BYTES = 1024 * 1024;
const MOST_PENDING_BYTES = 1024 * 1024;
const REWRITE_MS = 500;
/** Room for the line between both parts. */
const NOTICE_BYTES = 64;

export async function openCappedFile({ path, maxBytes }: CappedFileOptions): Promise<CappedFile> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const writer = createWriter(await open(path, flags, 0o600));
  const tailBytes = Math.floor(Math.min(maxBytes * TAIL_SHARE, MOST_TAIL_BYTES));
  const headBytes = Math.max(0, maxBytes - tailBytes - NOTICE_BYTES);
  const tail = createRing(tailBytes);
  let total = 0;
  let rewriting: NodeJS.Timeout | null = null;

  function writeTail(): void {
    if (rewriting !== null) clearTimeout(rewriting);
    rewriting = null;
    const kept = tail.bytes();
    const dropped = total - headBytes - kept.length;
    const notice = Buffer.from(droppedNotice(dropped));
    writer.replaceFrom(headBytes, Buffer.concat([notice, kept]));
  }

  return {
    totalBytes: () => total,
    add(bytes) {
      const toHead = Math.max(0, Math.min(headBytes - total, bytes.length));
      if (toHead > 0) writer.put(total, bytes.subarray(0, toHead));
      total += bytes.length;
      if (toHead < bytes.length) {
        tail.add(bytes.subarray(toHead));
        rewriting ??= setTimeout(writeTail, REWRITE_MS).unref();
      }
      return writer.pendingBytes() > MOST_PENDING_BYTES ? writer.settled() : null;
    },
    async read(from, most) {
      const headLength = Math.min(total, headBytes);
      if (from >= headLength) return passageOfTail(tail.bytes(), total, { from, most });
      await writer.settled();
      return { from, bytes: await readFrom(path, from, Math.min(most, headLength - from)) };
    },
    async close() {
      if (rewriting !== null) writeTail();
      return writer.close();
    },
  };
}

/** A passage out of the last bytes; it begins later than asked for where those before were dropped. */
function passageOfTail(tail: Buffer, total: number, { from, most }: { from: number; most: number }): Passage {
  const tailStart = total - tail.length;
  const start = Math.min(Math.max(from, tailStart), total);
  return { from: start, bytes: tail.subarray(start - tailStart).subarray(0, most) };
}

/** Writes in order, one at a time. What can't be written is told at the end; a full disk ends no command. */
function createWriter(handle: FileHandle) {
  let chain: Promise<void> = Promise.resolve();
  let pending = 0;
  let problem: string | null = null;
  let isOpen = true;
  const then = (work: () => Promise<unknown>): void => {
    chain = chain.then(async () => {
      try {
        if (problem === null) await work();
      } catch (error) {
        problem = messageOf(error);
      }
    });
  };
  return {
    pendingBytes: () => pending,
    settled: () => chain,
    put(position: number, bytes: Uint8Array): void {
      pending += bytes.length;
      then(() => writeWhole(handle, bytes, position));
      chain = chain.then(() => void (pending -= bytes.length));
    },
    replaceFrom(position: number, bytes: Uint8Array): void {
      then(async () => {
        await writeWhole(handle, bytes, position);
        await handle.truncate(position + bytes.length);
      });
    },
    async close(): Promise<string | null> {
      if (isOpen) {
        isOpen = false;
        await chain;
        await handle.close();
      }
      return problem;
    },
  };
}

async function readFrom(path: string, from: number, length: number): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await handle.read(bytes, 0, length, from);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function writeWhole(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    if (bytesWritten === 0) throw new Error('the file system takes no more');
    done += bytesWritten;
  }
}
