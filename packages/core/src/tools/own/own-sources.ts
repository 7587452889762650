import type { DiscoveryNeeds } from '../discovered/discovery-source.js';
import type { ToolSource } from '../tool-registry.js';
import type { ThreadScript } from './thread/running-thread.js';
import { FolderSource } from './tool-folder.js';

/** A folder whose tool files may be used. */
export interface ToolFolder {
  /** Absolute and real. */
  path: string;
  /** The name of the only file in it that is meant. */
  only?: string;
  /** The extension that brings it: only its programs are used, which run in the sandbox. */
  extension?: string;
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
  /** The script that threads of tool files run; default: the one of this package. For programs that bundle it. */
  thread?(): Promise<ThreadScript>;
}

export interface OwnSourcesNeeds extends DiscoveryNeeds {
  /** The script that threads of tool files run, where the options name none. */
  thread(): Promise<ThreadScript>;
}

/** Gives a source for each folder, and one for the discovery command. */
export async function ownSources(options: OwnToolsOptions, needs: OwnSourcesNeeds): Promise<ToolSource[]> {
  const { host, state, run, confinement } = needs;
  const thread = options.thread ?? needs.thread;
  const folders = (options.folders ?? []).map(
    ({ path, vouched, only, extension }) =>
      new FolderSource({ folder: path, vouched, only, extension, thread, host, state, run, confinement }),
  );
  const { discoveryCommand, callCommand } = options;
  if (discoveryCommand === undefined) return folders;
  const { discoverySource } = await import('../discovered/discovery-source.js');
  return [...folders, discoverySource({ discoveryCommand, callCommand }, needs)];
}
