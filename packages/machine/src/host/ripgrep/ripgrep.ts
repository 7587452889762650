import type { ChildProcessByStdio } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { messageOf, orNull, ToolError } from '../../base/errors.js';
import { once } from '../../base/once.js';
import { here, type Place } from '../plain-files/place.js';
import { spawn } from '../processes/launch/child-process.js';
import { splitRecords } from './records.js';
import { findRipgrep, type RipgrepOptions } from './ripgrep-program.js';

export interface RipgrepRun {
  /** Arguments after the program name. Foreign text stands only behind `=`, `-e` or `--`. */
  args: readonly string[];
  directory: string;
  signal: AbortSignal;
  /** Ends a record of the output; a newline by default. */
  separator?: 'newline' | 'nul';
  /**
   * Called for each record of standard output, without its separator; return false to stop the run. Invalid UTF-8 is
   * written as `\xNN`.
   */
  onRecord(record: string): boolean | undefined;
  /** Awaited after each piece of the output, of 64 kB at most; nothing is read meanwhile, so that the caller can work in slices. */
  afterPiece?(): Promise<void>;
  /** Called in place of `onRecord` for a record longer than `maxRecordBytes`, with its beginning. */
  onLongRecord?(beginning: string, bytes: number): boolean | undefined;
  /** Default 1 MB. */
  maxRecordBytes?: number;
  /** Bytes of output after which the run is stopped; default 256 MB. */
  maxBytes?: number;
  /** Default one minute. */
  timeoutMs?: number;
  /** Memory that ripgrep may take for itself; default 1 GB. */
  maxMemoryBytes?: number;
}

export interface RipgrepEnd {
  /** 0: matches, 1: none, 2: an error; null when the run was stopped. */
  exitCode: number | null;
  /** The reason the run was stopped before its end, if it was. An abort is thrown instead. */
  stopped: 'caller' | 'bytes' | 'time' | null;
  /** The first 16 kB of standard error at most. */
  stderr: string;
}

export interface Ripgrep {
  /** Throws `signal.reason` on abort, and a `ToolError` when ripgrep is missing or killed. Leaves no process behind. */
  run(run: RipgrepRun): Promise<RipgrepEnd>;
}

const MAX_RECORD_BYTES = 1024 * 1024;
const MAX_BYTES = 256 * 1024 * 1024;
const TIMEOUT_MS = 60_000;
const MAX_STDERR_BYTES = 16 * 1024;
const MAX_MEMORY_BYTES = 1024 * 1024 * 1024;
const PASSED_ENVIRONMENT = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'SystemRoot'];

export function createRipgrep(options: RipgrepOptions = {}): Ripgrep {
  const locate = once(() => findRipgrep(options));
  return {
    async run(run) {
      run.signal.throwIfAborted();
      const found = await locate();
      run.signal.throwIfAborted();
      return runProcess(found, run, options.place);
    },
  };
}

function runProcess(program: string, run: RipgrepRun, place = here): Promise<RipgrepEnd> {
  return new Promise((resolve, reject) => {
    const child = start(program, run, place);
    let stopped: RipgrepEnd['stopped'] = null;
    let failure: unknown;
    const stop = (by: RipgrepEnd['stopped']): void => {
      stopped ??= by;
      child.stdout.destroy();
      child.kill('SIGKILL');
    };
    const fail = (error: unknown): void => {
      failure ??= error;
      stop('caller');
    };
    const endLimits = limitProcess(child.pid, run, { stop, fail });
    const take = createReader(run, stop);
    const guarded = (chunk: Buffer | null): void => {
      if (stopped !== null) return;
      try {
        take(chunk);
      } catch (error) {
        fail(error);
      }
    };
    const reading = run.afterPiece && inTurns(child.stdout, run.afterPiece);
    const read = (chunk: Buffer | null): void =>
      reading ? reading.take(() => guarded(chunk), fail) : guarded(chunk);
    child.stdout.on('data', read).on('end', () => read(null));
    const stderr = keepBeginning(child.stderr);
    child.on('error', (error) => {
      failure ??= new ToolError('failed', `ripgrep (${program}) could not be started: ${messageOf(error)}`);
      if (child.pid === undefined) finish(null);
    });
    child.on('close', (exitCode, killedBy) => {
      if (reading) void reading.end().then(() => finish(exitCode, killedBy));
      else finish(exitCode, killedBy);
    });

    function finish(exitCode: number | null, killedBy?: NodeJS.Signals | null): void {
      endLimits();
      if (stopped === null && killedBy)
        failure ??= new ToolError('failed', `ripgrep was ended by ${killedBy}.`);
      if (run.signal.aborted) reject(run.signal.reason);
      else if (failure !== undefined) reject(failure);
      else resolve({ exitCode: stopped === null ? exitCode : null, stopped, stderr: stderr() });
    }
  });
}

interface Turns {
  /** Takes a piece once the work on the one before is done. */
  take(piece: () => void, fail: (error: unknown) => void): void;
  end(): Promise<void>;
}

/** Pausing alone would not do: what is left in the pipe is handed over at once when the process ends. */
function inTurns(stdout: Readable, work: () => Promise<void>): Turns {
  let last: Promise<void> = Promise.resolve();
  return {
    take(piece, fail) {
      stdout.pause();
      const turn = async (): Promise<void> => {
        piece();
        await work();
        stdout.resume();
      };
      last = last.then(turn).catch(fail);
    },
    end: () => last,
  };
}

interface Stopping {
  stop(by: RipgrepEnd['stopped']): void;
  fail(error: unknown): void;
}

