import { randomUUID } from 'node:crypto';
import { messageOf } from '@toolwright/machine/base/errors.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { CallUnderWay } from '../calls/call-under-way.js';
import { MissingCapability } from '../calls/client.js';
import type { SavedTasks } from './saved-tasks.js';
import { INTERRUPTED, isOver, TASK_TTL_MS, type TaskStatus, type TaskView, taskError } from './task-view.js';

/** Calls that take long, for clients that come back instead of waiting. Whoever knows the id may look at a task. */
export interface Tasks {
  /** False when there are too many: then the client has to wait for its call. */
  hasRoom(): boolean;
  create(call: CallUnderWay): TaskView;
  /** Null when there is no such task, or no longer. One of an earlier server is found with what became of it. */
  find(id: string): Promise<Task | null>;
  /** Marks the calls that are not over as failed, and waits until that is saved. */
  close(): Promise<void>;
}

export interface Task {
  /** Waits until the latest state is saved: a client that saw its task completed finds it so after a restart. */
  view(): Promise<TaskView>;
  /** Null when another server ran it, or runs it. */
  call: CallUnderWay | null;
  cancel(): void;
}

const MOST = 64;
const MISSING_CAPABILITY = -32_021;

export function createTasks(clock: Clock, saved?: SavedTasks): Tasks {
  const records = new Map<string, TaskRecord>();

  function forgetOld(): void {
    for (const [id, record] of records)
      if (clock.now() - record.createdAt >= TASK_TTL_MS && record.hasEnded()) records.delete(id);
  }

  return {
    hasRoom() {
      forgetOld();
      return records.size < MOST;
    },
    create(call) {
      const record = new TaskRecord(call, clock, saved);
      records.set(record.id, record);
      return record.now();
    },
    async find(id) {
      forgetOld();
      const earlier = records.has(id) ? null : await saved?.find(id);
      return earlier
        ? { view: async () => earlier, call: null, cancel: () => undefined }
        : (records.get(id) ?? null);
    },
    async close() {
      await Promise.all([...records.values()].map((record) => record.interrupt()));
    },
  };
}

class TaskRecord implements Task {
  readonly id = randomUUID();
  readonly createdAt: number;
  readonly #clock: Clock;
  readonly #saved: SavedTasks | undefined;
  #updatedAt: number;
  #statusMessage = '';
  /** Set where the task has another end than its call. */
  #end: 'cancelled' | 'interrupted' | null = null;
  #isOver = false;
  #saving: Promise<void> = Promise.resolve();

  constructor(
    readonly call: CallUnderWay,
    clock: Clock,
    saved: SavedTasks | undefined,
  ) {
    this.#clock = clock;
    this.#saved = saved;
    this.createdAt = this.#updatedAt = clock.now();
    call.onChange(() => this.#changed());
    call.setHearer({
      progress: ({ message }) => {
        this.#statusMessage = message;
        this.#updatedAt = clock.now();
      },
    });
    this.#save();
  }

  hasEnded(): boolean {
    return isOver(this.#status());
  }

  async view(): Promise<TaskView> {
    let waitedFor: Promise<void>;
    do {
      waitedFor = this.#saving;
      await waitedFor;
    } while (waitedFor !== this.#saving);
    return this.now();
  }

  now(): TaskView {
    return {
      id: this.id,
      status: this.#status(),
      statusMessage: this.#statusMessage,
      createdAt: this.createdAt,
      updatedAt: this.#updatedAt,
      ...this.#outcome(),
    };
  }

  cancel(): void {
    if (this.hasEnded()) return;
    this.#end = 'cancelled';
    this.#changed();
    this.call.cancel({ kind: 'user' });
  }

  async interrupt(): Promise<void> {
    if (!this.hasEnded()) {
      this.#end = 'interrupted';
      this.#changed();
    }
    await this.#saving;
  }

  /** A task has one end, whatever its call does after that. */
  #changed(): void {
    if (this.#isOver) return;
    this.#updatedAt = this.#clock.now();
    this.#isOver = this.hasEnded();
    if (this.#isOver) this.#save();
  }

  #save(): void {
    const view = this.now();
    this.#saving = this.#saving.then(() => this.#saved?.save(view));
  }

  #status(): TaskStatus {
    if (this.#end) return this.#end === 'cancelled' ? 'cancelled' : 'failed';
    const { kind } = this.call.state;
    return ({ working: 'working', asking: 'input_required', ended: 'completed', failed: 'failed' } as const)[
      kind
    ];
  }

  #outcome(): Pick<TaskView, 'requests' | 'result' | 'error'> {
    const { state } = this.call;
    if (this.#end === 'cancelled') return {};
    if (this.#end === 'interrupted') return taskError(INTERRUPTED);
    switch (state.kind) {
      case 'working':
        return {};
      case 'asking':
        return { requests: state.requests };
      case 'ended':
        return { result: state.result };
      case 'failed': {
        const code = state.error instanceof MissingCapability ? MISSING_CAPABILITY : undefined;
        return taskError(messageOf(state.error), code);
      }
    }
  }
}
