/**
 * A prompt against a model on loopback: start to first request, our own part of a turn that reads a file, memory
 * after many of them, and the end. The model is a process of its own, so that only our side is counted.
 */
import { fork, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleaved, loadSource, median, report, root } from './measure.mjs';

const TURNS = 200;
const LAST = 'All files are read.';
const now = () => Number(process.hrtime.bigint()) / 1e6;

if (process.argv[2] === 'model') await runModel(Number(process.argv[3]));
else if (process.argv[2] === 'bare') await runBare(Number(process.argv[3]), JSON.parse(process.argv[4]));
else await measure();

/** Tells when a request was there in full and when the last byte of an answer was gone; answers when told to. */
async function runModel(turns) {
  const { createServer } = await import('node:http');
  const { fakeBody } = await loadSource(
    `export { fakeBody } from './packages/core/src/testing/fake-model/body.js';`,
  );
  const answers = Array.from({ length: turns }, (_, turn) => ({
    text: 'I look at the next part of the file.',
    calls: [
      { id: `call_${turn}`, name: 'read_file', arguments: { absolute_path: 'notes.txt', offset: turn } },
    ],
  }));
  const bodies = [...answers, { text: LAST }].map((answer) => Buffer.from(fakeBody(answer, 'openai', true)));
  let turn = 0;
  const server = createServer((request, response) => {
    let size = 0;
    request.on('data', (data) => {
      size += data.length;
    });
    request.on('end', () => {
      const arrived = now();
      const isLast = turn === turns;
      const body = bodies[turn++];
      const answer = () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(body, () => process.send({ arrived, left: now(), isLast, size }));
      };
      if (!isLast) return answer();
      process.send({ arrived, isWaiting: true });
      process.once('message', answer);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
  process.on('message', (message) => {
    if (message === 'again') turn = 0;
  });
}

/** Requests of the same sizes from a program that does nothing else: what the way to the model costs. */
async function runBare(port, sizes) {
  const { Agent, request } = await import('node:http');
  const agent = new Agent({ keepAlive: true });
  for (const size of sizes) {
    const body = Buffer.alloc(size, 'x');
    await new Promise((resolve) => {
      const sent = request({ port, host: '127.0.0.1', method: 'POST', agent }, (response) =>
        response.resume().on('end', resolve),
      );
      sent.setHeader('content-length', size);
      sent.end(body);
    });
  }
  agent.destroy();
}

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
  const workspace = join(folder, 'work');
  mkdirSync(workspace);
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index} of a file of ordinary length`);
  writeFileSync(join(workspace, 'notes.txt'), `${lines.join('\n')}\n`);
  const place = { folder, workspace };
  try {
    await withModel(0, (model) => measureStart(place, model));
    await withModel(TURNS, (model) => measureTurns(place, model));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function withModel(turns, work) {
  const model = fork(fileURLToPath(import.meta.url), ['model', String(turns)]);
  try {
    const { port } = await new Promise((resolve) => model.once('message', resolve));
    await work({ process: model, port });
  } finally {
    model.kill();
  }
}

/** Runs a prompt from its start to its end. `atLastTurn` runs while the program waits for the last answer. */
function runPrompt({ folder, workspace }, model, atLastTurn = () => {}) {
  const { PATH, LANG } = process.env;
  const env = {
    PATH,
    LANG,
    HOME: folder,
    TOOLWRIGHT_HOME: join(folder, 'state'),
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: `http://127.0.0.1:${model.port}/v1`,
    OPENAI_MODEL: 'bench',
  };
  const run = { answers: [] };
  model.process.send('again');
  return new Promise((resolve, reject) => {
    const program = join(root, 'packages/cli/bin/toolwright.cjs');
    run.started = now();
    const child = spawn(process.execPath, [program, '-p', 'read it', '--max-turns', String(TURNS + 1)], {
      cwd: workspace,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const hear = (message) => {
      if (message.isWaiting) {
        run.requested = message.arrived;
        atLastTurn(child.pid, run);
        model.process.send('answer');
        return;
      }
      run.answers.push(message);
      if (message.isLast) run.lastByte = message.left;
    };
    model.process.on('message', hear);
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
    });
    child.on('exit', () => {
      run.ended = now();
    });
    child.on('close', (code) => {
      model.process.off('message', hear);
      if (code === 0 && output.endsWith(`${LAST}\n`)) resolve(run);
      else reject(new Error(`the prompt ended with ${code}: ${output}`));
    });
  });
}

