import { join } from 'node:path';
import { createToolbox, isToolError, openState, type Toolbox } from '@toolwright/core';
import { createClock, createIds, openTrustStore } from '@toolwright/core/front-end';
import { UsageError } from '../base/exit-codes.js';
import { print } from '../base/print.js';
import type { Arguments } from '../command-line/args.js';
import type { Setup } from '../setup/runtime.js';

/** A file that a command writes for the user to start from. */
export interface NewFile {
  /** Relative to the folder that all of them go to. */
  name: string;
  text: string;
  isProgram?: boolean;
}

interface NewFilesOptions {
  front: string;
  files: readonly NewFile[];
  /** True if the files go to the state folder, not to the workspace. */
  isOfUser: boolean;
  /** Folder below that. */
  inside: string;
  /** Throws when they must not be written. */
  check?(toolbox: Toolbox): void;
}

/** Writes files that are not there yet, and prints their paths. Returns the folder. */
export async function writeNewFiles(
  { workspace, stateFolder }: Setup,
  { front, files, isOfUser, inside, check }: NewFilesOptions,
): Promise<string> {
  if (isOfUser)
    await openState({ path: stateFolder, host: { clock: createClock(), ids: createIds() } }).make();
  const toolbox = await createToolbox({
    workspace: isOfUser ? stateFolder : workspace,
    stateFolder,
    front,
    onlyLooks: true,
  });
  try {
    check?.(toolbox);
    for (const file of files) await write(toolbox, join(inside, file.name), file);
    return toolbox.host.workspace.resolve(inside);
  } finally {
    await toolbox.close();
  }
}

async function write({ host }: Toolbox, name: string, { text, isProgram }: NewFile): Promise<void> {
  const path = host.workspace.resolve(name);
  try {
    await host.files.makeDirectory(host.workspace.resolve(join(name, '..')));
    await host.files.write(path, Buffer.from(text), {
      expect: { kind: 'absent' },
      mode: isProgram ? 0o755 : undefined,
    });
  } catch (error) {
    if (isToolError(error) && error.code === 'conflict')
      throw new UsageError(`${path} already exists. Choose another name, or remove it first.`);
    throw error;
  }
  print(`made    ${path}`);
}

/** Keeps a folder trusted after a command of the user has added a file to it. False when the folder is not trusted. */
export async function keepTrust(
  { trust, stateFolder }: Setup,
  { args, inside, signal }: { args: Arguments; inside: string; signal: AbortSignal },
): Promise<boolean> {
  if (trust.state !== 'trusted') return args.switches.has('trust');
  const clock = createClock();
  const store = openTrustStore(openState({ path: stateFolder, host: { clock, ids: createIds() } }), {
    clock,
  });
  const now = await store.trustState(trust.examination.folder, signal);
  const isOurs =
    now.state === 'changed' &&
    now.changes.every(({ path, change }) => change === 'added' && path.startsWith(`${inside}/`));
  if (isOurs) await store.trustFolder(now.examination, signal);
  return isOurs;
}
