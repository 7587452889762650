import type { Clock } from '@toolwright/machine/host/host.js';
import type { Workspace } from '@toolwright/machine/host/workspace.js';
import type { OpenSessionApart } from './apart/session-apart.js';
import type { ScriptOptions } from './options/toolbox-options.js';
import type { Permission } from './permission/permission.js';
import type { FirstRequest } from './tools/loading/first-request.js';
import type { ToolRegistry } from './tools/tool-registry.js';

export interface ScriptRoomNeeds {
  clock: Clock;
  registry: ToolRegistry;
  firstRequest: FirstRequest;
  apart: Pick<OpenSessionApart, 'gather'>;
  permission: Pick<Permission, 'mode'>;
  workspace: Pick<Workspace, 'show'>;
}

/** Offers the tool for scripts where the settings want it. Nothing of its engine is loaded before a script runs. */
export async function offerScript(
  { enabled, thread }: ScriptOptions = {},
  { clock, registry, firstRequest, apart, permission, workspace }: ScriptRoomNeeds,
): Promise<void> {
  if (!enabled) return;
  const { ScriptTool } = await import('./tools/script/script.js');
  const built = async (): Promise<URL> => new URL('./script-thread.mjs', import.meta.url);
  const tool = new ScriptTool({
    clock,
    thread: thread ?? built,
    tools: () => registry.getAllTools(),
    // In plan mode nothing is changed, so there is nothing to gather.
    gather: async (say, signal) => (permission.mode === 'plan' ? null : apart.gather(say, signal)),
    show: workspace.show,
  });
  await firstRequest.offerAtStart(tool);
}
