/**
 * Measures the cost of the fleet: how soon work begins, tasks on two slots against the same runs in a shell loop with two at a time, the
 * submission of 100,000 tasks, and the memory of each process while they wait. TASKS=N in the environment makes it smaller,
 * PARTS=begins,queued,overhead,loop runs some of it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interleaved, loadSource, median, root } from './measure.mjs';

const { openEngine } = await loadSource(
  `export { openEngine } from './packages/fleet/src/engine/open-engine.js';`,
);

const program = join(root, 'packages/cli/bin/toolwright.cjs');
const runs = Number(process.env['TASKS'] ?? 1_000);
const ROUNDS = 3;
const QUEUED = 100_000;
const base = mkdtempSync(join(tmpdir(), 'toolwright-bench-fleet-'));
const home = join(base, 'home');
const workspace = join(base, 'work');
mkdirSync(home);
mkdirSync(workspace);
for (let index = 0; index < 5; index++) writeFileSync(join(workspace, `f${index}.txt`), 'one\n');
const env = { PATH: process.env['PATH'], HOME: home };

/** Runs a program to its end; gives how long it took and the most memory it had. */
function ended(command, words) {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { cwd: workspace, env, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    let megabytes = 0;
    const looking = setInterval(() => {
      megabytes = Math.max(megabytes, peakOf(child.pid));
    }, 10);
    child.on('exit', (code) => {
      clearInterval(looking);
      if (code !== 0) reject(new Error(`${words.join(' ')}: ${code} ${said}`));
      else resolve({ ms: performance.now() - begun, megabytes });
    });
  });
}

/** The most memory that a process has had, in megabytes. */
function peakOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

const fleet = (...words) => ended(process.execPath, [program, 'fleet', ...words]);

/** The words that lead to a fleet with a name of its own. */
function placeOf(engine, fleetName) {
  return engine === 'files'
    ? ['--engine', join(base, fleetName)]
    : ['--engine', server.url, '--name', fleetName];
}

function tasksFile(name, count) {
  const path = join(base, name);
  writeFileSync(path, '{"prompt": "list ."}\n'.repeat(count));
  return path;
}

async function startServer() {
  const port = await new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address();
      server.close(() => resolve(free));
    });
  });
  const child = spawn(
    'nats-server',
    ['-js', '-sd', join(base, 'nats'), '-a', '127.0.0.1', '-p', String(port)],
    { stdio: 'ignore' },
  );
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return { url: `nats://127.0.0.1:${port}`, stop: () => child.kill('SIGKILL') };
}

/** The same work three times in turns: a shell loop, and the fleet on each engine. */
async function againstALoop(engines) {
  const path = tasksFile('tasks.jsonl', runs);
  let number = 0;
  const contestants = {
    loop: () =>
      ended('sh', [
        '-c',
        `seq ${runs} | xargs -P2 -I{} ${process.execPath} ${program} -p 'list .' --provider offline >/dev/null`,
      ]),
  };
  for (const name of engines)
    contestants[name] = () =>
      fleet('run', path, '--workers', '2', '--provider', 'offline', ...placeOf(name, `run${++number}`));
  const times = await interleaved(contestants, ROUNDS);
  for (const name of engines) {
    const speed = median(times.loop) / median(times[name]);
    console.log(
      `${runs} tasks on two slots, ${name}: ${(median(times[name]) / 1_000).toFixed(1)} s, ${speed.toFixed(2)} x as fast as a shell loop with two at a time, target 0.9 x: ${speed >= 0.9 ? 'ok' : 'MISSED'}`,
    );
  }
}

