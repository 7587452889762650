import {
  type InstalledExtension,
  installedExtensions,
  lookAtInstalled,
  messageOf,
  pageDifference,
  requireInstalled,
  saveInstalled,
} from '@toolwright/core/front-end';
import { exitCodeOfAll, exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import {
  askToAccept,
  type Opened,
  pageOf,
  prepare,
  withoutExtension,
} from '../../conversation/import/prepare-extension.js';
import { openExtensionState } from './state.js';

/** Fetches extensions again. Until the difference is accepted, the version that was accepted stays in force. */
export async function update(name: string | undefined, args: Arguments): Promise<number> {
  const isAll = args.switches.has('all');
  if ((name === undefined) !== isAll)
    throw new UsageError('extensions update needs the name of one, or --all.');
  const names =
    name === undefined
      ? (await installedExtensions(openExtensionState())).map(({ extension }) => extension.name)
      : [name];
  if (names.length === 0) print('No extension is installed.');
  const signal = abortOnInterrupt();
  const codes: number[] = [];
  for (const each of names) codes.push(await (isAll ? updateOneOfAll : updateOne)(each, args, signal));
  return exitCodeOfAll(codes);
}

/** A failure is told, and the others have their turn. */
async function updateOneOfAll(name: string, args: Arguments, signal: AbortSignal): Promise<number> {
  try {
    return await updateOne(name, args, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    print(`${name} stays as it was accepted: ${messageOf(error)}`);
    return exitCodes.failure;
  }
}

async function updateOne(name: string, args: Arguments, signal: AbortSignal): Promise<number> {
  return withoutExtension(name, { args, signal }, async (opened) => {
    const entry = await requireInstalled(name, opened.state);
    const { found: _found, ...source } = entry.source;
    const prepared = await prepare(source, opened);
    try {
      const fetched = prepared.contents.read.extension.name;
      if (fetched !== name)
        throw new UsageError(
          `What is there now is called ${fetched}, so it is not an update of ${name}. Look at it, then install it.`,
        );
      const before = await pageBefore(entry, opened);
      if (before !== null && prepared.digest === entry.digest) {
        await saveInstalled(name, { ...entry, source: prepared.source }, opened);
        print(`${name} is up to date.`);
        return exitCodes.done;
      }
      print(before === null ? prepared.page : await pageDifference(before, prepared.page));
      const answer = await askToAccept(`Use this version of ${name}?`, { args, signal });
      if (answer) {
        const isOn = entry.isOn || entry.acceptedAt === 0;
        const accepted = await prepared.accept(signal);
        if (!isOn) await saveInstalled(name, { ...accepted, isOn }, opened);
        print(`\nUpdated ${name}. It takes effect the next time you start.`);
        return exitCodes.done;
      }
      print(`\nThe new version is off; ${name} stays as it was accepted.`);
      if (answer === null) print('There is nobody to ask here; --yes accepts the difference above.');
      return answer === null ? exitCodes.nobodyToAsk : exitCodes.done;
    } finally {
      await prepared.drop();
    }
  });
}

/** The page that was accepted; null where nobody has, or where the files are no longer those. */
async function pageBefore(entry: InstalledExtension, opened: Opened): Promise<string | null> {
  if (entry.acceptedAt === 0) return null;
  const found = await lookAtInstalled(entry, opened.state, opened.signal).catch(() => null);
  return found === null || found.isChanged ? null : pageOf(found, opened);
}
