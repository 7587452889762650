import { decodeText } from '@toolwright/machine/base/text-codec.js';
import { type ChangeSet, stateAfter, stateBefore } from '@toolwright/machine/changes/change-set.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { BlobSource } from '@toolwright/machine/host/objects/before-images.js';
import { type Language, languageOf } from './known-servers.js';

/** A source file before and after a change; null where there is none. */
export interface ChangedSource {
  path: string;
  before: string | null;
  after: string | null;
}

/** Gives the text of a file as the session sees it; null where it can't be read. */
export type ReadText = (path: string, signal: AbortSignal) => Promise<string | null>;

/** A change of more files than this, such as a change of branch, is not checked. */
export const MOST_CHANGED = 50;
const LARGEST_FILE = 1024 * 1024;

export function textReader({
  host,
  hidden,
}: {
  host: Pick<Host, 'files'>;
  hidden(path: string): boolean;
}): ReadText {
  return async (path, signal) => {
    if (hidden(path)) return null;
    try {
      const { bytes } = await host.files.read(path, { maxBytes: LARGEST_FILE, signal });
      return (await decodeText(bytes))?.text ?? null;
    } catch {
      return null;
    }
  };
}

interface SourcesNeeds {
  host: Pick<Host, 'workspace'>;
  languages: readonly Language[];
  /** Gives earlier versions of files. */
  objects: BlobSource;
  readText: ReadText;
}

/** The changed source files: in a group for each server, or by their paths alone where there are too many to check. */
export interface ChangedSources {
  groups: ChangedSource[][];
  unchecked: string[];
}

/** Change sets are taken together: a file counts once, from before the first change to after the last. */
export async function changedSources(
  changeSets: readonly ChangeSet[],
  needs: SourcesNeeds,
  signal: AbortSignal,
): Promise<ChangedSources> {
  const { languages, host } = needs;
  const sources = new Map<string, SourceChange[]>();
  for (const change of changeSets.flatMap(({ changes }) => changes)) {
    const { path, kind } = change;
    if ((kind === 'create' || kind === 'modify' || kind === 'delete') && languageOf(path, languages))
      sources.set(path, [...(sources.get(path) ?? []), change]);
  }
  if (sources.size > MOST_CHANGED) return { groups: [], unchecked: [...sources.keys()] };
  const read = await Promise.all([...sources.values()].map((changes) => withTexts(changes, needs, signal)));
  const groups = new Map<string, ChangedSource[]>();
  for (const source of read) {
    if (source === null) continue;
    const server = `${languageOf(source.path, languages)?.name}\0${host.workspace.rootOf(source.path)?.path}`;
    groups.set(server, [...(groups.get(server) ?? []), source]);
  }
  return { groups: [...groups.values()], unchecked: [] };
}

type SourceChange = ChangeSet['changes'][number];

/** Adds the texts; null for one that can't be read, since nothing can be compared with it. */
async function withTexts(
  changes: readonly SourceChange[],
  { objects, readText }: SourcesNeeds,
  signal: AbortSignal,
): Promise<ChangedSource | null> {
  const { path } = changes[0]!;
  const [was, is] = [stateBefore(changes[0]!), stateAfter(changes.at(-1)!)];
  const before = was.kind === 'file' ? await earlierText(was.hash, objects) : null;
  const after = is.kind === 'file' ? await readText(path, signal) : null;
  const isUnread = (was.kind === 'file' && before === null) || (is.kind === 'file' && after === null);
  return isUnread ? null : { path, before, after };
}

async function earlierText(hash: string, objects: BlobSource): Promise<string | null> {
  try {
    const bytes = await objects.read(hash);
    return bytes.byteLength > LARGEST_FILE ? null : ((await decodeText(bytes))?.text ?? null);
  } catch {
    return null;
  }
}
