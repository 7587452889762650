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
import { type CheckSetup, openCheckSetup, type Protection } from './check-setup.js';
import type { CheckEnd, SandboxCheck } from './sandbox-check.js';
import { sandboxChecks } from './sandbox-checks.js';

/** A guarantee of the sandbox, and the outcome of an attempt to break it. */
export interface SandboxCheckResult {
  guarantee: string;
  attempt: string;
  result: 'holds' | 'broken' | 'not tried';
  /** The last line that the script printed, or the reason why it was not tried. */
  detail: string;
}

export interface SandboxCheckOptions {
  sandbox: Sandbox;
  state: StateFolder;
  environment: Environment;
  signal: AbortSignal;
  /** The paths of a root that commands must not change. */
  protects(root: string): Promise<Protection>;
}

const CHECK_LIMIT_MS = 10_000;
const MOST_OUTPUT = 64 * 1024;
const AT_ONCE = 3;
const LACKS_PROGRAM = 77;

/** Runs every check, each in a sandbox and a setup of its own. */
export async function runSandboxChecks(options: SandboxCheckOptions): Promise<SandboxCheckResult[]> {
  const { confined, sentence } = await options.sandbox.state(options.signal);
  const isLinux = process.platform === 'linux';
  const notTried: Outcome = {
    result: 'not tried',
    detail: isLinux ? sentence : 'the checks are written for Linux',
  };
  const rows: SandboxCheckResult[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let check = sandboxChecks[next]; check !== undefined; check = sandboxChecks[next]) {
      const row = next++;
      options.signal.throwIfAborted();
      const outcome = confined && isLinux ? await runCheck(check, options) : notTried;
      rows[row] = { guarantee: check.guarantee, attempt: check.attempt, ...outcome };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return rows;
}

type Outcome = Pick<SandboxCheckResult, 'result' | 'detail'>;

async function runCheck(check: SandboxCheck, options: SandboxCheckOptions): Promise<Outcome> {
  const home = homeDirectory(options.environment);
  const setup = await openCheckSetup(options.state, home);
  try {
    // The files that exist decide what is protected, so the protection is computed after they are made.
    setup.protection = await options.protects(setup.workspace);
    check.prepare?.(setup);
    setup.protection = await options.protects(setup.workspace);
    const launch: Launch = {
      program: 'bash',
      args: ['--noprofile', '--norc', '-c', check.script(setup)],
      directory: setup.workspace,
      environment: {
        PATH: searchPath(options.environment['PATH'] ?? ''),
        HOME: home,
        NODE: process.execPath,
      },
    };
    const confined = await options.sandbox.confine(launch, profileFor(setup, check), options.signal);
    let end: CheckEnd;
    try {
      end = await run(confined.launch, options.signal);
    } finally {
      await confined.release();
    }
    if (end.exitCode === LACKS_PROGRAM) return { result: 'not tried', detail: 'perl is not installed here' };
    const holds = await holdsSoon(() => check.holds(end, setup), check.settles ? 20 : 0);
    const detail = typeof holds === 'string' ? holds : lastLine(end);
    return { result: holds === true ? 'holds' : 'broken', detail };
  } catch (error) {
    options.signal.throwIfAborted();
    return { result: 'broken', detail: messageOf(error) };
  } finally {
    await setup.close();
  }
}

function profileFor(setup: CheckSetup, { network }: SandboxCheck): Profile {
  const inside = (name: string): string => `${setup.workspace}/${name}`;
  return {
    workspace: 'writable',
    roots: [setup.workspace],
    network: network?.(setup) ?? 'off',
    ...setup.protection,
    hidden: [inside('.env')],
    readable: [setup.output, process.execPath],
  };
}

async function holdsSoon(holds: () => boolean | string, rounds: number): Promise<boolean | string> {
  for (let round = 0; round < rounds; round++) {
    if (holds() === true) return true;
    await sleep(100);
  }
  return holds();
}

function lastLine({ exitCode, output }: CheckEnd): string {
  const line = output
    .trim()
    .split('\n')
    .findLast((each) => each.trim().length > 3);
  return line?.trim() || `exit ${exitCode ?? 'by a signal'}`;
}

function run(launch: Launch, signal: AbortSignal): Promise<CheckEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(launch.program, [...launch.args], {
      cwd: launch.directory,
      env: { ...launch.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: CHECK_LIMIT_MS,
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
