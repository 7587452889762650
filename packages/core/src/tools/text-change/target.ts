import { formatBytes } from '@toolwright/machine/base/amounts.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { type DecodedText, decodeText } from '@toolwright/machine/base/text-codec.js';
import type { SeenFiles, SeenVersion } from '@toolwright/machine/changes/seen-files.js';
import type { Host } from '@toolwright/machine/host/host.js';

export type TextChangeHost = Pick<Host, 'workspace' | 'files' | 'ids'>;

interface TextFile {
  bytes: Uint8Array;
  hash: string;
  mode: number;
  decoded: DecodedText;
}

/** The file a call is about, as it is now. */
export interface Target {
  path: string;
  realPath: string;
  /** As people and models read it. */
  shown: string;
  /** Null when there is no file yet. */
  file: TextFile | null;
  /** Why it can't be replaced as a whole and is overwritten where it is; null when it can. */
  inPlace: string | null;
}

export interface ExistingTarget extends Target {
  file: TextFile;
}

/** `given` is the path as the call has it: only there it shows that a folder was meant. */
export async function loadTarget(host: TextChangeHost, given: string, signal: AbortSignal): Promise<Target> {
  const path = host.workspace.resolve(given);
  const shown = host.workspace.show(path);
  const stat = await host.files.stat(path);
  if (!stat) {
    refuseFolderName(given);
    return newTarget(host, path);
  }
  if (stat.kind !== 'file') {
    const kind = stat.kind === 'directory' ? 'a folder' : 'a device, pipe or socket';
    throw new ToolError('invalid_params', `${shown} is ${kind}, not a file. Give the path of a text file.`);
  }
  const content = await host.files.read(path, { signal });
  const decoded = await decodeText(content.bytes);
  if (!decoded) {
    throw new ToolError(
      'failed',
      `${shown} is a binary file (${formatBytes(content.bytes.byteLength)}); only text can be changed here. Nothing was written.`,
    );
  }
  const { bytes, hash, realPath } = content;
  const inPlace = await host.files.whyInPlace(realPath);
  return { path, realPath, shown, file: { bytes, hash, mode: content.stat.mode, decoded }, inPlace };
}

/** A file without a name that can be seen is one that nobody wants, and nobody finds again. */
function refuseFolderName(given: string): void {
  const name = given.slice(given.lastIndexOf('/') + 1);
  if (name.trim() !== '' && name !== '.' && name !== '..') return;
  const ending = name.trim() === '' && name !== '' ? 'in a blank name' : 'like that of a folder';
  throw new ToolError(
    'invalid_params',
    `${JSON.stringify(given)} names no file: the path ends ${ending}. Nothing was written. Add the name of the file.`,
  );
}

async function newTarget(host: TextChangeHost, path: string): Promise<Target> {
  const realPath = await host.files.realPath(path);
  const root = host.workspace.rootOf(realPath)?.path;
  if (root !== undefined && !(await host.files.stat(root))) {
    throw new ToolError(
      'not_found',
      `The folder ${root} does not exist any more, so nothing was written. Tell the user.`,
    );
  }
  return { path, realPath, shown: host.workspace.show(path), file: null, inPlace: null };
}

/** For people and models: what is different about changing this file. */
export function inPlaceNote({ shown, inPlace }: Target): string[] {
  return inPlace === null
    ? []
    : [`${shown} is overwritten in place, not replaced, because ${inPlace}; owner and mode stay.`];
}

export function exists(target: Target): target is ExistingTarget {
  return target.file !== null;
}

/** What the model last saw of the file; null where no reading is asked for. */
export function requireSeen(target: ExistingTarget, seen: SeenFiles | undefined): SeenVersion | null {
  if (!seen) return null;
  const version = seen.lastSeen(target.realPath) ?? seen.lastSeen(target.path);
  if (version) return version;
  throw new ToolError(
    'conflict',
    `${target.shown} has not been read in this session, so it was not changed. Read it first (read_file, or grep_search for the lines in question), then repeat the call.`,
  );
}

/** The text the model saw or its commands left, where that is known and others have changed the file since. */
export async function olderText(target: ExistingTarget, version: SeenVersion | null): Promise<string | null> {
  if (!version?.bytes || version.hash === target.file.hash) return null;
  return (await decodeText(version.bytes))?.text ?? null;
}

/** The text the model has read, where that is known and another one than the file has now, whoever changed it. */
export async function readText(target: ExistingTarget, version: SeenVersion | null): Promise<string | null> {
  const read = version?.read ?? version?.bytes;
  if (!read || Buffer.compare(read, target.file.bytes) === 0) return null;
  return (await decodeText(read))?.text ?? null;
}
