import { setMaxListeners } from 'node:events';
import type { Host } from '@toolwright/machine/host/host.js';
import type { ChangedOnDisk } from '@toolwright/machine/host/language-server/language-server.js';
import type { SourceError } from '@toolwright/machine/host/language-server/protocol.js';
import type { ChangedSource, ReadText } from './changed-sources.js';
import { dependentsOf } from './dependents.js';
import type { DiskSweep } from './disk-sweep.js';
import { type Language, languageId } from './known-servers.js';
import { newErrors } from './new-errors.js';
import type { PooledServer } from './server-pool.js';

/** The errors of a file after a change. */
export interface CheckedFile {
  path: string;
  errors: readonly SourceError[];
  /** The errors that it did not have before. */
  fresh: readonly SourceError[];
}

export interface CheckNeeds {
  server: PooledServer;
  language: Language;
  root: string;
  sweep: DiskSweep;
  ripgrep: Host['ripgrep'];
  readText: ReadText;
}

/** Files that stay shown after a check, so that the server keeps its work on them. */
const MOST_SHOWN = 16;

/** Asks the server about the files before and after the change, and about the files that use them. */
export function checkChange(
  changed: readonly ChangedSource[],
  needs: CheckNeeds,
  signal: AbortSignal,
): Promise<CheckedFile[]> {
  return needs.server.inTurn(() => check(changed, needs, signal));
}

async function check(
  changed: readonly ChangedSource[],
  needs: CheckNeeds,
  signal: AbortSignal,
): Promise<CheckedFile[]> {
  const { server } = needs;
  // A question per file listens to the signal.
  setMaxListeners(0, signal);
  const paths = changed.map(({ path }) => path);
  const dependents = await readAll(await dependentsOf(paths, { ...needs, signal }), needs, signal);
  await showPresent(
    server.shown().filter((path) => !paths.includes(path)),
    needs,
    signal,
  );
  const before = new Map([...dependents, ...textsOf(changed, 'before')]);
  const after = new Map([...textsOf(changed, 'after'), ...dependents]);
  const errorsBefore = await errorsOfAll(before, needs, signal);
  for (const { path, after: text } of changed) if (text === null) server.leave(path);
  server.filesChanged(changed.map(toldOf));
  let errorsAfter = await errorsOfAll(after, needs, signal);
  const compare = (): CheckedFile[] => [...after].map(([path, text]) => compared(path, text));
  const compared = (path: string, text: string): CheckedFile => {
    const earlier = { text: before.get(path) ?? '', errors: errorsBefore.get(path) ?? [] };
    const errors = errorsAfter.get(path) ?? [];
    return { path, errors, fresh: newErrors(earlier, { text, errors }) };
  };
  let checked = compare();
  if (checked.some(({ fresh }) => fresh.length > 0)) {
    // Somebody else may have written what seems to be missing.
    const others = (await needs.sweep.changed(signal)).filter(({ path }) => !paths.includes(path));
    if (others.length > 0) {
      server.filesChanged(others);
      errorsAfter = await errorsOfAll(after, needs, signal);
      checked = compare();
    }
  }
  for (const path of server.shown().slice(0, -MOST_SHOWN)) server.leave(path);
  return checked;
}

function toldOf({ path, before, after }: ChangedSource): ChangedOnDisk {
  return { path, kind: before === null ? 'created' : after === null ? 'deleted' : 'changed' };
}

function textsOf(changed: readonly ChangedSource[], when: 'before' | 'after'): [string, string][] {
  return changed.flatMap((source) => {
    const text = source[when];
    return text === null ? [] : [[source.path, text] as [string, string]];
  });
}

async function readAll(
  paths: readonly string[],
  { readText }: Pick<CheckNeeds, 'readText'>,
  signal: AbortSignal,
): Promise<[string, string][]> {
  const texts = await Promise.all(
    paths.map(async (path) => [path, await readText(path, signal)] as [string, string | null]),
  );
  return texts.filter((each): each is [string, string] => each[1] !== null);
}

/** Documents of earlier checks as they are by now. */
export async function showPresent(
  paths: readonly string[],
  needs: Pick<CheckNeeds, 'server' | 'language' | 'readText'>,
  signal: AbortSignal,
): Promise<void> {
  const present = new Map(await readAll(paths, needs, signal));
  for (const path of paths) {
    const text = present.get(path);
    if (text === undefined) needs.server.leave(path);
    else needs.server.show({ path, language: languageId(path, needs.language), text });
  }
}

async function errorsOfAll(
  texts: ReadonlyMap<string, string>,
  { server, language }: CheckNeeds,
  signal: AbortSignal,
): Promise<Map<string, SourceError[]>> {
  for (const [path, text] of texts) server.show({ path, language: languageId(path, language), text });
  const found = await Promise.all(
    [...texts.keys()].map(
      async (path) => [path, await server.errorsOf(path, signal)] as [string, SourceError[]],
    ),
  );
  return new Map(found);
}
