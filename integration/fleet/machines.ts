import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type NatsServer, natsMissing, startNats } from '../../packages/fleet/src/fixtures/nats-server.js';
import { linesOf, type Stage } from '../headless/run.js';
import { program } from '../program.js';

/** Engines that can be tried here. */
export const engines = natsMissing === null ? ['files', 'nats'] : ['files'];

/** A key that only the workers of the tests have. */
export const SECRET = 'sk-workers-own-key-0123456789abcdef';

/** Workers with homes of their own, which know nothing of each other but the fleet. */
export interface Machines {
  /** The words that lead to the fleet. */
  words: string[];
  /** The folder that holds what the fleet keeps. */
  store: string;
  /** Starts a worker with further words, and `prefix` before its command line. */
  start(name: string, more?: string[], prefix?: string[]): ChildProcess;
  home(name: string): string;
  /** The records of the tasks that were begun. */
  records(): Promise<Record<string, unknown>[]>;
  submit(...tasks: object[]): Promise<void>;
  close(): Promise<void>;
}

export async function openMachines(kind: string, stage: Stage): Promise<Machines> {
  const children: ChildProcess[] = [];
  const server: NatsServer | null = kind === 'nats' ? await startNats() : null;
  const store = server?.store ?? join(stage.machine.home, 'fleet');
  const words = ['--engine', server?.url ?? store];
  const home = (name: string): string => join(stage.machine.home, name);
  return {
    words,
    store,
    home,
    start(name, more = [], prefix = []) {
      mkdirSync(home(name), { recursive: true });
      const own = { HOME: home(name), OPENAI_API_KEY: SECRET };
      const env = { PATH: process.env['PATH'] ?? '', ...stage.server.environment(), ...own };
      const slots = more.includes('--slots') ? [] : ['--slots', '1'];
      const fleet = [program, 'fleet', 'worker', '--lease', '2', ...slots, ...more, ...words];
      const [command, ...rest] = [...prefix, process.execPath, ...fleet];
      const cwd = stage.machine.workspace;
      const child = spawn(command!, rest, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
      children.push(child);
      return child;
    },
    async records() {
      const { stdout } = await stage.run(['fleet', 'status', '--tasks', '--json', ...words]);
      return linesOf(stdout).slice(1);
    },
    async submit(...tasks) {
      stage.machine.write('tasks.jsonl', tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
      await stage.run(['fleet', 'submit', 'tasks.jsonl', ...words]);
    },
    async close() {
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(children.map(ended));
      await server?.stop();
    },
  };
}

export function ended(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('exit', resolve));
}

/** True while a process with exactly these words runs. */
export function runs(words: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `${words.replace(' ', '\0')}\0`
      );
    } catch {
      return false;
    }
  });
}
