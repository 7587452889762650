import type { BlobSource } from '@toolwright/machine/host/objects/before-images.js';
import { type ReadText, textReader } from './changed-sources.js';
import { showPresent } from './check-change.js';
import { type LanguageOptions, languagesOf } from './known-servers.js';
import {
  createRunningServers,
  type RunningServers,
  type RunningServersNeeds,
  type ServedFile,
  type SweptFile,
} from './running-servers.js';
import { type Brought, type CallWithChanges, createTellErrors } from './tell-errors.js';

export interface LanguagesNeeds extends RunningServersNeeds {
  /** Gives earlier versions of files. */
  objects: BlobSource;
  /** Paths that rules keep from the model. */
  hidden(path: string): boolean;
  options: LanguageOptions;
}

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

export function createLanguages(needs: LanguagesNeeds): Languages {
  const languages = languagesOf(needs.options);
  const servers = createRunningServers(needs, languages);
  const readText = textReader(needs);
  const tellErrors = createTellErrors({ ...needs, servers, languages, readText });
  return {
    afterCall: tellErrors.afterCall,
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
      tellErrors.forget();
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
