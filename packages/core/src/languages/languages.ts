import type { Effect } from '@toolwright/machine/base/effect.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { decodeText } from '@toolwright/machine/base/text-codec.js';
import { type ChangeSet, stateAfter, stateBefore } from '@toolwright/machine/changes/change-set.js';
import { deadlineIn, withinDeadline } from '@toolwright/machine/host/deadline.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { SourceError } from '@toolwright/machine/host/language-server/protocol.js';
import type { BlobSource } from '@toolwright/machine/host/objects/before-images.js';
import { type ChangedSource, type CheckedFile, checkChange, showPresent } from './check-change.js';
import { describeErrors } from './describe-errors.js';
import { createDiskSweep, type DiskSweep } from './disk-sweep.js';
import { type Language, type LanguageOptions, languageOf, languagesOf } from './known-servers.js';
import { stillThere } from './new-errors.js';
import { createServerPool, type PooledServer, type PoolNeeds } from './server-pool.js';

export interface LanguagesNeeds extends Omit<PoolNeeds, 'host'> {
  host: Host;
  /** Gives earlier versions of files. */
  objects: BlobSource;
  /** Paths that rules keep from the model. */
  hidden(path: string): boolean;
  options: LanguageOptions;
  /** A server has come up. */
  onServer?(): void;
}

/** A call that is over, as far as language servers care. */
interface CallWithChanges {
  effects: readonly Effect[];
  /** The change set that it has committed. */
  changes?: ChangeSet | undefined;
}

/** A running server with the language and the folder it serves. */
export interface ServedFile {
  server: PooledServer;
  language: Language;
  root: string;
}

/** What language servers know about the files of a session. Never fails a call. */
export interface Languages {
  /** Sentences for the model about errors that changes have brought. Waits no longer than the settings say. */
  afterCall(call: CallWithChanges, signal: AbortSignal): Promise<string[]>;
  /** Asks the server of a file, which sees everything as it is now; null where there is none. */
  ask<Result>(
    path: string,
    question: (served: ServedFile) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result | null>;
  /** Servers that run, with a file of each that has been looked at. */
  running(): { server: PooledServer; path: string }[];
  /** The text of a file as the session sees it; null where it can't be read. */
  readText(path: string, signal: AbortSignal): Promise<string | null>;
  /** Ends the servers of this session; they start again when they are needed. */
  stop(): Promise<void>;
}

const WAIT_MS = 500;
const CHECK_LIMIT_MS = 60_000;
/** Of a change of more files, such as a change of branch, nothing is asked. */
const MOST_CHANGED = 50;
const LARGEST_FILE = 1024 * 1024;

export function createLanguages(needs: LanguagesNeeds): Languages {
  const { host, options } = needs;
  const languages = languagesOf(options);
  const pool = createServerPool(needs);
  const sweeps = new Map<PooledServer, { sweep: DiskSweep; path: string }>();
  /** Errors that no response has told yet, by file. */
  const untold = new Map<string, { errors: SourceError[]; server: string }>();

  async function readText(path: string, signal: AbortSignal): Promise<string | null> {
    if (needs.hidden(path)) return null;
    try {
      const { bytes } = await host.files.read(path, { maxBytes: LARGEST_FILE, signal });
      return (await decodeText(bytes))?.text ?? null;
    } catch {
      return null;
    }
  }

  async function serverFor(path: string, signal: AbortSignal): Promise<ServedFile | null> {
    const language = languageOf(path, languages);
    const root = host.workspace.rootOf(path);
    if (!language || root?.access !== 'write') return null;
    const server = await pool.serverOf(language, root.path, signal);
    if (server === null) return null;
    if (!sweeps.has(server)) {
      const sweep = createDiskSweep(root.path, language, host);
      sweeps.set(server, { sweep, path });
      await sweep.changed(signal);
      needs.onServer?.();
    }
    return { server, language, root: root.path };
  }

  async function check(sources: readonly ChangedSource[], signal: AbortSignal): Promise<void> {
    const [first] = sources;
    const served = first && (await serverFor(first.path, signal));
    if (!served) return;
    const { sweep } = sweeps.get(served.server)!;
    const checked = await checkChange(sources, { ...served, sweep, ripgrep: host.ripgrep, readText }, signal);
    for (const file of checked) note(file, served.server.name);
  }

  function note({ path, errors, fresh }: CheckedFile, server: string): void {
    const remaining = stillThere(untold.get(path)?.errors ?? [], errors);
    const all = [...new Set([...remaining, ...fresh])];
    if (all.length > 0 && !needs.hidden(path)) untold.set(path, { errors: all, server });
    else untold.delete(path);
  }

  function tell(isLate: boolean): string[] {
    const byServer = [...groups(untold)];
    untold.clear();
    return byServer.flatMap(([server, files]) => {
      const text = describeErrors(files, { show: host.workspace.show, server, isLate });
      return text === null ? [] : [text];
    });
  }

  /** Starts the servers of files that were read, so that they are ready when something changes. */
  function warm(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (!('path' in effect) || !languageOf(effect.path, languages)) continue;
      serverFor(effect.path, deadlineIn(CHECK_LIMIT_MS)).catch(logged);
    }
  }

