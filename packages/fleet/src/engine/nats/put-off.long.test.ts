import { readFileSync } from 'node:fs';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { expect, it, onTestFinished } from 'vitest';
import { taskNamed } from '../../fixtures/engine-suite.js';
import { natsMissing, startNats } from '../../fixtures/nats-server.js';
import { openNatsQueue } from './queue.js';

const PUT_OFF = 60_000;
const LANES = 200;
const { signal } = new AbortController();

it.runIf(natsMissing === null)(
  'a task is given out beside sixty thousand that were put off, also in a queue that an earlier version has made',
  async () => {
    const server = await startNats();
    const connection = await connect({ servers: server.url });
    onTestFinished(async () => {
      await connection.close();
      await server.stop();
    });
    const options = { fleet: 'many', leaseMs: 30_000 };
    await openNatsQueue(connection, options);
    const { consumers } = await jetstreamManager(connection);
    await consumers.update('TW_many', 'workers', { max_ack_pending: 50_000 });
    const queue = await openNatsQueue(connection, options);
    await queue.submit(Array.from({ length: PUT_OFF }, (_, index) => taskNamed(`t${index}`)));
    let left = PUT_OFF;
    const lane = async (): Promise<void> => {
      while (left-- > 0) await (await queue.claim(signal))?.back(600_000);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    await connection.flush();
    await queue.submit([taskNamed('other')]);
    let claim = await queue.claim(signal);
    for (let tries = 0; tries < 10 && claim?.task.id !== 'other'; tries++) {
      await claim?.back(600_000);
      claim = await queue.claim(signal);
    }
    const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
    console.log(
      `evidence: ${PUT_OFF} tasks put off on NATS, ${/VmRSS:\s+(\d+)/.exec(status)?.[1]} kB in the server, and the next one is given out`,
    );
    expect(claim?.task.id).toBe('other');
    expect(await queue.unfinished()).toBe(PUT_OFF + 1);
  },
  300_000,
);
