import { readSync } from 'node:fs';
import { constants } from 'node:os';
import type { ReadStream } from 'node:tty';
import { messageOf, orNull, ToolError } from '../../../base/errors.js';
import { findUnmarkedDescriptors, withoutOthersDescriptors } from './child-process.js';
import type { Spawned, SpawnRequest } from './spawn-piped.js';

const END_OF_INPUT = '\x04';
const missing =
  'A pseudo-terminal needs the optional package @lydell/node-pty, which is not installed for this platform. Run the command without a terminal, or reinstall with optional packages.';

type NodePty = typeof import('@lydell/node-pty');

/** Null where the optional package is missing or does not fit this machine. */
export async function loadTerminals(): Promise<NodePty | null> {
  try {
    const loaded: NodePty & { default?: NodePty } = await import('@lydell/node-pty');
    return loaded.default ?? loaded;
  } catch {
    return null;
  }
}

export async function spawnOnTerminal(request: SpawnRequest): Promise<Spawned> {
  const { launch, prepared, environment, options, onBytes } = request;
  const terminals = await loadTerminals();
  if (terminals === null) throw new ToolError('failed', missing);
  const { columns, rows } = options.terminal ?? { columns: 80, rows: 24 };
  let terminal: ReturnType<NodePty['spawn']>;
  try {
    const { file, args } = withoutOthersDescriptors(prepared.file, prepared.args);
    terminal = terminals.spawn(file, args, {
      name: environment['TERM'] ?? 'xterm-256color',
      cols: columns,
      rows,
      cwd: launch.directory,
      env: { ...environment },
      encoding: null,
    });
    // The package leaves its end of the terminal unmarked.
    findUnmarkedDescriptors();
  } catch (error) {
    throw new ToolError('failed', `${launch.program} could not be started: ${messageOf(error)}`);
  }
  readBeforeClose(terminal, (bytes) => onBytes(bytes, 'stdout'));
  // Without an encoding the package gives bytes, though its types say otherwise.
  terminal.onData((data: unknown) => onBytes(Buffer.from(data as Buffer), 'stdout'));
  const exited = new Promise<{ exitCode: number | null; signal: string | null }>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      const name = signalName(signal);
      resolve({ exitCode: name === null ? exitCode : null, signal: name });
    });
  });
  if (options.input !== undefined) terminal.write(Buffer.from(options.input).toString());
  return {
    pid: terminal.pid,
    exited,
    closed: exited.then(() => undefined),
    pause: () => terminal.pause(),
    resume: () => terminal.resume(),
    detach: () => undefined,
    write: async (bytes) => terminal.write(typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString()),
    closeInput: () => terminal.write(END_OF_INPUT),
    terminal: 'ptsName' in terminal && typeof terminal.ptsName === 'string' ? terminal.ptsName : null,
  };
}

/** The stream through which the package reads a terminal, which its types don't name. */
interface TerminalInternals {
  _socket: ReadStream;
  _fd: number;
}

/**
 * The package closes a terminal 200 ms after its program has ended, whether or not all of it was read by then: a loaded
 * machine or a slow listener would lose the end of the output. So what is left is read at that moment.
 */
function readBeforeClose(terminal: object, onBytes: (bytes: Buffer) => void): void {
  const { _socket: socket, _fd: descriptor } = terminal as Partial<TerminalInternals>;
  if (socket === undefined || descriptor === undefined) return;
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => {
    if (socket.destroyed) return destroy(error);
    // Reading also tells those that listen to the stream.
    while (socket.read() !== null);
    for (let reads = 0; reads < MOST_READS; reads++) {
      const bytes = readNow(descriptor);
      if (bytes.length === 0) break;
      onBytes(bytes);
    }
    return destroy(error);
  };
}

/** A number above the reads that a terminal holds; something that was left behind may go on writing for ever. */
const MOST_READS = 64;

/** The bytes that are there without waiting; none at the end. */
function readNow(descriptor: number): Buffer {
  const buffer = Buffer.allocUnsafe(64 * 1024);
  return buffer.subarray(0, orNull(() => readSync(descriptor, buffer)) ?? 0);
}

function signalName(number: number | undefined): string | null {
  if (!number) return null;
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found?.[0] ?? `signal ${number}`;
}
