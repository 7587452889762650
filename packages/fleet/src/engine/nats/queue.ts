import { randomBytes } from 'node:crypto';
import {
  AckPolicy,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  type NextMsgRequest,
  RetentionPolicy,
  type SeqMsgRequest,
  StorageType,
  type StoredMsg,
} from '@nats-io/jetstream';
import { createInbox, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { entryIn, requireEntry } from '../../tasks/is-task.js';
import type { QueueEntry, Task } from '../../tasks/task.js';
import type { Claim, Engine } from '../engine.js';
import { askAgain } from './ask-again.js';

const WAIT_MS = 1_000;
/** The servers say that nothing came; some versions are silent where a lease ends in that moment. */
const SILENT_MS = 500;
/** Servers that are silent for longer, also to a ping, are away. */
const AWAY_MS = 5_000;
/** Tasks that were put off count as claimed for the servers: with a limit they would keep all others from being given out. */
const ANY_NUMBER = -1;
const MOST_WAITING = 20_000;
const REPLICAS = 3;
const AT_ONCE = 500;
const CONSUMER = 'workers';
const NANOSECONDS = 1_000_000;

export interface NatsQueue extends Pick<Engine, 'submit' | 'claim' | 'unfinished' | 'waiting' | 'peek'> {
  /** The number of servers on which everything is kept. */
  replicas: number;
}

interface StreamNeeds {
  connection: NatsConnection;
  /** The stream's name. */
  name: string;
  leaseMs: number;
}

/** A work-queue stream: the time to acknowledge a message is the lease of its task. */
export async function openNatsQueue(
  connection: NatsConnection,
  { fleet, leaseMs }: { fleet: string; leaseMs: number },
): Promise<NatsQueue> {
  const manager = await jetstreamManager(connection);
  const name = `TW_${fleet}`;
  const subject = `tw.${fleet}.q`;
  const needs: StreamNeeds = { connection, name, leaseMs };
  await makeStream(manager, { name, subject, isCluster: connection.info?.cluster !== undefined });
  await made(() =>
    manager.consumers.add(name, {
      durable_name: CONSUMER,
      ack_policy: AckPolicy.Explicit,
      ack_wait: leaseMs * NANOSECONDS,
      max_ack_pending: ANY_NUMBER,
      max_waiting: MOST_WAITING,
    }),
  );
  // An earlier version has made it with a limit.
  const { config: ofConsumer } = await manager.consumers.info(name, CONSUMER);
  if (ofConsumer.max_ack_pending !== ANY_NUMBER)
    await manager.consumers.update(name, CONSUMER, { max_ack_pending: ANY_NUMBER });
  const { config } = await manager.streams.info(name);
  return {
    replicas: config.num_replicas,
    submit: (tasks) => submitAll(tasks, { ...needs, subject }),
    claim: (signal) => claimNext(needs, signal),
    async unfinished() {
      const { num_pending, num_ack_pending } = await askAgain(leaseMs, () =>
        manager.consumers.info(name, CONSUMER),
      );
      return num_pending + num_ack_pending;
    },
    waiting: () => allEntries(manager, { ...needs, subject }),
    async peek(id) {
      const message = await askAgain(leaseMs, () =>
        manager.streams.getMessage(name, { last_by_subj: `${subject}.${id}` }),
      );
      return message && entryIn(message.string());
    },
  };
}

/** Steps over the gaps that ended tasks have left, and reads many at once where there are none. */
async function* allEntries(
  manager: JetStreamManager,
  { name, subject, leaseMs }: StreamNeeds & { subject: string },
): AsyncGenerator<QueueEntry> {
  const { state } = await askAgain(leaseMs, () => manager.streams.info(name));
  const messageAt = (query: SeqMsgRequest & Partial<NextMsgRequest>): Promise<StoredMsg | null> =>
    askAgain(leaseMs, () => manager.streams.getMessage(name, query));
  let atOnce = 1;
  for (let seq = state.first_seq; seq <= state.last_seq; ) {
    const next = await messageAt({ seq, next_by_subj: `${subject}.*` });
    if (!next || next.seq > state.last_seq) return;
    const count = Math.min(atOnce, state.last_seq - next.seq + 1) - 1;
    const others = Array.from({ length: count }, (_, index) => messageAt({ seq: next.seq + index + 1 }));
    const found = [next, ...(await Promise.all(others))].filter((message) => message !== null);
    for (const message of found) {
      const entry = entryIn(message.string());
      if (entry) yield entry;
    }
    seq = next.seq + count + 1;
    // Among gaps hardly more are asked for than are there.
    atOnce = Math.min(AT_ONCE, found.length === count + 1 ? atOnce * 2 : found.length);
  }
}

/** Makes the stream, on three servers in a cluster that can. */
async function makeStream(
  manager: JetStreamManager,
  { name, subject, isCluster }: { name: string; subject: string; isCluster: boolean },
): Promise<void> {
  const add = (replicas: number): Promise<unknown> =>
    manager.streams.add({
      name,
      subjects: [`${subject}.*`],
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      num_replicas: replicas,
    });
  if (!isCluster) return made(() => add(1));
  await made(() => add(REPLICAS)).catch((error: unknown) => {
    if (
      !(error instanceof Error) ||
      !/no suitable peers|insufficient resources|replicas/i.test(error.message)
    )
      throw error;
    return made(() => add(1));
  });
}

/** Several processes may make the same thing at once, or with other options than the first one: what is there counts. */
export async function made(make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (!(error instanceof Error) || !/already|in use|exist/i.test(error.message)) throw error;
  }
}

