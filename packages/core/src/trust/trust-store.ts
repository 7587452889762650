import { SettingsError } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import { realPathOf } from '@toolwright/machine/host/state/inspect-files.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import { examineFolder, type FolderExamination } from './examine-folder.js';

/** The user's answer about one folder. It says nothing about the folders inside or around it. */
export interface TrustEntry {
  /** Real path. */
  folder: string;
  trusted: boolean;
  /** Digests of the files the folder could run when the answer was given, by path. */
  files: Record<string, string>;
  /** Milliseconds since 1970. */
  decidedAt: number;
}

export interface TrustChange {
  path: string;
  change: 'added' | 'modified' | 'removed';
}

/** `unknown`: nobody was asked. `changed`: trusted once, but something that could run is different now. */
export type TrustState =
  | { state: 'trusted' | 'untrusted' | 'unknown'; examination: FolderExamination }
  | { state: 'changed'; changes: TrustChange[]; examination: FolderExamination };

/** The folders that the user trusts. */
export interface TrustStore {
  trustState(folder: string, signal: AbortSignal): Promise<TrustState>;
  /** Takes what the user was shown, so that a change made meanwhile is not trusted with it. */
  trustFolder(examination: FolderExamination, signal: AbortSignal): Promise<void>;
  /** The user said no: not asked again. */
  distrustFolder(examination: Pick<FolderExamination, 'folder'>, signal: AbortSignal): Promise<void>;
  /** Forgets the answer. False when there was none. Works for folders that are gone. */
  untrustFolder(folder: string, signal: AbortSignal): Promise<boolean>;
  list(): Promise<TrustEntry[]>;
}

/** `trust.json` in the state folder. */
export function openTrustStore(state: State, { clock }: { clock: Pick<Clock, 'now'> }): TrustStore {
  const entriesNow = async () => entriesIn(await state.readJson('trust'), state);

  async function change(update: (entries: TrustEntry[]) => TrustEntry[], signal: AbortSignal): Promise<void> {
    await state.updateJson('trust', (data) => ({ ...data, folders: update(entriesIn(data, state)) }), signal);
  }

  function answer(folder: string, files: Record<string, string> | null, signal: AbortSignal): Promise<void> {
    const entry = { folder, trusted: files !== null, files: files ?? {}, decidedAt: clock.now() };
    return change((entries) => [...entries.filter((other) => other.folder !== folder), entry], signal);
  }

  return {
    async trustState(folder, signal) {
      const examination = await examineFolder(folder, { signal, stateFolder: state.path });
      const entry = (await entriesNow()).find((candidate) => candidate.folder === examination.folder);
      if (!entry) return { state: 'unknown', examination };
      if (!entry.trusted) return { state: 'untrusted', examination };
      const changes = changesBetween(entry.files, examination.fingerprint);
      return changes.length === 0
        ? { state: 'trusted', examination }
        : { state: 'changed', changes, examination };
    },
    trustFolder: ({ folder, fingerprint }, signal) => answer(folder, fingerprint, signal),
    distrustFolder: ({ folder }, signal) => answer(folder, null, signal),
    async untrustFolder(folder, signal) {
      const real = await realPathOf(folder);
      let found = false;
      await change((entries) => {
        const kept = entries.filter((entry) => entry.folder !== real);
        found = kept.length < entries.length;
        return kept;
      }, signal);
      return found;
    },
    list: entriesNow,
  };
}

function changesBetween(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): TrustChange[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return paths.flatMap((path): TrustChange[] => {
    if (!Object.hasOwn(before, path)) return [{ path, change: 'added' }];
    if (!Object.hasOwn(after, path)) return [{ path, change: 'removed' }];
    return before[path] === after[path] ? [] : [{ path, change: 'modified' }];
  });
}

function entriesIn(data: JsonObject | null, state: State): TrustEntry[] {
  const entries = data === null ? [] : data['folders'];
  if (Array.isArray(entries) && entries.every(isEntry)) return entries;
  throw new SettingsError(
    `${state.pathOf('trust.json')} holds something that is not an answer about a folder. Repair it, or move it away to be asked again.`,
  );
}

function isEntry(value: unknown): value is TrustEntry {
  return (
    isJsonObject(value) &&
    typeof value['folder'] === 'string' &&
    typeof value['trusted'] === 'boolean' &&
    typeof value['decidedAt'] === 'number' &&
    isJsonObject(value['files']) &&
    Object.values(value['files']).every((hash) => typeof hash === 'string')
  );
}
