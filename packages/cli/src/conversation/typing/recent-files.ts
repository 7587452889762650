import { type Agent, type AgentEvent, pastChanges } from '@toolwright/core';

/** Files that the user or the model had to do with lately. */
export interface RecentFiles {
  /** Latest first, as the workspace shows them. */
  paths(): readonly string[];
  /** The user named it. */
  add(path: string): void;
  /** A call of the model may name files. */
  heard(event: AgentEvent): void;
}

const MOST = 100;

/** Files of this conversation, then those that earlier ones changed. */
export function createRecentFiles(
  { host, state }: Pick<Agent, 'host' | 'state'>,
  signal: AbortSignal,
): RecentFiles {
  let here: string[] = [];
  let earlier: string[] | null = null;

  async function loadEarlier(): Promise<void> {
    earlier = [];
    const changes = await pastChanges(state, host.workspace.directory, signal);
    const paths = changes.toReversed().flatMap(({ changeSet }) => changeSet.changes.map(({ path }) => path));
    earlier = [...new Set(paths)].slice(0, MOST).map((path) => host.workspace.show(path));
  }

  function add(path: string): void {
    here = [path, ...here.filter((each) => each !== path)].slice(0, MOST);
  }

  return {
    paths() {
      // The journals are read when the first menu opens, not before.
      if (earlier === null) void loadEarlier().catch(() => undefined);
      return [...here, ...(earlier ?? [])];
    },
    add,
    heard(event) {
      if (event.type !== 'call-start') return;
      const { path, file_path: filePath, absolute_path: absolutePath } = event.args;
      for (const given of [path, filePath, absolutePath]) {
        if (typeof given === 'string' && given !== '') add(shownPath(given));
      }
    },
  };

  function shownPath(given: string): string {
    try {
      return host.workspace.show(host.workspace.resolve(given));
    } catch {
      return given;
    }
  }
}