async function submitAll(
  tasks: Iterable<Task> | AsyncIterable<Task>,
  { connection, subject, leaseMs }: StreamNeeds & { subject: string },
): Promise<number> {
  const stream = jetstream(connection);
  // Sent with each task, so that one whose acknowledgement was lost is not queued twice.
  const submission = randomBytes(6).toString('hex');
  const publish = (task: Task): Promise<unknown> =>
    askAgain(leaseMs, () =>
      stream.publish(`${subject}.${task.id}`, JSON.stringify(task), { msgID: `${submission}-${task.id}` }),
    );
  let count = 0;
  let running: Promise<unknown>[] = [];
  for await (const task of tasks) {
    running.push(publish(task));
    count += 1;
    if (running.length < AT_ONCE) continue;
    await Promise.all(running);
    running = [];
  }
  await Promise.all(running);
  return count;
}

/** The library's own way to fetch one message fails where a busy process hears a heartbeat of the server late. */
async function claimNext(needs: StreamNeeds, signal: AbortSignal): Promise<Claim | null> {
  if (signal.aborted) return null;
  const { connection, name } = needs;
  const inbox = createInbox();
  const answers = connection.subscribe(inbox, { max: 1, timeout: AWAY_MS });
  // A message that was under way still arrives before the end of the drain; where the signal ended it, the caller gives it back.
  const end = (): void => void answers.drain().catch(() => undefined);
  signal.addEventListener('abort', end, { once: true });
  const silence = setTimeout(end, WAIT_MS + SILENT_MS);
  try {
    const wanted = JSON.stringify({ batch: 1, expires: WAIT_MS * NANOSECONDS });
    connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${name}.${CONSUMER}`, wanted, { reply: inbox });
    for await (const message of answers) return claimIn(message, needs);
    return null;
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', end);
  }
}

const NOTHING = 404;
const OVER = 408;

function claimIn(message: Msg, needs: StreamNeeds): Claim | null {
  const status = message.headers?.code ?? 0;
  if (status === NOTHING || status === OVER) return null;
  if (status !== 0) throw new Error(message.headers?.description ?? `the server answered ${status}`);
  return claimOf(message, needs);
}

const ACKNOWLEDGED = '+ACK';
const WORKING = '+WPI';

/** Whoever reaches the servers can put anything into the queue. */
function taskOf(message: Msg, connection: NatsConnection): QueueEntry {
  try {
    return requireEntry(message.string());
  } catch (error) {
    connection.publish(message.reply ?? '', ACKNOWLEDGED);
    throw error;
  }
}

function claimOf(message: Msg, { connection, leaseMs }: StreamNeeds): Claim {
  const reply = message.reply ?? '';
  let renewedAt = performance.now();
  return {
    task: taskOf(message, connection),
    async renew() {
      // The server does not say whether the task is still ours; after a whole lease it may not be.
      const asked = performance.now();
      if (asked - renewedAt > leaseMs) return false;
      // The server answers, so what went nowhere is not counted.
      const timeout = leaseMs / 3;
      const isHeard = await connection.request(reply, WORKING, { timeout }).then(
        () => true,
        () => false,
      );
      if (isHeard) renewedAt = asked;
      return isHeard || performance.now() - renewedAt <= leaseMs;
    },
    async done() {
      // If no acknowledgement gets through, the task is delivered again and found to have ended.
      await askAgain(leaseMs, () => connection.request(reply, ACKNOWLEDGED)).catch(() => undefined);
    },
    async back(delayMs) {
      const delay = Math.max(0, Math.round(delayMs)) * NANOSECONDS;
      connection.publish(reply, `-NAK ${JSON.stringify({ delay })}`);
    },
  };
}
