import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { TreeFile } from '@toolwright/machine/base/archives/archive.js';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { removeTree } from '@toolwright/machine/host/leases/owned-folder.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import { readTree } from '@toolwright/machine/host/trees/read-tree.js';
import { digestOfTree } from '@toolwright/machine/host/trees/tree-digest.js';
import { moveFolder, writeTree } from '@toolwright/machine/host/trees/write-tree.js';
import { acceptNotes } from '../pieces/extension-notes.js';
import { describePieceProblem } from '../pieces/piece.js';
import { type ExtensionContents, readContents } from './extension-contents.js';
import { extensionPage, type PageOptions } from './extension-page.js';
import { type FetchNeeds, fetchSource } from './fetch-source.js';
import {
  extensionRoot,
  folderForTry,
  type InstalledExtension,
  installedExtensions,
  saveInstalled,
} from './installed-extensions.js';
import { readExtension } from './read-extension.js';
import type { ExtensionSource } from './source.js';

/** An extension on this machine that nobody has accepted yet. Nothing of it counts. */
export interface PreparedExtension {
  contents: ExtensionContents;
  source: ExtensionSource;
  digest: string;
  page: string;
  /** Puts it in force, exactly as the page showed it. */
  accept(signal: AbortSignal): Promise<InstalledExtension>;
  /** Keeps it switched off until somebody accepts its page. */
  keepOff(signal: AbortSignal): Promise<InstalledExtension>;
  /** Removes it. */
  drop(): Promise<void>;
}

export interface FetchAndReadNeeds extends Omit<FetchNeeds, 'scratch'> {
  state: State;
  /** Sentences about names of it that others have already. */
  collisions(contents: ExtensionContents): Promise<string[]>;
  /** How its programs would be confined here. */
  sandbox: PageOptions['sandbox'];
}

/** Fetches an extension into a folder of its own and reads all of it. */
export async function prepareExtension(
  source: ExtensionSource,
  needs: FetchAndReadNeeds,
  signal: AbortSignal,
): Promise<PreparedExtension> {
  const { state } = needs;
  await state.make('extensions');
  const root = folderForTry(state, randomUUID().slice(0, 8));
  const fetched = await fetchSource(source, { ...needs, scratch: `${root}-fetched` }, signal);
  const drop = (): Promise<void> => removeTree(root);
  try {
    await writeTree(root, fetched.files);
    const contents = await contentsAt(root, signal);
    for (const path of fetched.leftOut)
      contents.read.unused.push({ what: path, why: 'it is a link to a folder, which is not followed' });
    const digest = digestOfTree(fetched.files);
    const collisions = await needs.collisions(contents);
    const page = extensionPage(contents, { ...fetched, digest, collisions, sandbox: needs.sandbox });
    const placed = { contents, source: fetched.source, digest, root };
    return {
      contents,
      source: fetched.source,
      digest,
      page,
      drop,
      accept: (within) => install({ ...placed, isOn: true }, state, within),
      keepOff: (within) => install({ ...placed, isOn: false }, state, within),
    };
  } catch (error) {
    await drop();
    throw error;
  }
}

async function contentsAt(root: string, signal: AbortSignal): Promise<ExtensionContents> {
  const read = await readExtension(root);
  if ('problem' in read) {
    const file = read.file.startsWith(`${root}/`) ? read.file.slice(root.length + 1) : 'The extension';
    throw new SettingsError(describePieceProblem({ ...read, file }));
  }
  return readContents(read, root, signal);
}

async function install(
  {
    contents,
    source,
    digest,
    root,
    isOn,
  }: Pick<PreparedExtension, 'contents' | 'source' | 'digest'> & { root: string; isOn: boolean },
  state: State,
  signal: AbortSignal,
): Promise<InstalledExtension> {
  const { extension } = contents.read;
  const folder = `${extension.name}/${digest.slice(0, 16)}`;
  const target = state.pathOf('extensions', folder);
  if (lookAtSync(target)) await removeTree(target);
  await moveFolder(root, target);
  // A new version keeps the place of the one before it among the others.
  const earlier = (await installedExtensions(state)).find((each) => each.extension.name === extension.name);
  const acceptedAt = isOn ? earlier?.acceptedAt || Date.now() : 0;
  const notes: InstalledExtension['notes'] = {};
  for (const { path, text } of contents.context) notes[path] = await acceptNotes(join(target, path), text);
  const entry: InstalledExtension = { extension, source, digest, notes, folder, isOn, acceptedAt };
  await saveInstalled(extension.name, entry, { state, signal });
  return entry;
}

/** An installed extension as it is on disk; `isChanged` when its files are not those that were accepted. */
export async function lookAtInstalled(
  entry: InstalledExtension,
  state: State,
  signal: AbortSignal,
): Promise<LookedAt> {
  const root = extensionRoot(state, entry);
  const contents = await contentsAt(root, signal);
  const { files } = await readTree(root, signal);
  const digest = digestOfTree(files);
  return {
    contents,
    files,
    isChanged: digest !== entry.digest,
    page: (here) => extensionPage(contents, { source: entry.source, files, digest, ...here }),
  };
}

export interface LookedAt {
  contents: ExtensionContents;
  files: TreeFile[];
  isChanged: boolean;
  /** The page that was accepted, with what is taken and confined here. */
  page(here: Pick<PageOptions, 'collisions' | 'sandbox'>): string;
}

/** The installed extension of this name; throws a `SettingsError` that names the others when there is none. */
export async function requireInstalled(name: string, state: State): Promise<InstalledExtension> {
  const all = await installedExtensions(state);
  const found = all.find(({ extension }) => extension.name === name);
  if (found) return found;
  const names = all.map(({ extension }) => extension.name);
  const known = names.length === 0 ? 'None is installed.' : `Installed: ${names.join(', ')}.`;
  throw new SettingsError(`There is no extension ${name}. ${known}`);
}
