import { join } from 'node:path';
import { parseJsonc } from '@toolwright/machine/base/configuration/jsonc.js';
import { plainValue } from '@toolwright/machine/base/configuration/plain-json.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { lookAtSync, namesInSync } from '@toolwright/machine/host/state/inspect-files.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { readTree } from '@toolwright/machine/host/trees/read-tree.js';
import type { HomeFindings } from './findings.js';

/** A file of settings of another agent; null where there is none. What can't be read is told, with its line. */
export async function readOtherJson(path: string, found: HomeFindings): Promise<JsonObject | null> {
  const bytes = await readSmallFile(path).catch((error: unknown) => {
    found.leave(path, messageOf(error).replace(/\.$/, ''));
    return null;
  });
  if (bytes === null) return null;
  const parsed = await parseJsonc(bytes.toString('utf8'));
  if (!parsed.ok) {
    found.leave(`${path}:${parsed.problems[0]?.at.line}`, `it is not JSON: ${parsed.problems[0]?.message}`);
    return null;
  }
  const value = plainValue(parsed.root);
  return isJsonObject(value) ? value : null;
}

const LIMIT = { files: 2_000, bytes: 32 * 1024 * 1024 };

/** A folder whose files are copied into one of ours, each piece by its name. */
export async function carryFolder(
  folder: string,
  { to, endings }: { to: string; endings?: RegExp },
  found: HomeFindings,
  signal: AbortSignal,
): Promise<void> {
  if (lookAtSync(folder)?.kind !== 'directory') return;
  try {
    const { files } = await readTree(folder, signal, LIMIT);
    for (const { path, ...file } of files)
      if (!path.startsWith('.') && (endings?.test(path) ?? true))
        found.files.push({ path: join(to, path), ...file });
  } catch (error) {
    signal.throwIfAborted();
    found.leave(folder, messageOf(error).replace(/\.$/, ''));
  }
}

/** Folders of pieces that are read where they are. */
export function noteInPlace(home: string, names: readonly string[], found: HomeFindings): void {
  for (const name of names) {
    const count = namesInSync(join(home, name)).filter((each) => !each.startsWith('.')).length;
    if (count > 0) found.inPlace.push(`~/${name} (${count})`);
  }
}

/** Extensions that lie in a folder, one folder each; one that is only linked lies where its own file says. */
export async function noteExtensions(folder: string, agent: string, found: HomeFindings): Promise<void> {
  for (const name of namesInSync(folder)) {
    const path = join(folder, name);
    if (lookAtSync(path)?.kind !== 'directory' || name.startsWith('.')) continue;
    const about = join(path, `.${agent}-extension-install.json`);
    const { type, source } = (lookAtSync(about) && (await readOtherJson(about, found))) ?? {};
    const isLinked = type === 'link' && typeof source === 'string';
    found.extensions.push({ name, path: isLinked ? source : path });
  }
}
