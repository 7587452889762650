import { randomUUID } from 'node:crypto';
import { messageOf } from '@toolwright/machine/base/errors.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { CallState, CallUnderWay } from './call-under-way.js';
import { MissingCapability } from './client.js';
import { answersIn } from './input-answers.js';

/** Calls that take long, for clients that would rather come back than wait. Whoever knows the id may look at a task. */
export interface Tasks {
  /** False when there are too many: then the client has to wait for its call. */
  hasRoom(): boolean;
  /** Makes a task of a call, and tells of it as the client has to hear. */
  create(call: CallUnderWay): JsonObject;
  /** Null when there is no such task, or no longer. */
  find(id: string): Task | null;
}

export interface Task {
  describe(): JsonObject;
  /** Takes the answers that fit what it asks. */
  answer(responses: unknown): void;
  cancel(): void;
}

interface TaskRecord {
  call: CallUnderWay;
  createdAt: number;
  updatedAt: number;
  statusMessage: string;
  isCancelled: boolean;
}

const MOST = 64;
/** Longer than any call may run. */
const TTL_MS = 60 * 60_000;
const POLL_MS = 1_000;
const INTERNAL_ERROR = -32_603;
const MISSING_CAPABILITY = -32_021;

export function createTasks(clock: Clock): Tasks {
  const records = new Map<string, TaskRecord>();

  function forgetOld(): void {
    for (const [id, { createdAt, call }] of records)
      if (clock.now() - createdAt >= TTL_MS && hasEnded(call.state())) records.delete(id);
  }

  return {
    hasRoom() {
      forgetOld();
      return records.size < MOST;
    },
    create(call) {
      const now = clock.now();
      const record = { call, createdAt: now, updatedAt: now, statusMessage: '', isCancelled: false };
      const id = randomUUID();
      records.set(id, record);
      call.onChange(() => void (record.updatedAt = clock.now()));
      call.setHearer({
        progress({ message }) {
          record.statusMessage = message;
          record.updatedAt = clock.now();
        },
      });
      return { resultType: 'task', ...fieldsOf(id, record) };
    },
    find(id) {
      forgetOld();
      const record = records.get(id);
      if (!record) return null;
      return {
        describe: () => ({ ...fieldsOf(id, record), ...outcomeOf(record) }),
        answer: (responses) => record.call.answer(answersIn(responses, record.call.state())),
        cancel() {
          if (hasEnded(record.call.state())) return;
          record.isCancelled = true;
          record.updatedAt = clock.now();
          record.call.cancel({ kind: 'user' });
        },
      };
    },
  };
}

function hasEnded({ kind }: CallState): boolean {
  return kind === 'ended' || kind === 'failed';
}

function fieldsOf(taskId: string, record: TaskRecord): JsonObject {
  const { createdAt, updatedAt, statusMessage } = record;
  return {
    taskId,
    status: statusOf(record),
    statusMessage: statusMessage || undefined,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: TTL_MS,
    pollIntervalMs: POLL_MS,
  };
}

function statusOf({ call, isCancelled }: TaskRecord): string {
  if (isCancelled) return 'cancelled';
  const { kind } = call.state();
  return { working: 'working', asking: 'input_required', ended: 'completed', failed: 'failed' }[kind];
}

function outcomeOf({ call, isCancelled }: TaskRecord): JsonObject {
  const state = call.state();
  if (isCancelled) return {};
  switch (state.kind) {
    case 'working':
      return {};
    case 'asking':
      return { inputRequests: state.requests };
    case 'ended':
      return { result: state.result };
    case 'failed': {
      const code = state.error instanceof MissingCapability ? MISSING_CAPABILITY : INTERNAL_ERROR;
      return { error: { code, message: messageOf(state.error) } };
    }
  }
}
