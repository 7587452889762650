/**
 * Measures how many workers one NATS server serves, three, and a cluster of nine: the worker's own code runs in virtual time against a
 * model of the servers, whose times are measured here first. `npm run bench fleet-sizes`; WORKERS=100,1000, SERVERS=1,3 and TASKS=N (the
 * most) in the environment make it smaller; MODEL=earlier measures nothing and takes the times of docs/fleet.md.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSimulatedEngine } from './fleet/simulated-engine.mjs';
import { createVirtualTime } from './fleet/virtual-time.mjs';
import { loadSource } from './measure.mjs';

const { openEngine, ownLease, runWorker, statusOf, createClock } = await loadSource(`
  export { openEngine } from './packages/fleet/src/engine/open-engine.js';
  export { runWorker } from './packages/fleet/src/worker/worker.js';
  export { statusOf } from './packages/fleet/src/schedule/control.js';
  export { createClock, ownLease } from '@toolwright/core/front-end';
`);

const LEASE_MS = 30_000;
const TURNS = 3;
const usage = { turns: TURNS, calls: 0, inputTokens: 0, outputTokens: 0, cost: 0 };
const outcome = {
  response: 'done',
  summary: '',
  files: 0,
  added: 0,
  removed: 0,
  leftOut: [],
  base: { folder: '/' },
};
const taskNumber = (index) => ({
  format: 1,
  id: `t${index}`,
  prompt: `task ${index}`,
  workspace: { kind: 'folder', path: '/' },
  labels: [],
});

/** Numbers that are the same in every run. */
function seeded() {
  let state = 42;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** A worker whose tasks only wait, save their turns, and now and then fail because the provider has too much to do. */
function worker(engine, { clock, random, taskMs, failing = 0, signal, name }) {
  return runWorker({
    engine,
    name,
    slots: 1,
    leaseMs: LEASE_MS,
    clock,
    random,
    untilEmpty: true,
    signal,
    async runTask(task, { token, signal: over, objects, saved }) {
      try {
        for (let turn = 0; turn < TURNS; turn++) {
          await clock.sleep((taskMs * (0.5 + random())) / TURNS, over);
          await objects.put(`${task.id}/${token}/changes`, turnBytes);
          await objects.put(`${task.id}/${token}/journal`, turnBytes);
          await saved({ token, session: 's', base: { folder: '/' } }, usage);
        }
      } catch (error) {
        if (over.aborted) return { kind: 'stopped' };
        throw error;
      }
      return random() < failing
        ? { kind: 'failed', failure: { kind: 'overload', message: 'too much to do' }, usage }
        : { kind: 'done', outcome, usage };
    },
  });
}
const turnBytes = Buffer.alloc(4_000, 'x');

async function simulate({ workers, tasks, taskMs, failing, ...model }) {
  // Read from the machine once; virtual time does not wait for it.
  await ownLease();
  const time = createVirtualTime();
  const steady = performance.now;
  const begun = steady.call(performance);
  performance.now = time.now;
  // Millions of waits end by a signal, whose reason is an error that nobody reads.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const list = { length: tasks, at: taskNumber };
    const { engine, figures } = createSimulatedEngine(time, { tasks: list, leaseMs: LEASE_MS, ...model });
    const random = seeded();
    const { signal } = new AbortController();
    const all = Array.from({ length: workers }, (_, index) =>
      worker(engine, { clock: time.clock, random, taskMs, failing, signal, name: `w${index}` }),
    );
    await time.run(Promise.all(all));
    const seconds = time.now() / 1_000;
    return { ...figures, seconds, tookSeconds: (steady.call(performance) - begun) / 1_000 };
  } finally {
    performance.now = steady;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function print(what, { workers, tasks, taskMs }, run) {
  const busy = (tasks * taskMs) / 1_000 / workers / run.seconds;
  console.log(
    `${what}: ${workers.toLocaleString('en')} workers, ${tasks.toLocaleString('en')} tasks of ${taskMs / 1_000} s: ` +
      `${(tasks / run.seconds).toFixed(1)} tasks/s, slots busy ${(100 * busy).toFixed(0)} %, ` +
      `${Math.round(run.requests / run.seconds).toLocaleString('en')} requests/s, busiest server ${((run.busyMs / run.seconds) * 0.1).toFixed(0)} % busy, ` +
      `a request ${(run.waitedMs / run.requests).toFixed(1)} ms (longest ${run.longestMs.toFixed(0)}), ` +
      `results ${run.results.toLocaleString('en')}, undone ${run.undone}, doubled ${run.doubled} (simulated ${(run.seconds / 60).toFixed(0)} minutes in ${run.tookSeconds.toFixed(0)} s)`,
  );
}

async function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function startServer() {
  const store = mkdtempSync(join(tmpdir(), 'toolwright-bench-sizes-'));
  const port = await freePort();
  const child = spawn('nats-server', ['-js', '-sd', store, '-a', '127.0.0.1', '-p', String(port)], {
    stdio: 'ignore',
  });
  const open = async (fleet) => {
    for (let tries = 0; ; tries++) {
      try {
        return await openEngine({ place: `nats://127.0.0.1:${port}`, fleet, times: { leaseMs: LEASE_MS } });
      } catch (error) {
        if (tries === 50) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  };
  const stop = () => {
    child.kill('SIGKILL');
    rmSync(store, { recursive: true, force: true });
  };
  return { open, stop };
}

const MEASURED = 2_000;

/** Milliseconds that the server needs for each kind of request when a hundred are under way, and the way there and back. */
async function measureServer(engine) {
  const each = async (work, atOnce = 100) => {
    const begun = performance.now();
    let next = 0;
    const lane = async () => {
      while (next < MEASURED) await work(next++);
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    return (performance.now() - begun) / MEASURED;
  };
  const table = engine.table('fleet');
  const record = { task: taskNumber(1), outcome, usage, state: 'running', title: 'x'.repeat(200) };
  const put = await each((index) => table.put(`m${index}`, record, null));
  const get = await each((index) => table.get(`m${index}`));
  const object = await each((index) => engine.objects.put(`o${index}`, turnBytes), 50);
  await engine.submit(Array.from({ length: MEASURED }, (_, index) => taskNumber(index)));
  const both = await each(async () => (await engine.claim(new AbortController().signal)).done());
  const alone = [];
  for (let index = 0; index < 50; index++) {
    const begun = performance.now();
    await table.get(`m${index}`);
    alone.push(performance.now() - begun);
  }
  const networkMs = Math.max(0.05, alone.sort((left, right) => left - right)[25] - get);
  return {
    networkMs,
    serviceMs: { put, get, object, claim: both / 2, done: both / 2, renew: get / 3, publish: get / 3 },
  };
}

/** The same work for real, all workers in this process. */
async function really(engine, { workers, tasks, taskMs }) {
  await engine.submit(Array.from({ length: tasks }, (_, index) => taskNumber(index)));
  const random = seeded();
  const { signal } = new AbortController();
  const begun = performance.now();
  const all = Array.from({ length: workers }, (_, index) =>
    worker(engine, { clock: createClock(), random, taskMs, signal, name: `w${index}` }),
  );
  await Promise.all(all);
  const seconds = (performance.now() - begun) / 1_000;
  const { states } = await statusOf(engine);
  if (states.done !== tasks) throw new Error(`${states.done} of ${tasks} tasks are done`);
  return seconds;
}

/** Of an earlier run. */
const small = {
  networkMs: 0.2,
  serviceMs: { put: 0.15, get: 0.06, object: 0.4, claim: 0.15, done: 0.15, renew: 0.02, publish: 0.02 },
};
let model = small;
if (process.env['MODEL'] === 'earlier') console.log('the times of the model are those of an earlier run');
else if (spawnSync('nats-server', ['--version']).status === 0) {
  const server = await startServer();
  try {
    const engine = await server.open('measured');
    model = await measureServer(engine);
    await engine.close();
    const shown = Object.entries(model.serviceMs).map(([kind, ms]) => `${kind} ${ms.toFixed(3)}`);
    console.log(
      `one server here, with its clients on the same machine: ms for a request: ${shown.join(', ')}; there and back ${model.networkMs.toFixed(2)}`,
    );
    for (const size of [
      { workers: 20, tasks: 400, taskMs: 300 },
      { workers: 100, tasks: 2_000, taskMs: 300 },
    ]) {
      const real = await server.open(`real${size.workers}`);
      const seconds = await really(real, size);
      await real.close();
      const foretold = await simulate({ ...size, ...model });
      console.log(
        `${size.workers} workers, ${size.tasks} tasks of ${size.taskMs / 1_000} s: foretold ${foretold.seconds.toFixed(1)} s, really ${seconds.toFixed(1)} s, ${(foretold.seconds / seconds).toFixed(2)} x`,
      );
    }
  } finally {
    server.stop();
  }
} else
  console.log(
    'nats-server is not installed: the times of the model are those of an earlier run, and nothing is compared',
  );

const numbers = (name, usual) => (process.env[name] ?? usual).split(',').map(Number);
const most = Number(process.env['TASKS'] ?? 1_000_000);
const kinds = { 1: 'one server', 3: 'three servers', 9: 'nine servers' };
const LARGEST = 10_000;
// Elsewhere the servers have a machine of their own, and a network lies between.
const far = { ...model, networkMs: 1 };
for (const workers of numbers('WORKERS', `100,1000,3000,${LARGEST}`)) {
  for (const nodes of numbers('SERVERS', '1,3,9')) {
    const tasks = workers === LARGEST && nodes <= 3 ? 1_000_000 : workers * 30;
    const size = { workers, tasks: Math.min(most, tasks), taskMs: 20_000, failing: 0.01 };
    print(kinds[nodes] ?? `${nodes} servers`, size, await simulate({ ...size, ...far, nodes }));
  }
}
