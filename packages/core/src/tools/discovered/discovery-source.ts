import { dirname, isAbsolute } from 'node:path';
import { commandWords } from '@toolwright/machine/base/configuration/command-words.js';
import { SettingsError, ToolError } from '@toolwright/machine/base/errors.js';
import { fileStamps, openCachedJson } from '@toolwright/machine/host/state/cached-json.js';
import type { StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import { startFolder } from '@toolwright/mcp/transports/start-folder.js';
import type { ToolHost } from '../own/define-tool.js';
import type { ConfinementState, RunProgram } from '../programs/program.js';
import type { ToolSource } from '../tool-registry.js';
import { commandSource } from './discover-tools.js';

export interface DiscoveryNeeds {
  host: ToolHost;
  state: Pick<StateFolder, 'pathOf' | 'make'>;
  run: RunProgram;
  confinement?: ConfinementState;
  /** False: nobody vouches for the workspace, so discovery commands run no code of it. */
  trusted: boolean;
  environment: Readonly<Record<string, string | undefined>>;
}

/** The commands, as in the settings. */
interface DiscoveryCommands {
  discoveryCommand: string | readonly string[];
  callCommand: string | readonly string[] | undefined;
}

/** A mistake in these settings costs the tools that would have been found, not the program. */
export function discoverySource(options: DiscoveryCommands, needs: DiscoveryNeeds): ToolSource {
  try {
    return discovery(options, needs);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const discover = (): Promise<never> => Promise.reject(error);
    return { kind: 'command', name: 'Command discovery', discover };
  }
}

function discovery(options: DiscoveryCommands, needs: DiscoveryNeeds): ToolSource {
  const { host, state, run, environment } = needs;
  if (options.callCommand === undefined)
    throw new SettingsError(
      'tools.toolDiscoveryCommand is set, but tools.toolCallCommand is not: the tools it declares could not be called. Set both.',
    );
  const discoveryCommand = commandWords(options.discoveryCommand, 'tools.toolDiscoveryCommand');
  const callCommand = commandWords(options.callCommand, 'tools.toolCallCommand');
  const { directory } = host.workspace;
  return commandSource({
    discoveryCommand,
    callCommand,
    directory,
    run,
    refuse: needs.trusted ? undefined : () => refuseCodeOf(directory, [discoveryCommand, callCommand]),
    readable: [...discoveryCommand, ...callCommand].flatMap((word) => placeOf(word, environment)),
    cache: openCachedJson(state, 'discovery', JSON.stringify([discoveryCommand, directory])),
    stamp: () => fileStamps(discoveryCommand, directory, environment['PATH']).join('\n'),
    confinement: needs.confinement,
    now: () => host.clock.now(),
  });
}

/** A script reads what lies beside it; but a script in the home directory itself does not open all of that. */
function placeOf(word: string, { HOME = '' }: DiscoveryNeeds['environment']): string[] {
  if (!isAbsolute(word)) return [];
  return isInside(HOME, dirname(word)) ? [word] : [dirname(word)];
}

async function refuseCodeOf(workspace: string, commands: readonly (readonly string[])[]): Promise<void> {
  for (const [command = '', ...args] of commands) {
    const makeEmptyFolder = (): Promise<never> => {
      const what = `${command} would run what it finds in ${workspace}, which you do not trust. Name a program that does not, or trust the folder: toolwright trust`;
      throw new ToolError('denied', what);
    };
    await startFolder({ kind: 'stdio', command, args, env: {}, cwd: null }, { workspace, makeEmptyFolder });
  }
}
