import { join } from 'node:path';
import { createToolbox, type Toolbox } from '../../packages/core/src/create-toolbox.js';

/** The session apart of a base folder; a new one without an id, none at all for null. */
export function openApartAt(base: string, id: string | null): Promise<Toolbox> {
  return createToolbox({
    workspace: join(base, 'workspace'),
    stateFolder: join(base, 'state'),
    apart: id === '' ? true : (id ?? false),
    confirm: async () => ({ kind: 'once' }),
  });
}

const { signal } = new AbortController();

export async function run({ scheduler }: Toolbox, command: string): Promise<void> {
  const [settled] = await scheduler.run(
    [{ id: '1', name: 'run_shell_command', arguments: { command } }],
    signal,
  );
  if (settled?.error) throw new Error(settled.error.message);
}