  const logged = (error: unknown): void => host.log.debug('A language server failed', messageOf(error));

  return {
    async afterCall({ effects, changes }, signal) {
      if (!changes) {
        warm(effects);
        return tell(true);
      }
      const sources = await changedSources(changes, { ...needs, languages, readText }, signal).catch(
        () => [],
      );
      const byPlace = new Map<string, ChangedSource[]>();
      for (const source of sources) {
        const place = `${languageOf(source.path, languages)?.name}\0${host.workspace.rootOf(source.path)?.path}`;
        byPlace.set(place, [...(byPlace.get(place) ?? []), source]);
      }
      // A check goes on when nobody waits for it any more: what it finds is told with a later response.
      const checks = [...byPlace.values()].map((group) =>
        check(group, deadlineIn(CHECK_LIMIT_MS)).catch(logged),
      );
      const done = await withinDeadline(Promise.all(checks), {
        ms: options.waitMs ?? WAIT_MS,
        clock: host.clock,
        signal,
      });
      return tell(done === null);
    },
    async ask(path, question, signal) {
      const served = await serverFor(path, signal);
      if (!served) return null;
      const { server } = served;
      return server.inTurn(async () => {
        server.filesChanged((await sweeps.get(server)!.sweep.changed(signal)) ?? []);
        await showPresent([...new Set([...server.shown(), path])], { ...served, readText }, signal);
        return question(served);
      });
    },
    running: () =>
      [...sweeps].flatMap(([server, { path }]) => (server.ended() === null ? [{ server, path }] : [])),
    readText,
    async stop() {
      untold.clear();
      sweeps.clear();
      await pool.close();
    },
  };
}

function groups(untold: ReadonlyMap<string, { errors: SourceError[]; server: string }>) {
  const byServer = new Map<string, { path: string; errors: SourceError[] }[]>();
  for (const [path, { errors, server }] of untold)
    byServer.set(server, [...(byServer.get(server) ?? []), { path, errors }]);
  return byServer;
}

/** The source files of a change set with their texts; none where there are too many of them. */
async function changedSources(
  { changes }: ChangeSet,
  {
    languages,
    objects,
    readText,
  }: Pick<LanguagesNeeds, 'objects'> & Pick<Languages, 'readText'> & { languages: readonly Language[] },
  signal: AbortSignal,
): Promise<ChangedSource[]> {
  const sources = changes.filter(
    ({ path, kind }) =>
      (kind === 'create' || kind === 'modify' || kind === 'delete') && languageOf(path, languages),
  );
  if (sources.length > MOST_CHANGED) return [];
  const read = await Promise.all(
    sources.map(async (change): Promise<ChangedSource[]> => {
      const [was, is] = [stateBefore(change), stateAfter(change)];
      const before = was.kind === 'file' ? await textOf(was.hash, objects) : null;
      const after = is.kind === 'file' ? await readText(change.path, signal) : null;
      // Nothing can be compared with a text that can't be read.
      const isUnread = (was.kind === 'file' && before === null) || (is.kind === 'file' && after === null);
      return isUnread ? [] : [{ path: change.path, before, after }];
    }),
  );
  return read.flat();
}

async function textOf(hash: string, objects: BlobSource): Promise<string | null> {
  try {
    const bytes = await objects.read(hash);
    return bytes.byteLength > LARGEST_FILE ? null : ((await decodeText(bytes))?.text ?? null);
  } catch {
    return null;
  }
}
