import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeModelServer, startFakeModelServer } from '@toolwright/core/testing';
import { createMachine, type Ended, type Machine } from '../program.js';

type Answer = Parameters<FakeModelServer['answer']>[0];

/** A machine on which a scripted model works while the session is recorded. */
export interface ReplayStage {
  machine: Machine;
  server: FakeModelServer;
  /** Names the model to a program that is run otherwise than by `record` and `replay`. */
  env: Record<string, string>;
  /** The recording, outside the workspace. */
  file: string;
  /** Records one prompt with these answers. */
  record(answers: Answer[], ...more: string[]): Promise<Ended>;
  replay(...more: string[]): Promise<Ended>;
  at(path: string): string | null;
  close(): Promise<void>;
}

export async function createReplayStage(
  files: Record<string, string>,
  env: Record<string, string> = {},
): Promise<ReplayStage> {
  const machine = createMachine(files);
  const server = await startFakeModelServer();
  const file = join(machine.home, '..', 'session.jsonl');
  const environment = { ...server.environment('openai'), ...env };
  return {
    machine,
    server,
    env: environment,
    file,
    record(answers, ...more) {
      server.answer(...answers);
      return machine.run(['--record', file, ...more, '-p', 'Do the work.'], { env: environment });
    },
    replay: (...more) => machine.run(['replay', file, ...more], { env: environment }),
    at(path) {
      const whole = join(machine.workspace, path);
      return existsSync(whole) ? readFileSync(whole, 'utf8') : null;
    },
    async close() {
      await server.close();
      machine.cleanup();
    },
  };
}

const usage = { inputTokens: 1_000, outputTokens: 20 };

export const calls = (...made: [string, Record<string, unknown>][]): Answer => ({
  calls: made.map(([name, args]) => ({ name, arguments: args })),
  usage,
});

export const says = (text: string): Answer => ({ text, usage });
