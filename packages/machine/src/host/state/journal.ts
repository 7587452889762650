import { SettingsError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import type { Redactor } from '../../base/secrets/redact.js';
import { deadlineIn } from '../deadline.js';
import type { Clock } from '../host.js';
import { type AppendFile, openAppendFile } from './append-file.js';
import type { Hold, Locks } from './locks.js';
import { inStateFolder, type StateFolder } from './state-folder.js';

/** The journal of one session: an append-only file that one process at a time writes to, without secrets. */
export interface Journal {
  readonly path: string;
  /**
   * Makes the session ours alone until the journal is closed. Done with the first entry; an earlier session must be
   * claimed before it is read, or another process may go on writing to it.
   */
  claim(): Promise<void>;
  /** Resolves when the entry would survive the death of this process. */
  append(entry: object): Promise<void>;
  /** `origin` says which change set it undoes, which command of the user made it where no call did, and in which view. */
  recordChanges(changeSet: { id: string }, origin?: JsonObject): Promise<void>;
  /** The change sets that were recorded last, by id. */
  readonly recentChanges: ReadonlyMap<string, { id: string }>;
  close(): Promise<void>;
}

interface JournalOptions {
  state: StateFolder & Pick<Locks, 'hold'>;
  /** Name of the folder among the sessions. */
  folder: string;
  sessionId: string;
  /** Written before the first entry. */
  start: object;
  clock: Clock;
  redactor: Redactor;
  /** The moment before which nothing here was written, whatever the clock says. */
  notBefore: number;
  /** Hears of every entry as it was written. */
  onWritten?(entry: object): void;
}

/** The file is made with the first entry: a session that does nothing leaves nothing. */
export function openJournal(options: JournalOptions): Journal {
  const { state, folder, sessionId, redactor } = options;
  const path = state.pathOf('sessions', folder, `${sessionId}.jsonl`);
  const timeOfEntry = createEntryTimes(options);
  let held: Promise<Hold> | undefined;
  let file: Promise<AppendFile> | undefined;
  let started: Promise<void> | undefined;

  async function open(): Promise<AppendFile> {
    await state.make('sessions', folder);
    return openAppendFile(path);
  }

  async function write(entry: object): Promise<void> {
    const opened = (file ??= open());
    const saved = { v: 1, ...timeOfEntry(), ...entry };
    await inStateFolder(state.path, async () => (await opened).append(JSON.stringify(saved)));
    options.onWritten?.(saved);
  }

  async function claim(): Promise<void> {
    await (held ??= claimed(state, sessionId));
  }

  async function add(entry: object): Promise<void> {
    started ??= claim().then(() => write(withoutSecrets(options.start)));
    await started;
    await write(entry);
  }

  const recentChanges = new Map<string, { id: string }>();
  const withoutSecrets = (entry: object): object => redactor.data(entry) as object;
  return {
    path,
    claim,
    append: (entry) => add(withoutSecrets(entry)),
    // A change set holds hashes and paths alone, and both must stay exactly what they are.
    async recordChanges(changeSet, { undoes, by, apart } = {}) {
      await add({ type: 'changes', changeSet, undoes, by, apart });
      rememberRecent(changeSet, recentChanges);
    },
    recentChanges,
    async close() {
      // A failure to open was reported by `append`.
      await (await file?.catch(() => undefined))?.close();
      file = undefined;
      (await held?.catch(() => undefined))?.release();
    },
  };
}

/** The time by the clock, and the time that orders the entries where the clock was set back. */
function createEntryTimes({ clock, notBefore }: Pick<JournalOptions, 'clock' | 'notBefore'>) {
  let latest = notBefore;
  return (): { at: string; order: string | undefined } => {
    const now = clock.now();
    latest = Math.max(latest, now);
    const order = latest > now ? new Date(latest).toISOString() : undefined;
    return { at: new Date(now).toISOString(), order };
  };
}

const MOST_RECENT = 64;

/** Keeps the newest change sets. */
export function rememberRecent<Changed extends { id: string }>(
  changeSet: Changed,
  recent: Map<string, Changed>,
): void {
  recent.set(changeSet.id, changeSet);
  const [oldest] = recent.keys();
  if (recent.size > MOST_RECENT && oldest !== undefined) recent.delete(oldest);
}

const CLAIM_LIMIT_MS = 30_000;

/** Two processes in one conversation would each answer what the other was asked. */
async function claimed(locks: Pick<Locks, 'hold'>, id: string): Promise<Hold> {
  const hold = await locks.hold(`session-${id}`, deadlineIn(CLAIM_LIMIT_MS));
  if ('release' in hold) return hold;
  throw new SettingsError(
    `The session ${id} is in use by ${hold.heldBy}. Continue there, wait until it ends, or start a new one without --resume and --continue.`,
  );
}
