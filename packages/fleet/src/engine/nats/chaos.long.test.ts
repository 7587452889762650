import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { freshName, taskNamed } from '../../fixtures/engine-suite.js';
import { type NatsCluster, startCluster } from '../../fixtures/nats-cluster.js';
import { natsMissing } from '../../fixtures/nats-server.js';
import { type Network, networkMissing, openNetwork } from '../../fixtures/network.js';
import { endOf, startWorker } from '../../fixtures/worker-process.js';
import { records, statusOf } from '../../schedule/control.js';
import { takePlaces, writeLimits } from '../../schedule/limits.js';
import { openNatsEngine } from './open-nats.js';

const TASKS = 300;
const KILLS = 60;
const WORKERS = 6;
const LEASE_MS = 3_000;
const CUT_MS = 5_000;

const missing = natsMissing ?? networkMissing();
if (missing !== null) console.log(`evidence: a cluster in trouble was not tried: ${missing}`);

let network: Network | undefined;
let cluster: NatsCluster | undefined;
const workers: ChildProcess[] = [];
afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await Promise.all(workers.map(endOf));
  await cluster?.stop();
  network?.remove();
});

describe.runIf(missing === null)('a fleet on a cluster of three', () => {
  it('gives every task exactly one result while workers and a server are killed and a network is cut', async () => {
    network = openNetwork();
    cluster = await startCluster(network.address);
    const options = {
      servers: cluster.url,
      fleet: freshName(),
      insecure: true,
      times: { leaseMs: LEASE_MS },
    };
    const engine = await openNatsEngine(options);
    const ends = new Map<string, number>();
    const over = new AbortController();
    const listening = engine.listen((event) => {
      if (event.type === 'task-state' && event.state === 'done')
        ends.set(event.id, (ends.get(event.id) ?? 0) + 1);
    }, over.signal);
    await writeLimits(engine, { slots: { fleet: 2 * WORKERS, narrow: 3 }, rates: {} });
    await engine.submit(
      Array.from({ length: TASKS }, (_, index) =>
        taskNamed(`t${index}`, { labels: index % 3 === 0 ? ['narrow'] : [] }),
      ),
    );
    const begun = performance.now();
    const start = async (index: number): Promise<ChildProcess> =>
      startWorker({
        engine: { ...options, place: options.servers },
        slots: 2,
        taskMs: 900,
        // The first one works at the end of the cable.
        prefix: index === 0 ? network!.prefix : [],
      });
    for (let index = 0; index < WORKERS; index++) workers.push(await start(index));
    let said = '';
    for (let kills = 0; kills < KILLS; kills++) {
      await sleep(300 + 700 * Math.random());
      if (kills === 20) await cluster.kill(1);
      if (kills === 35) await cluster.bringBack(1);
      if (kills === 40) network.cut();
      if (kills === 40) void sleep(CUT_MS).then(() => network!.mend());
      // While its network is cut the one at the cable is left alone.
      const index = kills >= 40 && kills < 50 ? 1 + (kills % (WORKERS - 1)) : kills % WORKERS;
      workers[index]!.kill('SIGKILL');
      await endOf(workers[index]!);
      const next = await start(index);
      next.stderr?.on('data', (text: Buffer) => {
        said += text.toString();
      });
      workers[index] = next;
    }
    await Promise.all(workers.map(endOf));
    const seconds = (performance.now() - begun) / 1_000;
    over.abort();
    await listening;
    const { states } = await statusOf(engine);
    const figures = {
      tasks: 0,
      torn: 0,
      attempts: 0,
      crashes: 0,
      mostAttempts: 0,
      doneTwice: [...ends.values()].filter((count) => count > 1).length,
    };
    for await (const { task, outcome, snapshot, attempts, crashes } of records(engine)) {
      const journal = await engine.objects.get(`${task.id}/${snapshot!.token}/journal`);
      figures.tasks += 1;
      if (outcome?.response !== '123' || Buffer.from(journal ?? []).toString() !== '123') figures.torn += 1;
      figures.attempts += attempts;
      figures.crashes += crashes;
      figures.mostAttempts = Math.max(figures.mostAttempts, attempts);
    }
    const places: unknown[] = [];
    for await (const [, holders] of engine.table('limits').entries()) places.push(...(holders as string[]));
    console.log(
      `evidence: NATS cluster of three, ${WORKERS} workers with 2 slots, ${KILLS} kills -9, a server killed and brought back, a network cut for ${CUT_MS / 1_000} s, ${seconds.toFixed(0)} s: ${JSON.stringify({ ...figures, states, leftInQueue: await engine.unfinished(), placesLeft: places.length })}`,
    );
    if (said !== '') console.log(`workers said: ${[...new Set(said.split('\n'))].join('\n  ')}`);
    expect(states).toEqual({
      queued: 0,
      running: 0,
      parked: 0,
      done: TASKS,
      failed: 0,
      poison: 0,
      cancelled: 0,
    });
    expect(figures).toMatchObject({ tasks: TASKS, torn: 0, doneTwice: 0 });
    expect(await engine.unfinished()).toBe(0);
    // Whoever was killed between taking a place and leaving it has left it behind; a task that needs it has it.
    const whole = { slots: { fleet: Math.max(1, places.length) }, rates: {} };
    expect(await takePlaces(engine, taskNamed('next'), whole)).toBe(true);
    await engine.close();
  }, 600_000);
});