/** Runs one task after the other, so that what the fleet adds to each is seen. */
async function overhead(engines) {
  const COUNT = 40;
  const path = tasksFile('forty.jsonl', COUNT);
  const one = tasksFile('one.jsonl', 1);
  const bare = [];
  for (let index = 0; index < 9; index++)
    bare.push(await ended(process.execPath, [program, '-p', 'list .', '--provider', 'offline']));
  const middle = (list, key) => median(list.map((each) => each[key]).sort((left, right) => left - right));
  let number = 0;
  for (const name of engines) {
    const words = (file) => [
      'run',
      file,
      '--workers',
      '1',
      '--provider',
      'offline',
      ...placeOf(name, `over${++number}`),
    ];
    const [single, many] = [[], []];
    for (let index = 0; index < 3; index++) {
      single.push(await fleet(...words(one)));
      many.push(await fleet(...words(path)));
    }
    const each = (middle(many, 'ms') - middle(single, 'ms')) / (COUNT - 1);
    const more = middle(single, 'ms') - middle(bare, 'ms');
    const room = middle(many, 'megabytes') - middle(bare, 'megabytes');
    const first = middle(single, 'megabytes') - middle(bare, 'megabytes');
    console.log(
      `a task more, ${name}: ${each.toFixed(0)} ms where toolwright -p takes ${middle(bare, 'ms').toFixed(0)} ms: ${(each - middle(bare, 'ms')).toFixed(0)} ms more, target 50 ms: ${each - middle(bare, 'ms') <= 50 ? 'ok' : 'MISSED'}; a fleet of one task ${more.toFixed(0)} ms and ${first.toFixed(0)} MB more, of ${COUNT} tasks ${room.toFixed(0)} MB more, target 30 MB: ${room <= 30 ? 'ok' : 'MISSED'}`,
    );
  }
}

/** A worker waits; the time from the end of `fleet submit` to the begin of its task. */
async function begins(engines) {
  const one = tasksFile('begins.jsonl', 1);
  for (const name of engines) {
    const place = placeOf(name, 'begins');
    const command = [program, 'fleet', 'worker', '--slots', '1', '--provider', 'offline', ...place];
    const worker = spawn(process.execPath, command, { cwd: workspace, env, stdio: 'ignore' });
    const over = new Promise((resolve) => worker.once('exit', resolve));
    const waits = [];
    try {
      for (let index = 0; index < 9; index++) {
        await fleet('submit', one, ...place);
        const submitted = Date.now();
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        const begun = Math.max(...recordsAt(place).map(({ startedAt }) => startedAt ?? 0));
        waits.push(Math.max(0, begun - submitted));
      }
    } finally {
      worker.kill('SIGINT');
      await over;
    }
    const [middle, longest] = [median(waits), Math.max(...waits)];
    console.log(
      `work begins, ${name}: ${middle.toFixed(0)} ms after fleet submit has ended (longest of ${waits.length}: ${longest.toFixed(0)} ms), target 1000 ms: ${longest <= 1_000 ? 'ok' : 'MISSED'}`,
    );
  }
}

function recordsAt(place) {
  const { stdout } = spawnSync(
    process.execPath,
    [program, 'fleet', 'status', '--tasks', '--json', ...place],
    {
      cwd: workspace,
      env,
      encoding: 'utf8',
    },
  );
  return stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));
}

/** A hundred thousand tasks wait: what submitting takes, and the most memory of each process. */
async function queued(engines) {
  const [few, many] = [tasksFile('few.jsonl', 100), tasksFile('many.jsonl', QUEUED)];
  for (const name of engines) {
    const at = (fleetName) => placeOf(name, fleetName);
    const small = await fleet('submit', few, ...at('few'));
    const whole = await fleet('submit', many, ...at('many'));
    console.log(
      `100,000 tasks submitted, ${name}: ${(whole.ms / 1_000).toFixed(1)} s, target 20 s: ${whole.ms <= 20_000 ? 'ok' : 'MISSED'}`,
    );
    const memory = [`submit ${small.megabytes.toFixed(0)} -> ${whole.megabytes.toFixed(0)}`];
    for (const command of [['status'], ['questions']]) {
      const before = await fleet(...command, ...at('few'));
      const after = await fleet(...command, ...at('many'));
      memory.push(`${command} ${before.megabytes.toFixed(0)} -> ${after.megabytes.toFixed(0)}`);
    }
    // The worker is last: it empties the small fleet, and a watch ends where nothing is left to do.
    for (const command of [['watch'], ['worker', '--slots', '2', '--provider', 'offline']]) {
      const before = await peakAfter(command, at('few'));
      const after = await peakAfter(command, at('many'));
      memory.push(`${command[0]} ${before.toFixed(0)} -> ${after.toFixed(0)}`);
    }
    console.log(`most memory in MB with 100 and with 100,000 tasks, ${name}: ${memory.join(', ')}`);
    await endedTasks(name);
  }
}

