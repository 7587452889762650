import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { expect, it, onTestFinished } from 'vitest';
import { taskNamed } from '../../fixtures/engine-suite.js';
import { natsMissing, startNats } from '../../fixtures/nats-server.js';
import { openNatsQueue } from './queue.js';

it.runIf(natsMissing === null)(
  'what waits in a queue on servers is read without asking for each of the tasks that have ended',
  async () => {
    const server = await startNats();
    const connection = await connect({ servers: server.url });
    onTestFinished(async () => {
      await connection.close();
      await server.stop();
    });
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
