import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeModelServer, startFakeModelServer } from '@toolwright/core/testing';
import { createMachine, type Machine } from '../program.js';

type Answer = Exclude<Parameters<FakeModelServer['answer']>[0], (...args: never[]) => unknown>;

/** The behaviour of a model: the calls of its first answer, or what it does instead. */
export interface Racer {
  calls?: NonNullable<Answer['calls']>;
  instead?: Answer;
  /** Called when it is asked for its second answer. */
  beforeEnd?(): void;
}

/** A file must have been read before it is written. */
export const writes = (path: string, content: string): Racer => ({
  calls: [
    { name: 'read_file', arguments: { absolute_path: path } },
    { name: 'write_file', arguments: { file_path: path, content } },
  ],
});

export const runs = (command: string, more: Record<string, unknown> = {}): Racer => ({
  calls: [{ name: 'run_shell_command', arguments: { command, ...more } }],
});

export interface RaceStage {
  machine: Machine;
  environment: Record<string, string>;
  /** The arguments of a race with a session for each racer. */
  args(...more: string[]): string[];
  run(...more: string[]): ReturnType<Machine['run']>;
  at(path: string): string | null;
  /** Folders of sessions apart, mounts and processes, by their command lines, that are there now. */
  leftovers(): { sessions: string[]; mounts: string[]; processes: string[] };
  close(): Promise<void>;
}

/** A machine and a model server on which each model works in its own way. */
export async function createRaceStage(
  files: Record<string, string>,
  racers: Record<string, Racer>,
): Promise<RaceStage> {
  const machine = createMachine(files);
  const server = await startFakeModelServer({
    otherwise({ body }) {
      const racer = racers[String(body['model'])];
      if (racer?.instead) return racer.instead;
      const usage = { inputTokens: 1_000, outputTokens: 20 };
      const hasWorked = (body['messages'] as { role: string }[]).some(({ role }) => role === 'tool');
      if (racer?.calls && !hasWorked) return { calls: racer.calls, usage };
      racer?.beforeEnd?.();
      return { text: 'It is done.', usage };
    },
  });
  const environment = server.environment('openai');
  const args = (...more: string[]): string[] => [
    ...['race', 'Make sum add.', '--models', Object.keys(racers).join(',')],
    ...more,
  ];
  const at = (path: string): string | null => {
    const whole = join(machine.workspace, path);
    return existsSync(whole) ? readFileSync(whole, 'utf8') : null;
  };
  return {
    machine,
    environment,
    args,
    run: (...more) => machine.run(args(...more), { env: environment }),
    at,
    leftovers: () => leftoversOf(machine),
    async close() {
      await server.close();
      machine.cleanup();
    },
  };
}

function leftoversOf({ home, state, workspace }: Machine) {
  const apart = join(state, 'apart');
  const base = join(home, '..');
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return {
    sessions: existsSync(apart) ? readdirSync(apart) : [],
    mounts: mounts.filter((line) => line.includes(base)),
    processes: readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => commandIn(pid, [workspace, base]) ?? []),
  };
}

/** The command line of a process that works in one of the places or names it. */
function commandIn(pid: string, places: readonly string[]): string | null {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
    const folder = readlinkSync(`/proc/${pid}/cwd`);
    return places.some((place) => folder.startsWith(place) || command.includes(place)) ? command : null;
  } catch {
    // It ended meanwhile.
    return null;
  }
}
