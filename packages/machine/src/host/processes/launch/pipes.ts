import { closeSync, constants, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeShortLivedFolder } from '../../leases/owned-folder.js';
import { runOwnProgram } from './child-process.js';

/** Both ends of a true pipe. */
export interface PipeEnds {
  readEnd: number;
  writeEnd: number;
}

/**
 * Node joins children by sockets, and those are no files: `tee /dev/stderr` fails on them, and bash takes one for a login from
 * afar and reads the user's start-up file. So pipes are made from the names that `mkfifo` gives, some at a time, and the
 * names are gone before anything runs.
 */
export interface Pipes {
  /** Makes some when there are none. */
  prepare(): Promise<void>;
  /** Null where there are none; Node's sockets then have to do. */
  take(): Promise<PipeEnds | null>;
  /** Closes those that were not taken. */
  close(): void;
}

const AT_A_TIME = 24;
/** A smaller stock for systems that allow few descriptors, because others need some too. */
const FEW_AT_A_TIME = 4;
const FEW_DESCRIPTORS = 256;
/** The supply that is too small: with fewer pipes left, more are made while the command runs. */
const FEW = 4;
const LIMIT_MS = 5_000;

/** Bun and Deno open no socket on a descriptor (the first loses what comes through it, the second throws), nor hand one over. */
export const isNode = process.versions['bun'] === undefined && !('Deno' in globalThis);
const canReadPipes = isNode && process.platform !== 'win32';

export function createPipes(): Pipes {
  const stock: PipeEnds[] = [];
  let making: Promise<void> | undefined;
  let isClosed = false;
  const refill = (): Promise<void> => {
    making ??= makePipes().then((made) => {
      if (isClosed) for (const ends of made) closeEnds(ends);
      else stock.push(...made);
      making = undefined;
    });
    return making;
  };
  const prepare = async (): Promise<void> => {
    isClosed = false;
    if (stock.length === 0 && canReadPipes) await refill();
  };
  return {
    prepare,
    async take() {
      await prepare();
      const taken = stock.pop() ?? null;
      // The stock is refilled once the command has started: to start `mkfifo` takes longer than all else before it.
      if (taken && stock.length < FEW) setImmediate(() => void refill());
      return taken;
    },
    close() {
      isClosed = true;
      for (const ends of stock.splice(0)) closeEnds(ends);
    },
  };
}

export function closeEnds({ readEnd, writeEnd }: PipeEnds): void {
  closeSync(readEnd);
  closeSync(writeEnd);
}

async function makePipes(): Promise<PipeEnds[]> {
  const made: PipeEnds[] = [];
  let folder: string | undefined;
  try {
    const inside = makeShortLivedFolder();
    folder = inside;
    const names = Array.from({ length: most() }, (_, index) => `pipe-${index}`);
    await makeNames(names.map((name) => join(inside, name)));
    for (const name of names) {
      // The end that reads comes first and does not wait for the other; the one that writes then finds it there.
      const readEnd = openSync(join(inside, name), constants.O_RDONLY | constants.O_NONBLOCK);
      made.push({ readEnd, writeEnd: openSync(join(inside, name), constants.O_WRONLY) });
    }
  } catch {
    // No room, no `mkfifo`, or no more descriptors: what there is has to do.
  } finally {
    if (folder) removeNames(folder, made);
  }
  return made;
}

/** Listing the folder takes a descriptor: where there are no more, one of the pipes gives up its own. */
function removeNames(folder: string, made: PipeEnds[]): void {
  for (;;) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch {
      const spare = made.pop();
      // The next start removes folders that nobody owns any more.
      if (!spare) return;
      closeEnds(spare);
    }
  }
}

function most(): number {
  return allowedDescriptors() < FEW_DESCRIPTORS ? FEW_AT_A_TIME : AT_A_TIME;
}

function allowedDescriptors(): number {
  try {
    const [, allowed] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return Number(allowed ?? FEW_DESCRIPTORS);
  } catch {
    return FEW_DESCRIPTORS;
  }
}

async function makeNames(paths: string[]): Promise<void> {
  const { failure } = await runOwnProgram('mkfifo', ['-m', '600', ...paths], { deadlineMs: LIMIT_MS });
  if (failure) throw failure;
}
