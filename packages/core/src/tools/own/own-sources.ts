import { dirname, isAbsolute } from 'node:path';
import { commandWords } from '@toolwright/machine/base/configuration/command-words.js';
import { SettingsError, ToolError } from '@toolwright/machine/base/errors.js';
import { fileStamps, openCachedJson } from '@toolwright/machine/host/state/cached-json.js';
import type { StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import { startFolder } from '@toolwright/mcp/transports/start-folder.js';
import { commandSource } from '../discovered/discover-tools.js';
import type { ConfinementState, RunProgram } from '../programs/program.js';
import type { ToolSource } from '../tool-registry.js';
import type { ToolHost } from './define-tool.js';
import type { ThreadScript } from './thread/running-thread.js';
import { folderSource } from './tool-folder.js';

/** A folder whose tool files may be used. */
export interface ToolFolder {
  /** Absolute and real. */
  path: string;
  /** The name of the only file in it that is meant. */
  only?: string;
  /** True when the user vouches for a file with this content; for folders of a project. */
  vouched?: (path: string, sha256: string) => Promise<boolean>;
}

/** Sources of tools beyond the built-in ones. Only those the user vouches for may stand here. */
export interface OwnToolsOptions {
  folders?: readonly ToolFolder[];
  /** Prints declarations of tools as JSON; needs `callCommand`. */
  discoveryCommand?: string | readonly string[] | undefined;
  /** Called with the name of a declared tool as its last argument, and the arguments as JSON on standard input. */
  callCommand?: string | readonly string[] | undefined;
  /** The script that threads of tool files run; the one of this package unless told. For programs that bundle it. */
  thread?(): Promise<ThreadScript>;
}

export interface OwnSourcesNeeds {
  host: ToolHost;
  state: Pick<StateFolder, 'pathOf' | 'make'>;
  run: RunProgram;
  confinement?: ConfinementState;
  /** False: nobody vouches for the workspace, so discovery commands run no code of it. */
  trusted: boolean;
  /** The script that threads of tool files run, where the options name none. */
  thread(): Promise<ThreadScript>;
  environment: Readonly<Record<string, string | undefined>>;
}

export function ownSources(options: OwnToolsOptions, needs: OwnSourcesNeeds): ToolSource[] {
  const { host, state, run, confinement } = needs;
  const thread = options.thread ?? needs.thread;
  const folders = (options.folders ?? []).map(({ path, vouched, only }) =>
    folderSource({ folder: path, vouched, only, thread, host, state, run, confinement }),
  );
  const command = discoveryOrProblem(options, needs);
  return command ? [...folders, command] : folders;
}

/** A mistake in these settings costs the tools that would have been found, not the program. */
function discoveryOrProblem(options: OwnToolsOptions, needs: OwnSourcesNeeds): ToolSource | null {
  try {
    return discovery(options, needs);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const discover = (): Promise<never> => Promise.reject(error);
    return { kind: 'command', name: 'Command discovery', discover };
  }
}

function discovery(options: OwnToolsOptions, needs: OwnSourcesNeeds): ToolSource | null {
  const { host, state, run, environment } = needs;
  if (options.discoveryCommand === undefined) return null;
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
function placeOf(word: string, { HOME = '' }: OwnSourcesNeeds['environment']): string[] {
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
