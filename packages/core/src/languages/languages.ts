import type { Effect } from '@toolwright/machine/base/effect.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import type { ChangeSet } from '@toolwright/machine/changes/change-set.js';
import { deadlineIn, withinDeadline } from '@toolwright/machine/host/deadline.js';
import type { BlobSource } from '@toolwright/machine/host/objects/before-images.js';
import {
  type ChangedSource,
  changedSources,
  MOST_CHANGED,
  type ReadText,
  textReader,
} from './changed-sources.js';
import { checkChange, showPresent } from './check-change.js';
import type { NewErrors } from './describe-errors.js';
import { type LanguageOptions, languageOf, languagesOf } from './known-servers.js';
import {
  createRunningServers,
  type RunningServers,
  type RunningServersNeeds,
  type ServedFile,
  type SweptFile,
} from './running-servers.js';
import { type Author, createUntoldErrors } from './untold-errors.js';

export interface LanguagesNeeds extends RunningServersNeeds {
  /** Gives earlier versions of files. */
  objects: BlobSource;
  /** Paths that rules keep from the model. */
  hidden(path: string): boolean;
  options: LanguageOptions;
}

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

/** The knowledge of language servers about the files of a session. Never fails a call. */
export interface Languages extends Pick<RunningServers, 'running'> {
  /** Gives the errors that changes have brought. Waits no longer than the settings say. */
  afterCall(call: CallWithChanges, signal: AbortSignal): Promise<Brought>;
  /** Asks the server of a file, which sees everything as it is now; null where there is none. */
  ask<Result>(
    path: string,
    question: (served: ServedFile) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result | null>;
  readText: ReadText;
  /** Ends the servers of this session; they start again when they are needed. */
  stop(): Promise<void>;
}

const WAIT_MS = 500;
const CHECK_LIMIT_MS = 60_000;

export function createLanguages(needs: LanguagesNeeds): Languages {
  const { host, options, hidden } = needs;
  const languages = languagesOf(options);
  const servers = createRunningServers(needs, languages);
  const untold = createUntoldErrors({ hidden, show: host.workspace.show });
  const readText = textReader(needs);
  const logged = (error: unknown): void => host.log.debug('A language server failed', messageOf(error));

  async function check(
    sources: readonly ChangedSource[],
    author: Author,
    signal: AbortSignal,
  ): Promise<void> {
    const checking = async (served: SweptFile): Promise<void> => {
      const checked = await checkChange(sources, { ...served, ripgrep: host.ripgrep, readText }, signal);
      for (const file of checked) untold.note(file, { server: served.server.name, author });
    };
    await servers.use(sources[0]!.path, checking, signal);
  }

  /** Starts the server of a file that was read, so that it is ready when something changes. */
  const warm = (path: string): void =>
    void servers.use(path, async () => undefined, deadlineIn(CHECK_LIMIT_MS)).catch(logged);

  /** Says that nothing is known of so many files, where a server would know something. */
  async function uncheckedNotes(paths: readonly string[], signal: AbortSignal): Promise<string[]> {
    const oneOfEach = new Map(paths.map((path) => [languageOf(path, languages), path]));
    const known = [...oneOfEach.values()].map((path) =>
      servers.use(path, async () => true, signal).catch(() => null),
    );
    const limit = { ms: options.waitMs ?? WAIT_MS, clock: host.clock, signal };
    const found = await withinDeadline(Promise.all(known), limit);
    return found?.some((each) => each !== null) ? [notChecked(paths.length)] : [];
  }

  return {
    async afterCall({ effects, changes, author, endsAgent = false, isUnheard = false }, signal) {
      const tell = (isLate: boolean): NewErrors[] =>
        isUnheard ? [] : untold.tell({ author, andAgents: endsAgent, isLate });
      if (changes.length === 0) {
        for (const effect of effects) if ('path' in effect) warm(effect.path);
        return { errors: tell(true), notes: [] };
      }
      const found = await changedSources(changes, { ...needs, languages, readText }, signal).catch(
        () => null,
      );
      const unchecked = found?.unchecked ?? [];
      if (unchecked.length > 0) return { errors: tell(true), notes: await uncheckedNotes(unchecked, signal) };
      // A check goes on when nobody waits for it any more: what it finds is told with a later response.
      const checks = (found?.groups ?? []).map((group) =>
        check(group, author, deadlineIn(CHECK_LIMIT_MS)).catch(logged),
      );
      if (isUnheard) return broughtNothing;
      const limit = { ms: options.waitMs ?? WAIT_MS, clock: host.clock, signal };
      return { errors: tell((await withinDeadline(Promise.all(checks), limit)) === null), notes: [] };
    },
    ask(path, question, signal) {
      const asking = (served: SweptFile) =>
        served.server.inTurn(async () => {
          await bringUpToDate(path, { ...served, readText }, signal);
          return question(served);
        });
      return servers.use(path, asking, signal);
    },
    running: servers.running,
    readText,
    stop: () => {
      untold.clear();
      return servers.stop();
    },
  };
}

function notChecked(files: number): string {
  return `Not checked for new errors: ${files} changed files, more than ${MOST_CHANGED} at once. Run the check of the project itself.`;
}

/** The server sees the disk, the documents that it was shown and one more file as they are now. */
async function bringUpToDate(
  path: string,
  served: SweptFile & { readText: ReadText },
  signal: AbortSignal,
): Promise<void> {
  const { server, sweep } = served;
  server.filesChanged(await sweep.changed(signal));
  await showPresent([...new Set([...server.shown(), path])], served, signal);
}
