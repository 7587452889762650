import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { withinDeadline } from '@toolwright/machine/host/deadline.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import { childEnvironment } from '@toolwright/machine/host/processes/child-environment.js';
import type { Ended, Running } from '@toolwright/machine/host/processes/processes.js';
import type { McpNeeds } from '../contract/needs.js';
import type { McpProgram } from '../contract/server-config.js';
import { createFloodGate, FLOODED } from './flood-gate.js';
import { mendAnswer } from './mend-answer.js';
import { createMessageLines, TooLong } from './message-lines.js';
import { createTail } from './stderr-tail.js';

/** A server process as a transport, with what failure messages need to know of it. */
export interface StdioTransport extends Transport {
  stderrTail(): string;
  /** The reason the process ended, or why we ended it; null while it lives. */
  ending(): string | null;
  readonly confined: boolean;
  /** Resolves with the first line on standard output that was no message. */
  readonly noise: Promise<string>;
}

export interface StdioOptions {
  alias: string;
  program: McpProgram;
  needs: Pick<McpNeeds, 'confine' | 'processes' | 'environment' | 'workspace' | 'clock'>;
  messageBytes: number;
  signal: AbortSignal;
}

/** A server whose input was closed has this time to end by itself before it gets a signal. */
const QUIET_END_MS = 500;
const GRACE_MS = 1_000;
const CLOSED = 'it closed its standard output';
const KEPT_OUTPUT = { headBytes: 0, tailBytes: 0 };

/** Starts the server. What it writes before `start` is kept. */
export async function startStdioTransport(options: StdioOptions): Promise<StdioTransport> {
  const { alias, program, needs, signal } = options;
  const tail = createTail();
  const inbox = createInbox(options.messageBytes, needs.clock);
  signal.throwIfAborted();
  // The process outlives the signal that bounds its start, so it is given one of its own.
  const life = new AbortController();
  const launch = {
    program: program.command,
    args: program.args,
    directory: program.cwd ?? needs.workspace,
    environment: childEnvironment(needs.environment, { values: program.env }),
  };
  const confined = await needs.confine?.(launch, { alias, program }, signal);
  const release = async (): Promise<void> => confined?.release();
  const running = await needs.processes
    .start(confined?.launch ?? launch, {
      signal: life.signal,
      keepInputOpen: true,
      graceMs: GRACE_MS,
      keep: KEPT_OUTPUT,
      onBytes: (bytes, stream) => (stream === 'stderr' ? tail.add(bytes) : inbox.add(bytes)),
      onEnd: (stream) => void (stream === 'stdout' && inbox.end()),
    })
    .catch(async (error: unknown) => {
      await release();
      throw error;
    });
  void running.ended.then(release);
  if (signal.aborted) {
    await running.stop({ kind: 'shutdown' });
    throw signal.reason;
  }
  return asTransport(running, {
    inbox,
    stderrTail: tail.text,
    confined: confined?.confined ?? false,
    clock: needs.clock,
  });
}

interface Inbox {
  add(bytes: Uint8Array): void;
  /** The server writes nothing any more. */
  end(): void;
  /** Hands over all messages, those that came before included. */
  open(onMessage: (message: JSONRPCMessage) => void, onBroken: (why: string) => void): void;
  readonly noise: Promise<string>;
}

function createInbox(messageBytes: number, clock: Clock): Inbox {
  const gate = createFloodGate(clock);
  const early: JSONRPCMessage[] = [];
  let deliver = (message: JSONRPCMessage): void => void early.push(message);
  let broken: string | null = null;
  let onBroken: (why: string) => void = () => undefined;
  const { noise, heardNoise } = createNoise();
  const breakOff = (why: string): void => {
    if (broken !== null) return;
    broken = why;
    onBroken(why);
  };
  const admit = (): boolean => {
    if (broken !== null) return false;
    if (gate.admit()) return true;
    breakOff(FLOODED);
    return false;
  };
  const lines = createMessageLines(messageBytes, {
    onMessage: (message) => {
      if (!admit()) return;
      const mended = mendAnswer(message);
      if (mended === null) heardNoise(JSON.stringify(message));
      else deliver(mended as unknown as JSONRPCMessage);
    },
    onNoise: (line) => {
      if (admit()) heardNoise(line);
    },
  });
  return {
    noise,
    add(bytes) {
      if (broken !== null) return;
      try {
        lines.add(bytes);
      } catch (error) {
        if (!(error instanceof TooLong)) throw error;
        breakOff(`it flooded its output: ${messageOf(error)}`);
      }
    },
    end: () => breakOff(CLOSED),
    open(onMessage, whenBroken) {
      deliver = onMessage;
      onBroken = whenBroken;
      if (broken !== null) return whenBroken(broken);
      for (const message of early.splice(0)) onMessage(message);
    },
  };
}

function createNoise() {
  let heardNoise: (line: string) => void = () => undefined;
  const noise = new Promise<string>((resolve) => {
    heardNoise = resolve;
  });
  return { noise, heardNoise };
}

interface Wires {
  inbox: Inbox;
  stderrTail(): string;
  confined: boolean;
  clock: Clock;
}

function asTransport(running: Running, { inbox, stderrTail, confined, clock }: Wires): StdioTransport {
  let ending: string | null = null;
  let closing: Promise<void> | null = null;
  const transport: StdioTransport = {
    noise: inbox.noise,
    stderrTail,
    confined,
    ending: () => ending,
    async start() {
      void running.ended.then((ended) => {
        ending ??= describeEnd(ended);
        transport.onclose?.();
      });
      inbox.open(
        (message) => {
          // The library hears notifications a moment later than answers: the last progress would come too late.
          if ('method' in message) transport.onmessage?.(message);
          else queueMicrotask(() => transport.onmessage?.(message));
        },
        async (why) => {
          // A program that ends closes its output first: its status and last words tell more than that.
          if (why === CLOSED) await untilEnded(running, clock);
          ending ??= why;
          void running.stop({ kind: 'limit', message: why });
        },
      );
    },
    async send(message) {
      try {
        await running.write(`${JSON.stringify(message)}\n`);
      } catch (error) {
        // A program that ends at once closes its input first: its status and last words tell more than that.
        await untilEnded(running, clock);
        ending ??= 'it no longer reads its input';
        void running.stop({ kind: 'limit' });
        throw error;
      }
    },
    close: () => (closing ??= endQuietly(running, clock)),
  };
  return transport;
}

function describeEnd({ exitCode, signal, stopped }: Ended): string {
  // The first sentence names the limit and its setting; the rest is advice about commands.
  if (stopped?.kind === 'limit' && stopped.message) return `it was ${stopped.message.split('. ', 1)[0]}`;
  return signal !== null ? `it was ended by ${signal}` : `it ended with status ${exitCode}`;
}

/** A server that sees the end of its input may still save what it has. */
async function endQuietly(running: Running, clock: Clock): Promise<void> {
  running.closeInput();
  await untilEnded(running, clock);
  await running.stop({ kind: 'shutdown' });
}

async function untilEnded({ ended }: Running, clock: Clock): Promise<void> {
  await withinDeadline(ended, { ms: QUIET_END_MS, clock });
}
