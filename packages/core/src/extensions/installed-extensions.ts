import { join } from 'node:path';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import { removeTree } from '@toolwright/machine/host/leases/owned-folder.js';
import { namesIn } from '@toolwright/machine/host/state/inspect-files.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import type { AcceptedNotes } from '../pieces/extension-notes.js';
import type { Extension } from './extension.js';
import type { ExtensionSource } from './source.js';

/** An extension that the user accepted, as it was accepted. */
export interface InstalledExtension {
  extension: Extension;
  source: ExtensionSource;
  /** The digest of everything in the folder. */
  digest: string;
  /** Its context files by their paths: they are read at every start, when the rest is not. */
  notes?: Record<string, AcceptedNotes>;
  /** The extension's folder below the one of all extensions. */
  folder: string;
  /** The folder of an extension that a project brings; the trust of the project takes the place of the digest. */
  root?: string;
  isOn: boolean;
  /** 0 for one that was brought over and whose page nobody has accepted yet: it is off. */
  acceptedAt: number;
}

/**
 * Reads the list of extensions, in the order in which they were accepted: a name that two bring belongs to the earlier one. It is
 * one small file, so that a start reads nothing else.
 */
export async function installedExtensions(state: Pick<State, 'readJson'>): Promise<InstalledExtension[]> {
  const saved = await state.readJson('extensions');
  return inOrder(saved?.['extensions']);
}

/** Sorts by the time of acceptance; an extension that nobody has accepted yet comes last. */
function inOrder(list: unknown): InstalledExtension[] {
  const all = Array.isArray(list) ? list.filter(isInstalled) : [];
  const timeOf = ({ acceptedAt }: InstalledExtension): number => acceptedAt || Number.POSITIVE_INFINITY;
  return all.sort((a, b) => (timeOf(a) === timeOf(b) ? 0 : timeOf(a) - timeOf(b)));
}

function isInstalled(value: unknown): value is InstalledExtension {
  return isJsonObject(value) && isJsonObject(value['extension']) && typeof value['folder'] === 'string';
}

/** The folder that holds the files of an installed extension. */
export function extensionRoot(
  state: Pick<State, 'pathOf'>,
  { folder, root }: Pick<InstalledExtension, 'folder' | 'root'>,
): string {
  return root ?? state.pathOf('extensions', folder);
}

/** Adds or replaces the one of this name; `null` removes it. Folders that nothing leads to any more are removed. */
export async function saveInstalled(
  name: string,
  entry: InstalledExtension | null,
  { state, signal }: { state: State; signal: AbortSignal },
): Promise<void> {
  await state.updateJson(
    'extensions',
    (current) => {
      const others = inOrder(current?.['extensions']).filter(({ extension }) => extension.name !== name);
      const all = inOrder(entry === null ? others : [...others, entry]);
      return JSON.parse(JSON.stringify({ extensions: all }));
    },
    signal,
  );
  await sweep(state, signal);
}

const OLDEST_TRY_MS = 60 * 60_000;

/** Folders of earlier versions, and of installations that were never finished. */
async function sweep(state: State, signal: AbortSignal): Promise<void> {
  const used = new Set((await installedExtensions(state)).map(({ folder }) => folder));
  const top = state.pathOf('extensions');
  for (const name of await namesIn(top)) {
    signal.throwIfAborted();
    if (name.startsWith('.')) {
      if (isOldTry(name)) await removeTree(join(top, name));
      continue;
    }
    for (const version of await namesIn(join(top, name)))
      if (!used.has(`${name}/${version}`)) await removeTree(join(top, name, version));
    if ((await namesIn(join(top, name))).length === 0) await removeTree(join(top, name));
  }
}

/** The name of a folder for a try has the time when it was made. */
function isOldTry(name: string): boolean {
  const made = Number(/^\.new-(\d+)-/.exec(name)?.[1] ?? 0);
  return Date.now() - made > OLDEST_TRY_MS;
}

export function folderForTry(state: Pick<State, 'pathOf'>, id: string): string {
  return state.pathOf('extensions', `.new-${Date.now()}-${id}`);
}
