import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { searchPath } from '@toolwright/machine/host/processes/child-environment.js';
import { spawn } from '@toolwright/machine/host/processes/launch/child-process.js';
import type { Launch } from '@toolwright/machine/host/processes/processes.js';
import type { Profile, Sandbox } from '@toolwright/machine/host/sandbox/sandbox.js';
import {
  type Environment,
  homeDirectory,
  type StateFolder,
} from '@toolwright/machine/host/state/state-folder.js';
import type { Attempt, AttemptEnd } from './attempt.js';
import { type AttemptWorld, openAttemptWorld, type Protection } from './attempt-world.js';
import { attempts } from './attempts.js';

/** One promise of the sandbox, and what came of an attempt to break it. */
export interface PromiseTried {
  promise: string;
  attempt: string;
  result: 'holds' | 'broken' | 'not tried';
  /** What the program said, or why it was not tried. */
  detail: string;
}

export interface TryOptions {
  sandbox: Sandbox;
  state: StateFolder;
  environment: Environment;
  signal: AbortSignal;
  /** What commands that work in a folder itself are kept from changing. */
  protects(root: string): Promise<Protection>;
}

const ATTEMPT_LIMIT_MS = 10_000;
const MOST_OUTPUT = 64 * 1024;
const AT_ONCE = 3;
const LACKS_PROGRAM = 77;

/** Tries every promise from inside, each in a sandbox and a world of its own. */
export async function tryPromises(options: TryOptions): Promise<PromiseTried[]> {
  const { confined, sentence } = await options.sandbox.state(options.signal);
  const isLinux = process.platform === 'linux';
  const untried: Told = {
    result: 'not tried',
    detail: isLinux ? sentence : 'the attempts are written for Linux',
  };
  const rows: PromiseTried[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let attempt = attempts[next]; attempt !== undefined; attempt = attempts[next]) {
      const place = next++;
      options.signal.throwIfAborted();
      const told = confined && isLinux ? await tryOne(attempt, options) : untried;
      rows[place] = { promise: attempt.promise, attempt: attempt.attempt, ...told };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return rows;
}

type Told = Pick<PromiseTried, 'result' | 'detail'>;

async function tryOne(attempt: Attempt, options: TryOptions): Promise<Told> {
  const home = homeDirectory(options.environment);
  const world = await openAttemptWorld(options.state, home);
  try {
    // What is there decides what is protected, and the other way round.
    world.protection = await options.protects(world.workspace);
    attempt.prepare?.(world);
    world.protection = await options.protects(world.workspace);
    const launch: Launch = {
      program: 'bash',
      args: ['--noprofile', '--norc', '-c', attempt.script(world)],
      directory: world.workspace,
      environment: {
        PATH: searchPath(options.environment['PATH'] ?? ''),
        HOME: home,
        NODE: process.execPath,
      },
    };
    const confined = await options.sandbox.confine(launch, profileFor(world, attempt), options.signal);
    let end: AttemptEnd;
    try {
      end = await run(confined.launch, options.signal);
    } finally {
      await confined.release();
    }
    if (end.exitCode === LACKS_PROGRAM) return { result: 'not tried', detail: 'perl is not installed here' };
    const holds = await holdsSoon(() => attempt.holds(end, world), attempt.settles ? 20 : 0);
    const detail = typeof holds === 'string' ? holds : lastLine(end);
    return { result: holds === true ? 'holds' : 'broken', detail };
  } catch (error) {
    options.signal.throwIfAborted();
    return { result: 'broken', detail: messageOf(error) };
  } finally {
    await world.close();
  }
}

function profileFor(world: AttemptWorld, { network }: Attempt): Profile {
  const inside = (name: string): string => `${world.workspace}/${name}`;
  return {
    workspace: 'writable',
    roots: [world.workspace],
    network: network?.(world) ?? 'off',
    ...world.protection,
    hidden: [inside('.env')],
    readable: [world.output, process.execPath],
  };
}

async function holdsSoon(look: () => boolean | string, rounds: number): Promise<boolean | string> {
  for (let round = 0; round < rounds; round++) {
    if (look() === true) return true;
    await sleep(100);
  }
  return look();
}

function lastLine({ exitCode, output }: AttemptEnd): string {
  const line = output
    .trim()
    .split('\n')
    .findLast((each) => each.trim().length > 3);
  return line?.trim() || `exit ${exitCode ?? 'by a signal'}`;
}

function run(launch: Launch, signal: AbortSignal): Promise<AttemptEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(launch.program, [...launch.args], {
      cwd: launch.directory,
      env: { ...launch.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: ATTEMPT_LIMIT_MS,
      killSignal: 'SIGKILL',
      signal,
    });
    let output = '';
    const take = (chunk: Buffer): void => {
      if (output.length < MOST_OUTPUT) output += chunk.toString();
    };
    child.on('error', reject);
    // Without a process there are no streams.
    if (child.pid === undefined) return;
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('close', (exitCode) => resolve({ exitCode, output }));
  });
}
