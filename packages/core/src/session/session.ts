import { join } from 'node:path';
import type { Message } from '@toolwright/machine/base/content.js';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import type { Redactor } from '@toolwright/machine/base/secrets/redact.js';
import type { ChangeSet } from '@toolwright/machine/changes/change-set.js';
import type { Host } from '@toolwright/machine/host/host.js';
import { timeOfId } from '@toolwright/machine/host/node-host.js';
import { lookAtSync, namesInSync } from '@toolwright/machine/host/state/inspect-files.js';
import type { Hold, Locks } from '@toolwright/machine/host/state/locks.js';
import { replaceFile } from '@toolwright/machine/host/state/replace-file.js';
import { inStateFolder, type StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import type { SessionWorkspace } from '@toolwright/machine/host/workspace.js';
import type { CallRecord } from './call-record.js';
import { type JournalEntry, openJournal, projectKey } from './journal.js';

export interface Session {
  readonly id: string;
  readonly journalPath: string;
  /**
   * Makes the session ours alone until it is closed. Done with the first record; an earlier session must be claimed
   * before it is read, or another process may go on writing to it.
   */
  claim(): Promise<void>;
  recordCall(record: CallRecord): Promise<void>;
  recordMessage(message: Message): Promise<void>;
  /** From here on the conversation starts with these messages. */
  recordHistory(messages: Message[]): Promise<void>;
  recordChanges(changeSet: ChangeSet, undoes?: string, by?: string): Promise<void>;
  /** Keeps a long output where the file tools can read it; returns the path. */
  saveOutput(name: string, content: string | Uint8Array): Promise<string>;
  close(): Promise<void>;
}

interface SessionOptions {
  host: Pick<Host, 'clock' | 'ids'> & { workspace: SessionWorkspace };
  state: StateFolder & Pick<Locks, 'hold'>;
  redactor: Redactor;
  /** Name of the front end: `headless`, `tools run`, `library` … */
  front: string;
  model?: { provider: string; model: string };
  /** An earlier session that goes on. */
  resume?: string;
}

/** One conversation and its journal. Nothing is written before there is something to keep. */
export function openSession({ host, state, redactor, front, model, resume }: SessionOptions): Session {
  const { workspace, clock, ids } = host;
  const latest = latestMoment(state.pathOf('sessions', projectKey(workspace.directory)));
  // A clock that was set back must not make this session older than those before it.
  const notBefore = latest >= clock.now() ? latest + 1 : 0;
  const id = resume ?? ids.next(notBefore);
  const journal = openJournal({
    state,
    workspace: workspace.directory,
    sessionId: id,
    clock,
    redactor,
    notBefore,
  });
  let held: Promise<Hold> | undefined;
  let started: Promise<void> | undefined;

  const claim = async (): Promise<void> => {
    held ??= claimed(state, id);
    await held;
  };

  const start = async (): Promise<void> => {
    await claim();
    await journal.append({
      type: 'session-start',
      sessionId: id,
      workspace: workspace.directory,
      front,
      ...model,
    });
  };

  const record = async (entry: JournalEntry): Promise<void> => {
    await (started ??= start());
    await journal.append(entry);
  };

  return {
    id,
    journalPath: journal.path,
    claim,
    recordCall: record,
    recordMessage: (message) => record({ type: 'message', message }),
    recordHistory: (messages) => record({ type: 'history', messages }),
    recordChanges: (changeSet, undoes, by) => record({ type: 'changes', changeSet, undoes, by }),
    async saveOutput(name, content) {
      const folder = await state.make('output', id);
      const root = workspace.addReadOnlyRoot(folder);
      const path = `${root.path}/${name.replace(/[^A-Za-z0-9._-]+/g, '-')}`;
      const kept = typeof content === 'string' ? redactor.text(content) : content;
      await inStateFolder(state.path, () => replaceFile(path, kept));
      return path;
    },
    async close() {
      await journal.close();
      (await held?.catch(() => undefined))?.release();
    },
  };
}

const CLAIM_LIMIT_MS = 30_000;

/** Two processes in one conversation would each answer what the other was asked. */
async function claimed(locks: Pick<Locks, 'hold'>, id: string): Promise<Hold> {
  const hold = await locks.hold(`session-${id}`, AbortSignal.timeout(CLAIM_LIMIT_MS));
  if ('release' in hold) return hold;
  throw new SettingsError(
    `The session ${id} is in use by ${hold.heldBy}. Go on there, wait until it ends, or start a new one without --resume and --continue.`,
  );
}

/** Number of newest journals to check: a long session may have been written to after later ones began. */
const MOST_LOOKED_AT = 50;

/** The latest moment that the journals in a folder know of, whatever the clock says now; 0 where there are none. */
function latestMoment(folder: string): number {
  const names = namesInSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .slice(-MOST_LOOKED_AT);
  const moments = names.map((name) =>
    Math.max(timeOfId(name), lookAtSync(join(folder, name))?.modifiedMs ?? 0),
  );
  return Math.max(0, ...moments);
}
