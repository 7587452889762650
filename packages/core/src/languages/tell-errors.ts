import type { Effect } from '@toolwright/machine/base/effect.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import type { ChangeSet } from '@toolwright/machine/changes/change-set.js';
import { deadlineIn, withinDeadline } from '@toolwright/machine/host/deadline.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { BlobSource } from '@toolwright/machine/host/objects/before-images.js';
import { type ChangedSource, changedSources, MOST_CHANGED, type ReadText } from './changed-sources.js';
import { checkChange } from './check-change.js';
import type { NewErrors } from './describe-errors.js';
import { type Language, type LanguageOptions, languageOf } from './known-servers.js';
import type { RunningServers, SweptFile } from './running-servers.js';
import { type Author, createUntoldErrors } from './untold-errors.js';

/** A call that is over, as far as language servers care. */
export interface CallWithChanges {
  effects: readonly Effect[];
  /** The change sets that it has committed, in their order. */
  changes: readonly ChangeSet[];
  /** The subagent that made it. */
  author?: string | undefined;
  /** It was a subagent: what that one was not told any more is told here. */
  endsAgent?: boolean | undefined;
  /** Nobody sends its response to a model, so that errors wait for a later one. */
  isUnheard?: boolean | undefined;
}

/** What changes have brought about. */
export interface Brought {
  errors: NewErrors[];
  /** Sentences for the model. */
  notes: string[];
}

const broughtNothing: Brought = { errors: [], notes: [] };

const WAIT_MS = 500;
const CHECK_LIMIT_MS = 60_000;

interface TellNeeds {
  host: Host;
  /** Gives earlier versions of files. */
  objects: BlobSource;
  /** Paths that rules keep from the model. */
  hidden(path: string): boolean;
  options: LanguageOptions;
  servers: RunningServers;
  languages: readonly Language[];
  readText: ReadText;
}

/** Tells after each call which errors changes have brought. */
export function createTellErrors(needs: TellNeeds) {
  const { host, options, hidden, servers } = needs;
  const untold = createUntoldErrors({ hidden, show: host.workspace.show });
  const logged = (error: unknown): void => host.log.debug('A language server failed', messageOf(error));
  const inTime = <Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | null> =>
    withinDeadline(work, { ms: options.waitMs ?? WAIT_MS, clock: host.clock, signal });

  async function check(sources: readonly ChangedSource[], author: Author): Promise<void> {
    const signal = deadlineIn(CHECK_LIMIT_MS);
    const checking = async (served: SweptFile): Promise<void> => {
      if (!served.server.tellsErrors) return;
      const checked = await checkChange(sources, { ...needs, ...served, ripgrep: host.ripgrep }, signal);
      for (const file of checked) untold.note(file, { server: served.server.name, author });
    };
    await servers.use(sources[0]!.path, checking, signal).catch(logged);
  }

  /** Starts the server of a file that was read, so that it is ready when something changes. */
  const warm = (path: string): void =>
    void servers.use(path, async () => undefined, deadlineIn(CHECK_LIMIT_MS)).catch(logged);

  return {
    async afterCall(
      { effects, changes, author, endsAgent = false, isUnheard = false }: CallWithChanges,
      signal: AbortSignal,
    ): Promise<Brought> {
      const tell = (isLate: boolean): NewErrors[] =>
        isUnheard ? [] : untold.tell({ author, andAgents: endsAgent, isLate });
      if (changes.length === 0) {
        for (const effect of effects) if ('path' in effect) warm(effect.path);
        return { errors: tell(true), notes: [] };
      }
      const found = await changedSources(changes, needs, signal).catch(() => null);
      const unchecked = found?.unchecked ?? [];
      if (unchecked.length > 0) {
        const isKnown = await inTime(someServer(unchecked, needs, signal), signal);
        return { errors: tell(true), notes: isKnown ? [notChecked(unchecked.length)] : [] };
      }
      // A check goes on when nobody waits for it any more: what it finds is told with a later response.
      const checks = Promise.all((found?.groups ?? []).map((group) => check(group, author)));
      if (isUnheard) return broughtNothing;
      return { errors: tell((await inTime(checks, signal)) === null), notes: [] };
    },
    forget: untold.clear,
  };
}

/** Is there a server for one of these files? */
async function someServer(
  paths: readonly string[],
  { servers, languages }: Pick<TellNeeds, 'servers' | 'languages'>,
  signal: AbortSignal,
): Promise<boolean> {
  const oneOfEach = new Map(paths.map((path) => [languageOf(path, languages), path]));
  const found = await Promise.all(
    [...oneOfEach.values()].map((path) => servers.use(path, async () => true, signal).catch(() => null)),
  );
  return found.includes(true);
}

function notChecked(files: number): string {
  return `Not checked for new errors: ${files} changed files, more than ${MOST_CHANGED} at once. Run the check of the project itself.`;
}
