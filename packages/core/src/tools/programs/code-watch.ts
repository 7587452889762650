import { ToolError } from '@toolwright/machine/base/errors.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { CodeDigest } from '@toolwright/machine/host/run-code/digest-code.js';
import type { CommandToRun } from '@toolwright/machine/host/run-code/run-code.js';
import type { Workspace } from '@toolwright/machine/host/workspace.js';

export interface CodeWatchOptions {
  /** The command lines that settings name. */
  commands(): Promise<readonly CommandToRun[]>;
  workspace: Pick<Workspace, 'roots' | 'show'>;
  /** `PATH` */
  path: string;
}

/** Programs behind tools run as they were when the user began, or has last asked for them anew. */
export interface CodeWatch {
  begin(): void;
  /** Throws where a file that the command would run is not what it was. */
  refuseChanged(command: CommandToRun, signal: AbortSignal): Promise<void>;
}

export function createCodeWatch({ commands, workspace, path }: CodeWatchOptions): CodeWatch {
  let known: Promise<CodeDigest> | undefined;

  async function digestOf(command: CommandToRun, signal: AbortSignal): Promise<CodeDigest> {
    const { codeRunBy } = await import('@toolwright/machine/host/run-code/run-code.js');
    const roots = workspace.roots.filter(({ access }) => access === 'write').map((root) => root.path);
    const paths = await codeRunBy(command, { roots, path });
    if (paths.length === 0) return {};
    const { digestCode } = await import('@toolwright/machine/host/run-code/digest-code.js');
    return digestCode(paths, signal);
  }

  async function look(): Promise<CodeDigest> {
    const { signal } = new AbortController();
    const digests = await Promise.all((await commands()).map((command) => digestOf(command, signal)));
    return Object.assign({}, ...digests);
  }

  const begin = (): void => {
    known = look();
    // The failure is thrown when a program is about to run.
    known.catch(() => undefined);
  };
  return {
    begin,
    async refuseChanged(command, signal) {
      if (known === undefined) begin();
      const before = (await known) ?? {};
      const now = await digestOf(command, signal);
      const changed = Object.keys(now).find((file) => before[file] !== now[file]);
      if (changed === undefined) return;
      throw new ToolError(
        'denied',
        `${foreignText(workspace.show(changed))}, which this tool runs, changed since the session began, so it is not run. The user can look at it and then type /tools refresh, or start Toolwright again.`,
      );
    },
  };
}
