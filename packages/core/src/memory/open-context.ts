import { DEFAULT_CONTEXT_FILE } from '@toolwright/machine/base/places/context-names.js';
import type { Host } from '@toolwright/machine/host/host.js';
import { leavingIgnored } from '@toolwright/machine/host/ignore/ignore.js';
import { openFolder, openProject, type ProjectOptions } from '@toolwright/machine/host/project.js';
import { openOwnTextFile } from '@toolwright/machine/host/state/own-text-file.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import { type ContextFiles, type ContextOptions, createContextFiles } from './context-files.js';

/** The options of reading context files. */
export interface OpenContextOptions
  extends Pick<ContextOptions, 'fileNames' | 'importDepth' | 'trusted' | 'limits'>,
    Pick<ProjectOptions, 'policy' | 'home'> {
  host: Pick<Host, 'workspace' | 'files' | 'ignore' | 'ids'>;
  state: State;
}

/** The context files of a workspace and of the user, with the doors to read them through. */
export async function openContextFiles(options: OpenContextOptions): Promise<ContextFiles> {
  const { host, state, policy, home, fileNames = [DEFAULT_CONTEXT_FILE] } = options;
  const doors: Pick<ProjectOptions, 'ids' | 'policy'> = {
    ids: host.ids,
    policy: leavingIgnored(host, policy),
  };
  return createContextFiles({
    ...options,
    fileNames,
    project: await openProject({ ...doors, workspace: host.workspace, home }),
    globalFiles: fileNames.map((name) => openOwnTextFile(state, name)),
    openFolder: (directory) => openFolder(directory, doors),
  });
}