/** Holds a run to its signal, its time and its memory, until the returned function is called. */
function limitProcess(pid: number | undefined, run: RipgrepRun, { stop, fail }: Stopping): () => void {
  const onAbort = (): void => stop('caller');
  run.signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => stop('time'), run.timeoutMs ?? TIMEOUT_MS);
  // Ripgrep reads every .gitignore on its way whole, and one may be a link to a device without end, a pipe or a terminal.
  const endWatch = watchProcess(pid, {
    maxMemoryBytes: run.maxMemoryBytes ?? MAX_MEMORY_BYTES,
    onTooMuchMemory: () => fail(tookTooMuch()),
    onWait: () => fail(waitsForNobody()),
  });
  return () => {
    clearTimeout(timer);
    endWatch();
    run.signal.removeEventListener('abort', onAbort);
  };
}

function tookTooMuch(): ToolError {
  return new ToolError(
    'too_large',
    'ripgrep was stopped because it took too much memory. A .gitignore that is a link to something endless does that, and so does a line of many megabytes. Name a narrower path, or set include_ignored to leave the ignore files unread.',
  );
}

function waitsForNobody(): ToolError {
  return new ToolError(
    'failed',
    'ripgrep was stopped because it waited for something to be written. A .gitignore that is a pipe or a terminal does that. Remove it, name a narrower path, or set include_ignored to leave the ignore files unread.',
  );
}

/**
 * Starts ripgrep in our own session, unlike commands: it starts no programs, so killing it is enough, and a session of
 * its own would make the system divide processor time between it and us, which slows both.
 */
function start(
  program: string,
  run: RipgrepRun,
  place: Place,
): ChildProcessByStdio<null, Readable, Readable> {
  const { directory } = run;
  const args = ['--no-config', ...run.args];
  // Ripgrep wants to know the path of its folder, and reads ignore files of the folders above it.
  const inside = place.enter({ program, args, directory, environment: {}, onlyReads: true });
  return spawn(inside.program, inside.args, {
    cwd: inside.directory,
    env: Object.fromEntries(PASSED_ENVIRONMENT.map((name) => [name, process.env[name]])),
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
}

/** Passes records on until the caller or the byte limit stops the run. */
function createReader(run: RipgrepRun, stop: (by: RipgrepEnd['stopped']) => void) {
  const split = splitRecords({
    separator: run.separator === 'nul' ? '\0' : '\n',
    maxBytes: run.maxRecordBytes ?? MAX_RECORD_BYTES,
    onRecord: run.onRecord,
    onLongRecord: run.onLongRecord,
  });
  let received = 0;
  return (chunk: Buffer | null): void => {
    if (!split(chunk)) stop('caller');
    received += chunk?.length ?? 0;
    if (received > (run.maxBytes ?? MAX_BYTES)) stop('bytes');
  };
}

function keepBeginning(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    if (length < MAX_STDERR_BYTES) chunks.push(chunk.subarray(0, MAX_STDERR_BYTES - length));
    length += chunk.length;
  });
  return () => Buffer.concat(chunks).toString();
}

/** Limits of a process that only reads files. Where the system doesn't show what a process does, neither callback is called. */
interface WatchOptions {
  /** Memory the process may take for itself; mapped files don't count. */
  maxMemoryBytes: number;
  onTooMuchMemory(): void;
  /** Called once a thread waits for someone to write: one of the files is a pipe or a terminal. */
  onWait(): void;
}

const MEMORY_CHECK_MS = 50;
const WAIT_CHECK_MS = 500;

/** Kernel functions a thread sleeps in until the other side of a pipe opens or writes, or somebody types. */
const waits = new Set(['wait_for_partner', 'fifo_open', 'pipe_read', 'anon_pipe_read', 'n_tty_read']);

/** Watches a process until the returned function is called. */
function watchProcess(pid: number | undefined, options: WatchOptions): () => void {
  if (pid === undefined) return () => undefined;
  let waitedBefore: string[] = [];
  const timers = [
    setInterval(() => {
      if (ownMemory(pid) > options.maxMemoryBytes) options.onTooMuchMemory();
    }, MEMORY_CHECK_MS),
    setInterval(() => {
      const waiting = waitingThreads(pid);
      // Twice in a row: a pipe that somebody writes to is read at once.
      if (waiting.some((thread) => waitedBefore.includes(thread))) options.onWait();
      waitedBefore = waiting;
    }, WAIT_CHECK_MS),
  ];
  for (const timer of timers) timer.unref();
  return () => timers.forEach(clearInterval);
}

function ownMemory(pid: number): number {
  const status = orNull(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? '';
  return Number(/^RssAnon:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

function waitingThreads(pid: number): string[] {
  const isWaiting = (thread: string): boolean =>
    waits.has(readFileSync(`/proc/${pid}/task/${thread}/wchan`, 'utf8').trim());
  return orNull(() => readdirSync(`/proc/${pid}/task`).filter(isWaiting)) ?? [];
}

/** Tells every file below a folder, hidden and ignored ones too, until `onFile` gives false. */
export type EveryFile = (
  folder: string,
  signal: AbortSignal,
  onFile: (path: string) => boolean,
) => Promise<void>;

export function everyFileOf(ripgrep: Pick<Ripgrep, 'run'>): EveryFile {
  return async (folder, signal, onFile) => {
    const args = ['--files', '--null', '--hidden', '--no-ignore', '--no-messages'];
    const onRecord = (name: string): boolean => onFile(join(folder, name));
    await ripgrep.run({ args, directory: folder, signal, separator: 'nul', onRecord });
  };
}
