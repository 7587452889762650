import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, jsonObjectIn } from '../../../base/json.js';
import type { Log } from '../../host.js';
import { isFromBeforeRestart, type Lease, lifeOf, ownLease, readLease } from '../../leases/lease.js';
import { removeShortLivedFolders } from '../../leases/owned-folder.js';
import type { BoundedGroups } from '../../platform/processes/linux-process-groups.js';
import type { Mark, ProcessTable } from '../../platform/processes/process-table.js';
import { readSmallFile } from '../../state/read-file.js';
import { replaceFile } from '../../state/replace-file.js';
import type { StateFolder } from '../../state/state-folder.js';
import type { Machine } from '../limits.js';
import type { ProcessesOptions } from '../processes-options.js';
import { endTree, livingOf, type Tree } from '../tree.js';
import { type SendAway, startWatchdog } from './watchdog.js';

/** A process that may have left others behind, and the mark they carry. */
interface OwnerRecord {
  v: 1;
  owner: Lease;
  mark: Mark;
}

export interface Reaping {
  state: Pick<StateFolder, 'pathOf' | 'exists'>;
  table: ProcessTable | null;
  groups: BoundedGroups | null;
  sleep(ms: number): Promise<void>;
  signal: AbortSignal;
}

const ENDING = '.owner.json';
const MAX_RECORD_BYTES = 4096;
const GRACE_MS = 1_000;
/** A log that nobody wrote to for so long is of no use any more. */
const OLD_LOG_MS = 30 * 24 * 3_600_000;

/** Sees to it that nothing of ours outlives us, should we be killed. */
export interface OrphanGuard {
  /** Settles when the watchdog runs and the record for the next start is written. */
  begin(): Promise<void>;
  end(isNothingLeft: boolean): Promise<void>;
}

export interface OrphanGuardNeeds {
  state: ProcessesOptions['state'];
  log: Pick<Log, 'error'>;
  machine(): Promise<Pick<Machine, 'groups'>>;
}

export function createOrphanGuard(mark: Mark, { state, log, machine }: OrphanGuardNeeds): OrphanGuard {
  let sendAway: SendAway = () => Promise.resolve();
  let record: Promise<string | null> | undefined;
  const prepare = async (): Promise<string | null> => {
    sendAway = startWatchdog(mark, (await machine()).groups);
    if (!state) return null;
    return writeRecord(state, mark).catch((error: unknown) => {
      log.error('what runs could not be written down', error);
      return null;
    });
  };
  return {
    async begin() {
      await (record ??= prepare());
    },
    async end(isNothingLeft) {
      const path = await record;
      if (path && isNothingLeft) await unlink(path).catch(() => undefined);
      record = undefined;
      await sendAway(isNothingLeft);
    },
  };
}

/** Written before the first command and removed when nothing is left; what is there after a crash tells whom to end. */
async function writeRecord(state: Pick<StateFolder, 'make'>, mark: Mark): Promise<string> {
  const record: OwnerRecord = { v: 1, owner: await ownLease(), mark };
  const path = join(await state.make('jobs'), `${mark.text.replace(/\W/g, '')}${ENDING}`);
  await replaceFile(path, `${JSON.stringify(record)}\n`);
  return path;
}

/** Ends processes that dead processes of ours left behind. Returns how many. */
export async function reapLeftovers(reaping: Reaping): Promise<number> {
  const { state, signal } = reaping;
  // These are removed whatever was written down: their owners may have been killed before.
  removeShortLivedFolders();
  if (!(await state.exists())) return 0;
  const folder = state.pathOf('jobs');
  const names = await readdir(folder).catch(() => []);
  let ended = 0;
  for (const name of names.filter((each) => each.endsWith(ENDING))) {
    signal.throwIfAborted();
    const path = join(folder, name);
    const record = parseRecord(await readSmallFile(path, MAX_RECORD_BYTES).catch(() => null));
    if (record !== null && (await lifeOf(record.owner)) === 'dead') {
      ended += await endMarked(record.mark, reaping);
      reaping.groups?.sweep(record.mark.text);
    } else if (record !== null && !(await isFromBeforeRestart(record.owner))) {
      continue;
    }
    await unlink(path).catch(() => undefined);
  }
  await removeOldLogs(folder, names);
  return ended;
}

async function removeOldLogs(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names.filter((each) => each.endsWith('.log'))) {
    const path = join(folder, name);
    const written = (await stat(path).catch(() => null))?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - written > OLD_LOG_MS) await unlink(path).catch(() => undefined);
  }
}

async function endMarked(mark: Mark, { table, sleep }: Reaping): Promise<number> {
  if (table === null) return 0;
  // No process has a negative number: only the mark tells who belongs to it.
  const tree: Tree = { root: { pid: -1, start: '' }, mark, table, group: null };
  const found = (await livingOf(tree)).length;
  if (found === 0) return 0;
  return found - (await endTree(tree, { graceMs: GRACE_MS, sleep }));
}

function parseRecord(bytes: Buffer | null): OwnerRecord | null {
  const value = jsonObjectIn(bytes?.toString() ?? '');
  const owner = readLease(value?.['owner']);
  return owner && isMark(value?.['mark']) ? { v: 1, owner, mark: value['mark'] } : null;
}

/** A record that was tampered with must not make others' processes ours. */
function isMark(value: unknown): value is Mark {
  return (
    isJsonObject(value) &&
    /^[0-9a-z]{16,64}\.$/.test(String(value['text'])) &&
    /^[1-9]\d{8}$/.test(String(value['digits']))
  );
}
