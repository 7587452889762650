import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { expect, it, onTestFinished } from 'vitest';
import { taskNamed } from '../../fixtures/engine-suite.js';
import { natsMissing, startNats } from '../../fixtures/nats-server.js';
import { openNatsQueue } from './queue.js';

async function connected(): Promise<NatsConnection> {
  const server = await startNats();
  const connection = await connect({ servers: server.url });
  onTestFinished(async () => {
    await connection.close();
    await server.stop();
  });
  return connection;
}

const { signal } = new AbortController();

it.runIf(natsMissing === null)(
  'a worker whose wish for a task the servers leave without an answer asks again, and loses none',
  async () => {
    const connection = await connected();
    let wishes = 0;
    const deaf: NatsConnection = Object.create(connection, {
      publish: {
        value(subject: string, ...rest: []) {
          if (!subject.includes('MSG.NEXT') || ++wishes > 1) connection.publish(subject, ...rest);
        },
      },
    });
    const queue = await openNatsQueue(deaf, { fleet: 'silent', leaseMs: 1_000 });
    await queue.submit([taskNamed('one')]);
    expect(await queue.claim(signal)).toBeNull();
    const claim = await queue.claim(signal);
    expect(claim?.task.id).toBe('one');
    await claim?.done();
  },
);

it.runIf(natsMissing === null)(
  'what waits in a queue on servers is read without asking for each of the tasks that have ended',
  async () => {
    const connection = await connected();
    const queue = await openNatsQueue(connection, { fleet: 'gaps', leaseMs: 1_000 });
    const ids = Array.from({ length: 40 }, (_, index) => `t${index}`);
    const sent = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index++) connection.publish('tw.gaps.q.ended', 'x');
      await jetstream(connection).publish('tw.gaps.q.ended', 'x');
    };
    await sent(10);
    await queue.submit(ids.slice(0, 20).map((id) => taskNamed(id)));
    await sent(3_000);
    for (const id of ids.slice(20)) {
      await queue.submit([taskNamed(id)]);
      await sent(20);
    }
    await (await jetstreamManager(connection)).streams.purge('TW_gaps', { filter: 'tw.gaps.q.ended' });
    const before = connection.stats().outMsgs;
    const waiting: string[] = [];
    for await (const { id } of queue.waiting()) waiting.push(id);
    expect(waiting).toEqual(ids);
    expect(connection.stats().outMsgs - before).toBeLessThan(4 * ids.length);
  },
);
