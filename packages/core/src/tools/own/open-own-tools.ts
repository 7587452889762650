import { namesIn } from '@toolwright/machine/host/state/inspect-files.js';
import type { Environment, StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import type { CodeWatch } from '../programs/code-watch.js';
import type { ConfinedRunNeeds } from '../programs/run-confined.js';
import type { ToolRegistry, ToolSource } from '../tool-registry.js';
import type { ToolHost } from './define-tool.js';
import type { OwnSourcesNeeds, OwnToolsOptions } from './own-sources.js';
import type { ToolCommand } from './tool-commands.js';

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

/** The tools of the user and of the workspace. */
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
  const { registry } = needs;
  let opened: OpenedSources | undefined;
  return {
    async refresh(signal, anew = false) {
      const isFirst = !opened;
      if (isFirst && !(await isNeeded(options))) return [];
      opened ??= await openSources(options, needs);
      // Only the user asks for it.
      if (isFirst || anew) opened.code.begin();
      return (await registry.discoverOwnTools(signal, isFirst || anew ? undefined : 'file')).problems;
    },
    async close() {
      await Promise.all((opened?.sources ?? []).map((source) => source.close?.()));
    },
  };
}

async function isNeeded({ discoveryCommand, folders = [] }: OwnToolsOptions): Promise<boolean> {
  if (discoveryCommand !== undefined) return true;
  const names = await Promise.all(folders.map(({ path }) => namesIn(path)));
  return names.some((inFolder) => inFolder.length > 0);
}

interface OpenedSources {
  sources: ToolSource[];
  /** The code of the programs that tools run. */
  code: CodeWatch;
}

async function openSources(options: OwnToolsOptions, needs: OwnToolsNeeds): Promise<OpenedSources> {
  const { host, state, registry, environment, trusted, thread } = needs;
  const { ownSources } = await import('./own-sources.js');
  const { createCodeWatch } = await import('../programs/code-watch.js');
  let confined: ReturnType<typeof needs.confinement> | undefined;
  const confinement = () => (confined ??= needs.confinement());
  const code = createCodeWatch({
    commands: () => programsOf(options, host.workspace.directory),
    workspace: host.workspace,
    path: environment['PATH'] ?? '',
  });
  const sources = await ownSources(options, {
    host,
    state,
    async run(program, run) {
      await code.refuseChanged(program, run.signal);
      const { confinedRun } = await import('../programs/run-confined.js');
      return confinedRun({ ...(await confinement()), workspace: host.workspace })(program, run);
    },
    confinement: async (signal) => (await confinement()).sandbox.state(signal),
    environment,
    trusted,
    thread,
  });
  for (const source of sources) registry.addSource(source);
  return { sources, code };
}

async function programsOf(options: OwnToolsOptions, directory: string): Promise<ToolCommand[]> {
  const { toolCommands } = await import('./tool-commands.js');
  return (await toolCommands(options, directory)).filter(({ isProgram }) => isProgram);
}
