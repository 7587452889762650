import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Socket, type SocketConstructorOpts } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { isNodeError, messageOf, ToolError } from '../../../base/errors.js';
import type { Launch, OnBytes, RunOptions } from '../processes.js';
import { spawn } from './child-process.js';
import { closeEnds, type PipeEnds, type Pipes } from './pipes.js';
import type { OpenedFile, Prepared } from './prepare.js';

export interface SpawnRequest {
  launch: Launch;
  prepared: Prepared;
  environment: Readonly<Record<string, string>>;
  options: RunOptions;
  pipes: Pipes;
  onBytes: OnBytes;
}

interface Streams {
  input: Writable | null;
  outputs: Readable[];
}

/** Starts a program in a session of its own: no terminal to ask at, and a group that can be ended as a whole. */
export async function spawnPiped(request: SpawnRequest): Promise<Spawned> {
  const { launch, prepared, environment, options, onBytes } = request;
  const hasInput = options.input !== undefined || options.keepInputOpen === true;
  const input = hasInput ? await request.pipes.take() : null;
  const isHeard = options.startsNothing !== true;
  const stdout = isHeard ? await request.pipes.take() : null;
  const stderr = !isHeard || (options.merge && stdout) ? stdout : await request.pipes.take();
  const otherwise = isHeard ? 'pipe' : 'ignore';
  const child = spawnOrClose([input, stdout, stderr], () =>
    withOpened(prepared.opened ?? [], (opened) =>
      spawn(prepared.file, prepared.args, {
        cwd: launch.directory,
        env: environment,
        detached: process.platform !== 'win32',
        stdio: [
          hasInput ? (input?.readEnd ?? 'pipe') : options.inheritsInput ? 'inherit' : 'ignore',
          stdout?.writeEnd ?? otherwise,
          stderr?.writeEnd ?? otherwise,
          ...opened,
        ],
        windowsHide: true,
      }),
    ),
  );
  // An end that we keep would keep the pipe from ever ending.
  for (const end of new Set([input?.readEnd, stdout?.writeEnd, stderr?.writeEnd])) {
    if (end !== undefined) closeSync(end);
  }
  const first = stdout ? reader(stdout, (bytes) => onBytes(bytes, 'stdout')) : child.stdout;
  const second =
    stderr === stdout && stdout
      ? null
      : stderr
        ? reader(stderr, (bytes) => onBytes(bytes, 'stderr'))
        : child.stderr;
  const streams: Streams = {
    input: input ? writer(input) : child.stdin,
    outputs: [first, second].filter((stream) => stream !== null),
  };
  const pid = await pidOf(child, streams, launch.program);
  first?.once('end', () => options.onEnd?.('stdout'));
  second?.once('end', () => options.onEnd?.('stderr'));
  connect(child, streams, request);
  return { pid, ...outcomeOf(child, streams), ...controlsOf(streams), terminal: null };
}

function connect(child: ChildProcess, { input, outputs }: Streams, { options, onBytes }: SpawnRequest): void {
  child.stdout?.on('data', (bytes: Buffer) => onBytes(bytes, 'stdout'));
  const source = options.merge ? 'stdout' : 'stderr';
  child.stderr?.on('data', (bytes: Buffer) => onBytes(bytes, source));
  // A program that does not read its input, or is gone before we look, is no failure of ours.
  for (const stream of [...outputs, input]) stream?.on('error', () => undefined);
  if (options.input === undefined) return;
  if (options.keepInputOpen) input?.write(options.input);
  else input?.end(options.input);
}

/** Opens the files anew for each start: programs that share an open file share the place they read at. */
function withOpened<Value>(files: readonly OpenedFile[], use: (descriptors: number[]) => Value): Value {
  const descriptors: number[] = [];
  try {
    for (const { path, flags } of files) descriptors.push(openSync(path, flags));
    return use(descriptors);
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}

/** Node throws for what it refuses to pass on at all, such as a zero byte in an argument. */
function spawnOrClose(pipes: (PipeEnds | null)[], start: () => ChildProcess): ChildProcess {
  try {
    return start();
  } catch (error) {
    for (const ends of new Set(pipes)) if (ends) closeEnds(ends);
    const why = isNodeError(error, 'E2BIG')
      ? 'it is longer than this system takes (E2BIG). Put it into a file, and run that.'
      : messageOf(error);
    throw new ToolError('invalid_params', `This can't be started: ${why}`);
  }
}

/** The size of a pipe. */
const READ_BYTES = 64 * 1024;

/** Reads every piece into the same memory: a buffer per piece of a flood would cost more than reading it. */
function reader({ readEnd }: PipeEnds, onBytes: (bytes: Buffer) => void): Readable {
  const callback = (length: number, memory: Uint8Array): boolean => {
    onBytes((memory as Buffer).subarray(0, length));
    return true;
  };
  const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback };
  // Node's types know `onread` only where a connection is opened.
  const socket = new Socket({
    fd: readEnd,
    readable: true,
    writable: false,
    onread,
  } as SocketConstructorOpts);
  socket.resume();
  return socket;
}

function writer({ writeEnd }: PipeEnds): Writable {
  return new Socket({ fd: writeEnd, readable: false, writable: true });
}

function pidOf(child: ChildProcess, { input, outputs }: Streams, program: string): Promise<number> {
  if (child.pid !== undefined) return Promise.resolve(child.pid);
  return new Promise((_resolve, reject) => {
    child.once('error', (error) => {
      for (const stream of [input, ...outputs]) stream?.destroy();
      reject(new ToolError('failed', `${program} could not be started: ${messageOf(error)}`));
    });
  });
}

function outcomeOf(child: ChildProcess, { outputs }: Streams): Pick<Spawned, 'exited' | 'closed'> {
  const closes = outputs.map((stream) => new Promise<void>((resolve) => void stream.once('close', resolve)));
  return {
    exited: new Promise((resolve) => {
      child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    }),
    closed: Promise.all(closes).then(() => undefined),
  };
}

function controlsOf({ input, outputs }: Streams): Omit<Spawned, 'pid' | 'exited' | 'closed' | 'terminal'> {
  return {
    pause: () => outputs.forEach((stream) => void stream.pause()),
    resume: () => outputs.forEach((stream) => void stream.resume()),
    detach() {
      for (const stream of [input, ...outputs]) stream?.destroy();
    },
    write: (bytes) =>
      new Promise((resolve, reject) => {
        if (!input?.writable) {
          reject(new ToolError('failed', 'The program no longer reads from standard input.'));
          return;
        }
        input.write(bytes, (error) => {
          if (error) reject(new ToolError('failed', `Standard input is closed: ${messageOf(error)}`));
          else resolve();
        });
      }),
    closeInput: () => void input?.end(),
  };
}

/** A process that was just started, with its streams. */
export interface Spawned {
  pid: number;
  exited: Promise<{ exitCode: number | null; signal: string | null }>;
  /** Resolves when the output is complete; not before `exited`, and maybe never while someone holds the pipe. */
  closed: Promise<void>;
  pause(): void;
  resume(): void;
  /** Reads no more. */
  detach(): void;
  write(bytes: string | Uint8Array): Promise<void>;
  closeInput(): void;
  /** The device of its terminal, when it has one. */
  terminal: string | null;
}
