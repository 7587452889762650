import { join } from 'node:path';
import { openState } from '@toolwright/core';
import { createClock, createIds, deadlineIn, editSetting } from '@toolwright/core/front-end';
import type { Arguments } from '../../command-line/args.js';
import type { Setup } from '../../setup/runtime.js';

const EDIT_LIMIT_MS = 20_000;

/** File that `mcp add` and `mcp remove` write: the user's own settings, or the project's list of servers. */
export function serversFile(args: Arguments, { workspace, stateFolder }: Setup): string {
  return args.switches.has('project') ? join(workspace, '.mcp.json') : join(stateFolder, 'settings.json');
}

/** `undefined` removes it. False: it was so already. */
export async function writeServer(
  file: string,
  name: string,
  value: unknown,
  setup: Setup,
): Promise<boolean> {
  const state = openState({ path: setup.stateFolder, host: { clock: createClock(), ids: createIds() } });
  await state.make();
  const path = ['mcpServers', name];
  return editSetting({ file, path, value }, state, deadlineIn(EDIT_LIMIT_MS));
}