/** A hundred thousand tasks have ended: the most memory of whoever reads all of them. */
async function endedTasks(name) {
  const at = (fleetName) => placeOf(name, fleetName);
  for (const [fleetName, count] of [
    ['fewEnded', 100],
    ['manyEnded', QUEUED],
  ]) {
    const engine = await openEngine({ place: at(fleetName)[1], fleet: fleetName });
    const table = engine.table('tasks');
    const ids = Array.from({ length: count }, (_, index) => `t${String(index).padStart(6, '0')}`);
    for (let first = 0; first < count; first += 500)
      await Promise.all(
        ids
          .slice(first, first + 500)
          .map((id) => table.put(id, { ...endedRecord(id), endedAt: engine.now() }, null)),
      );
    await engine.close();
  }
  const memory = [];
  for (const command of [
    ['status'],
    ['status', '--tasks'],
    ['collect', '--directory', join(base, 'patches')],
  ]) {
    const before = await fleet(...command, ...at('fewEnded'));
    const after = await fleet(...command, ...at('manyEnded'));
    memory.push(
      `${command.slice(0, 2).join(' ')} ${before.megabytes.toFixed(0)} -> ${after.megabytes.toFixed(0)}`,
    );
  }
  console.log(
    `most memory in MB with 100 and with 100,000 tasks that have ended, ${name}: ${memory.join(', ')}`,
  );
}

function endedRecord(id) {
  const task = {
    format: 1,
    id,
    prompt: `do ${id}`,
    workspace: { kind: 'folder', path: workspace },
    labels: [],
  };
  const usage = { turns: 1, calls: 0, inputTokens: 10, outputTokens: 10, cost: 0, ms: 10 };
  const outcome = {
    response: 'Done.',
    summary: '',
    files: 0,
    added: 0,
    removed: 0,
    leftOut: [],
    base: { folder: workspace },
  };
  const counts = { attempts: 1, crashes: 0, failures: 0, generation: 1 };
  return { v: 1, task, title: task.prompt, state: 'done', token: null, ...counts, usage, outcome };
}

const WATCHED_MS = 6_000;

/** The most memory of a command that goes on, after some seconds. */
async function peakAfter(command, place) {
  const child = spawn(process.execPath, [program, 'fleet', ...command, ...place], {
    cwd: workspace,
    env,
    stdio: 'ignore',
  });
  const over = new Promise((resolve) => child.once('exit', resolve));
  await new Promise((resolve) => setTimeout(resolve, WATCHED_MS));
  const megabytes = peakOf(child.pid);
  child.kill('SIGINT');
  await over;
  if (megabytes === 0) throw new Error(`fleet ${command.join(' ')} ended before it was measured`);
  return megabytes;
}

const server = spawnSync('nats-server', ['--version']).status === 0 ? await startServer() : null;
if (!server) console.log('nats-server is not installed: only the engine of files is measured');
const engines = server ? ['files', 'nats'] : ['files'];
const parts = { begins, queued, overhead, loop: againstALoop };
try {
  for (const part of (process.env['PARTS'] ?? Object.keys(parts).join(',')).split(','))
    await parts[part](engines);
} finally {
  server?.stop();
  rmSync(base, { recursive: true, force: true });
}
