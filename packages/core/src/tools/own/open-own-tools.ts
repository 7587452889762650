import { namesIn } from '@toolwright/machine/host/state/inspect-files.js';
import type { Environment, StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import type { CodeWatch } from '../programs/code-watch.js';
import type { ConfinedRunNeeds } from '../programs/run-confined.js';
import type { ToolRegistry, ToolSource } from '../tool-registry.js';
import type { ToolHost } from './define-tool.js';
import type { OwnSourcesNeeds, OwnToolsOptions } from './own-sources.js';

export interface OwnToolsNeeds {
  host: ToolHost;
  state: Pick<StateFolder, 'pathOf' | 'make'>;
  registry: ToolRegistry;
  /** Confinement of programs; asked for once there is one to run. */
  confinement(): Promise<Omit<ConfinedRunNeeds, 'workspace'>>;
  environment: Environment;
  /** The user vouches for the workspace. */
  trusted: boolean;
  /** The script that threads of tool files run. */
  thread: OwnSourcesNeeds['thread'];
}

export interface OwnTools {
  /**
   * Loads what is new or changed, and takes out what is gone. Gives one sentence for each that can't be used. With
   * `anew` discovery commands run again too.
   */
  refresh(signal: AbortSignal, anew?: boolean): Promise<string[]>;
  /** Ends the threads of tool files. */
  close(): Promise<void>;
}

/** Tools of the user's own. Where there are none, a look into their folders is all that happens. */
export function openOwnTools(options: OwnToolsOptions, needs: OwnToolsNeeds): OwnTools {
  const { host, state, registry, environment, trusted, thread } = needs;
  let confined: ReturnType<typeof needs.confinement> | undefined;
  const confinement = () => (confined ??= needs.confinement());
  let sources: ToolSource[] | undefined;
  let code: CodeWatch | undefined;

  async function open(): Promise<void> {
    const { ownSources } = await import('./own-sources.js');
    const { confinedRun } = await import('../programs/run-confined.js');
    const { createCodeWatch } = await import('../programs/code-watch.js');
    const { toolCommands } = await import('./tool-commands.js');
    code = createCodeWatch({
      commands: () => toolCommands(options, host.workspace.directory),
      workspace: host.workspace,
      path: environment['PATH'] ?? '',
    });
    sources = ownSources(options, {
      host,
      state,
      async run(program, run) {
        await code?.refuseChanged(program, run.signal);
        return confinedRun({ ...(await confinement()), workspace: host.workspace })(program, run);
      },
      confinement: async (signal) => (await confinement()).sandbox.state(signal),
      environment,
      trusted,
      thread,
    });
    for (const source of sources) registry.addSource(source);
  }

  return {
    async refresh(signal, anew = false) {
      const isFirst = !sources;
      if (isFirst && !(await areThere(options))) return [];
      if (isFirst) await open();
      // Only the user asks for it.
      if (isFirst || anew) code?.begin();
      return (await registry.discoverOwnTools(signal, isFirst || anew ? undefined : 'file')).problems;
    },
    async close() {
      await Promise.all((sources ?? []).map((source) => source.close?.()));
    },
  };
}

async function areThere({ discoveryCommand, folders = [] }: OwnToolsOptions): Promise<boolean> {
  if (discoveryCommand !== undefined) return true;
  const names = await Promise.all(folders.map(({ path }) => namesIn(path)));
  return names.some((inFolder) => inFolder.length > 0);
}
