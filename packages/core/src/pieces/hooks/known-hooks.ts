import type { ExtensionDigests } from '../extension-digests.js';
import type { KnownPieces } from '../known-pieces.js';
import type { Hook, HookFile } from './hook.js';
import type { ReadHooks } from './read-hooks.js';

/** The hooks of all the files; those that are not there name none. */
export async function readAll(files: readonly HookFile[]): Promise<ReadHooks> {
  if (files.length === 0) return { hooks: [], problems: [] };
  const { readHooks } = await import('./read-hooks.js');
  const read = await Promise.all(files.map(readHooks));
  return { hooks: read.flatMap((each) => each.hooks), problems: read.flatMap((each) => each.problems) };
}

/** Hooks of extensions that are held to a digest; `hookAsWritten` reads them before they run. */
export async function knownHooks(files: readonly HookFile[], known: KnownPieces): Promise<ReadHooks> {
  if (files.length === 0) return { hooks: [], problems: [] };
  return known.of('hooks', {
    about: files,
    read: async () => ({ value: await readAll(files), looked: files.map(({ path }) => path) }),
  });
}

/** The hook of an extension as its file has it, once the digest has been checked; any other as it was read at the start. */
export async function hookAsWritten(
  hook: Hook,
  digests: ExtensionDigests,
  signal: AbortSignal,
): Promise<Hook> {
  const { from } = hook;
  if (!digests.isHeld(from.path)) return hook;
  await digests.requireAccepted(from.path, signal);
  const { hooks } = await readAll([from]);
  const meant = JSON.stringify(hook);
  const written = hooks.find((each) => JSON.stringify(each) === meant);
  if (!written) throw new Error(`${from.shown} names no such hook.`);
  return written;
}
