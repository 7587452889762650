import type { Clock } from '../host.js';
import { type Entry, pictureOf } from './entry.js';
import type { Readiness, ReadyWhen } from './jobs.js';
import { createLineFinder } from './line-finder.js';

const LOOK_MS = 100;
const CONNECT_MS = 500;
const WHOLE_LOG_BYTES = 64 * 1024 * 1024;

export async function untilReady(entry: Entry, when: ReadyWhen, clock: Clock): Promise<Readiness> {
  const lines = await watchLines(entry, when.line);
  try {
    for (let waited = 0; ; waited += LOOK_MS) {
      when.signal.throwIfAborted();
      const line = lines.found();
      if (line !== null) return { ready: true, by: 'line', line };
      if (when.port !== undefined && (await listensOn(entry, when.port)))
        return { ready: true, by: 'port', port: when.port };
      const because = whyNot(entry, waited >= when.timeoutMs);
      if (because !== null) return { ready: false, because, job: await pictureOf(entry) };
      await clock.sleep(LOOK_MS, when.signal);
    }
  } finally {
    lines.stop();
  }
}

function whyNot(entry: Entry, isTooLate: boolean): 'ended' | 'waiting' | 'timeout' | null {
  if (entry.ended) return 'ended';
  if (entry.running.blocked()) return 'waiting';
  return isTooLate ? 'timeout' : null;
}

/** What was printed before counts as well as what comes. */
async function watchLines(
  entry: Entry,
  wanted: string | undefined,
): Promise<{ found(): string | null; stop(): void }> {
  if (wanted === undefined) return { found: () => null, stop: () => undefined };
  let line: string | null = null;
  const inNew = createLineFinder(wanted);
  const stop = entry.running.watch((bytes) => {
    line ??= inNew(bytes);
  });
  const { bytes } = await entry.log.read(0, WHOLE_LOG_BYTES);
  line ??= createLineFinder(wanted)(bytes);
  return { found: () => line, stop };
}

/** The job itself, not some other program that has had the port all along; where that can't be seen, anyone. */
async function listensOn(entry: Entry, port: number): Promise<boolean> {
  const ports = await entry.running.ports();
  if (ports !== null) return ports.includes(port);
  return (await answers('127.0.0.1', port)) || (await answers('::1', port));
}

async function answers(host: string, port: number): Promise<boolean> {
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const finish = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(CONNECT_MS, () => finish(false));
    socket.once('connect', () => finish(true)).once('error', () => finish(false));
  });
}
