import type { Effect } from '@toolwright/machine/base/effect.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import type { ChangeSet } from '@toolwright/machine/changes/change-set.js';
import { deadlineIn, withinDeadline } from '@toolwright/machine/host/deadline.js';
import type { BlobSource } from '@toolwright/machine/host/objects/before-images.js';
import { type ChangedSource, changedSources, type ReadText, textReader } from './changed-sources.js';
import { checkChange, showPresent } from './check-change.js';
import { type LanguageOptions, languagesOf } from './known-servers.js';
import {
  createRunningServers,
  type RunningServers,
  type RunningServersNeeds,
  type ServedFile,
  type SweptFile,
} from './running-servers.js';
import { createUntoldErrors } from './untold-errors.js';

export interface LanguagesNeeds extends RunningServersNeeds {
  /** Gives earlier versions of files. */
  objects: BlobSource;
  /** Paths that rules keep from the model. */
  hidden(path: string): boolean;
  options: LanguageOptions;
}

/** A call that is over, as far as language servers care. */
interface CallWithChanges {
  effects: readonly Effect[];
  /** The change set that it has committed. */
  changes?: ChangeSet | undefined;
}

/** The knowledge of language servers about the files of a session. Never fails a call. */
export interface Languages extends Pick<RunningServers, 'running'> {
  /** Sentences for the model about errors that changes have brought. Waits no longer than the settings say. */
  afterCall(call: CallWithChanges, signal: AbortSignal): Promise<string[]>;
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

  async function check(sources: readonly ChangedSource[], signal: AbortSignal): Promise<void> {
    const checking = async (served: SweptFile): Promise<void> => {
      const checked = await checkChange(sources, { ...served, ripgrep: host.ripgrep, readText }, signal);
      for (const file of checked) untold.note(file, served.server.name);
    };
    await servers.use(sources[0]!.path, checking, signal);
  }

  /** Starts the server of a file that was read, so that it is ready when something changes. */
  const warm = (path: string): void =>
    void servers.use(path, async () => undefined, deadlineIn(CHECK_LIMIT_MS)).catch(logged);

  return {
    async afterCall({ effects, changes }, signal) {
      if (!changes) {
        for (const effect of effects) if ('path' in effect) warm(effect.path);
        return untold.tell({ isLate: true });
      }
      const sources = { ...needs, languages, readText };
      const groups = await changedSources(changes, sources, signal).catch(() => []);
      // A check goes on when nobody waits for it any more: what it finds is told with a later response.
      const checks = groups.map((group) => check(group, deadlineIn(CHECK_LIMIT_MS)).catch(logged));
      const limit = { ms: options.waitMs ?? WAIT_MS, clock: host.clock, signal };
      return untold.tell({ isLate: (await withinDeadline(Promise.all(checks), limit)) === null });
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
