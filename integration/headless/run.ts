import { type FakeModelServer, startFakeModelServer } from '@toolwright/core/testing';
import { createMachine, type Ended, type Machine, type RunOptions } from '../program.js';

type Script = NonNullable<Parameters<typeof startFakeModelServer>[0]>;

export interface Stage {
  machine: Machine;
  server: FakeModelServer;
  run(args: string[], options?: RunOptions): Promise<Ended>;
  close(): Promise<void>;
}

export const files = {
  'a.txt': 'alpha\n',
  'src/app.ts': 'const app = 1; // TODO later\n',
};

/** A machine of its own and a model that says what the script says. */
export async function openStage(script: Script, wire: 'openai' | 'anthropic' = 'openai'): Promise<Stage> {
  const server = await startFakeModelServer(script);
  const machine = createMachine(files);
  const env = server.environment(wire);
  return {
    machine,
    server,
    run: (args, options) => machine.run(args, { ...options, env: { ...env, ...options?.env } }),
    async close() {
      await server.close();
      machine.cleanup();
    },
  };
}

/** Sends the signal a moment after the given request has arrived. */
export function killAtRequest(
  server: FakeModelServer,
  count: number,
  signal: NodeJS.Signals = 'SIGINT',
): NonNullable<RunOptions['onStart']> {
  return (kill) => {
    const timer = setInterval(() => {
      if (server.requests.length < count) return;
      clearInterval(timer);
      setTimeout(() => kill(signal), 300);
    }, 20);
  };
}

export function linesOf(stdout: string): Record<string, unknown>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

export const calls = {
  read: { name: 'read_file', arguments: { absolute_path: 'a.txt' } },
  edit: { name: 'edit', arguments: { file_path: 'a.txt', old_string: 'alpha', new_string: 'omega' } },
  write: { name: 'write_file', arguments: { file_path: 'new.txt', content: 'new\n' } },
};