async function measureStart(place, model) {
  const starts = [];
  const ends = [];
  const times = await interleaved(
    {
      node: () => nodeAlone(place),
      prompt: async () => {
        const run = await runPrompt(place, model);
        starts.push(run.requested - run.started);
        ends.push(run.ended - run.lastByte);
      },
    },
    25,
  );
  const sorted = (list) => list.slice(1).sort((left, right) => left - right);
  report('node -e 0', times.node, times.node);
  report('start to first request', sorted(starts), times.node, 3);
  verdict('last byte of the answer to exit', { values: sorted(ends), unit: 'ms', target: 30 });
}

function nodeAlone({ workspace }) {
  return new Promise((resolve) => {
    const { PATH, LANG } = process.env;
    spawn(process.execPath, ['-e', '0'], { cwd: workspace, env: { PATH, LANG }, stdio: 'ignore' }).on(
      'exit',
      resolve,
    );
  });
}

async function measureTurns(place, model) {
  if (process.platform !== 'linux') {
    console.log('a read_file turn: not measured, because processor time and memory are read from /proc');
    return;
  }
  const [walls, own, processor, memory] = [[], [], [], []];
  for (let round = 0; round < 5; round++) {
    let spent = 0;
    const watch = (pid, run) => {
      spent = processorTime(pid);
      memory.push(residentMb(pid));
      run.turns = run.answers.length;
    };
    const run = await runPrompt(place, model, watch);
    const wall = gapOf(run.answers);
    const bare = gapOf(
      await bareRun(
        model,
        run.answers.map(({ size }) => size),
      ),
    );
    walls.push(wall);
    own.push(wall - bare);
    processor.push((spent - (await startCost(place))) / run.turns);
  }
  const ascending = (list) => list.sort((left, right) => left - right);
  verdict('a read_file turn, from the last byte of an answer to the next request in full', {
    values: ascending(walls),
    unit: 'ms',
  });
  verdict('  of our own, less what a program needs that only sends the same requests', {
    values: ascending(own),
    unit: 'ms',
    target: 3,
  });
  verdict('  of all our threads, processor time', { values: ascending(processor), unit: 'ms' });
  verdict(`memory after ${TURNS} turns`, { values: ascending(memory), unit: 'MB', target: 120 });
}

function gapOf(answers) {
  const gaps = answers.slice(1).map(({ arrived }, index) => arrived - answers[index].left);
  return median(gaps.sort((left, right) => left - right));
}

function bareRun(model, sizes) {
  const answers = [];
  const hear = (message) => {
    if (message.isWaiting) model.process.send('answer');
    else answers.push(message);
  };
  model.process.on('message', hear);
  model.process.send('again');
  return new Promise((resolve) => {
    const args = [fileURLToPath(import.meta.url), 'bare', String(model.port), JSON.stringify(sizes)];
    spawn(process.execPath, args, { stdio: 'inherit' }).on('exit', () => {
      model.process.off('message', hear);
      resolve(answers);
    });
  });
}

/** Measures the time before the first request, in the same way. */
async function startCost(place) {
  let spent = 0;
  await withModel(0, (model) =>
    runPrompt(place, model, (pid) => {
      spent = processorTime(pid);
    }),
  );
  return spent;
}

/** Milliseconds on a processor, all threads that live. */
function processorTime(pid) {
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, nanoseconds) => sum + nanoseconds / 1e6, 0);
}

function residentMb(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

/** Prints a line: the median and the best of several runs, and whether it keeps within the target. */
function verdict(what, { values, unit, target }) {
  const [middle, best] = [median(values), values[0]];
  const judged =
    target === undefined ? '' : `, target ${target} ${unit}: ${middle <= target ? 'ok' : 'MISSED'}`;
  console.log(`${what}: ${middle.toFixed(2)} ${unit} (best run ${best.toFixed(2)})${judged}`);
}
