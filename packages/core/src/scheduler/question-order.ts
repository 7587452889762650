import type { ConfirmRequest, QuestionPlace, QuestionQueue } from './call.js';

/** Slots for calls that run side by side; whoever waits for the user needs none. */
export interface Slots {
  take(): Promise<void>;
  give(): void;
}

/** Plans of calls that run side by side are quick; one that is not must not hold up the first question for long. */
const PLANNING_MS = 300;

/** For a call without a plan: it will be asked about, as far as is known; it may be, which its plan shows; or it will not. */
export type Outlook = 'asked' | 'maybe' | 'not';

type Stage = 'planning' | 'blocked' | 'waiting' | 'decided';

interface PlacedCall {
  stage: Stage;
  request: ConfirmRequest | null;
}

/** Questions about one batch come in the order of its calls, whichever call was planned first. */
export interface QuestionOrder {
  /** The call has begun: what it waited for is done. */
  begin(index: number): QuestionPlace;
}

export interface QuestionOrderOptions {
  calls: number;
  slots: Slots;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Whether a call that has no plan yet will be asked about. */
  outlook(index: number): Outlook;
}

export function createQuestionOrder({ slots, sleep, ...batch }: QuestionOrderOptions): QuestionOrder {
  const { move, until, isFirst, arePlanned, waitingAfter, unplannedAfter } = createStages(batch);
  const agreed = new Set<string>();
  let asked = 0;

  async function awaitTurn(index: number, signal: AbortSignal): Promise<void> {
    slots.give();
    try {
      await until(() => isFirst(index), signal);
      // Before the first question, so that it can tell how many there are.
      if (asked === 0 && !arePlanned()) await soon(signal, { until, arePlanned, sleep });
    } finally {
      await slots.take();
    }
  }

  return {
    begin(index) {
      move(index, 'planning');
      let number = 0;
      return {
        async turn(request, signal) {
          if (!request) return;
          move(index, 'waiting', request);
          await awaitTurn(index, signal);
        },
        placed(request) {
          // A call that the user edited is asked about again, at its place.
          number ||= ++asked;
          const others = waitingAfter(index).filter(({ callId }) => !agreed.has(callId));
          const queue = queueOf({
            number,
            asked,
            others,
            outlooks: unplannedAfter(index).map(batch.outlook),
          });
          return queue ? { ...request, queue } : request;
        },
        agree(callIds) {
          for (const id of callIds) agreed.add(id);
          asked += callIds.length;
        },
        isAgreed: (callId) => agreed.has(callId),
        leave: () => move(index, 'decided'),
      };
    },
  };
}

/** Waits until all are planned, or for as long as a plan may take. */
async function soon(
  signal: AbortSignal,
  {
    until,
    arePlanned,
    sleep,
  }: Pick<ReturnType<typeof createStages>, 'until' | 'arePlanned'> & Pick<QuestionOrderOptions, 'sleep'>,
): Promise<void> {
  const limit = new AbortController();
  const either = AbortSignal.any([signal, limit.signal]);
  await Promise.race([until(arePlanned, either), sleep(PLANNING_MS, either)]).catch(() => undefined);
  limit.abort();
}

interface Counted {
  number: number;
  /** Questions that were asked. */
  asked: number;
  others: ConfirmRequest[];
  outlooks: readonly Outlook[];
}

/** Null for a question that is the only one, as far as is known. */
function queueOf({ number, asked, others, outlooks }: Counted): QuestionQueue | null {
  const count = asked + others.length + outlooks.filter((each) => each === 'asked').length;
  if (count === 1) return null;
  const orMore = outlooks.includes('maybe') ? true : undefined;
  return { number, count, orMore, others };
}

/** The stage that each call of a batch is at. */
function createStages({ calls }: Pick<QuestionOrderOptions, 'calls'>) {
  const entries = Array.from({ length: calls }, (): PlacedCall => ({ stage: 'blocked', request: null }));
  const watchers: (() => void)[] = [];
  return {
    move(index: number, stage: Stage, request: ConfirmRequest | null = null): void {
      entries[index] = { stage, request };
      for (const wake of watchers.splice(0)) wake();
    },
    /** Looks again after each move. */
    async until(isTrue: () => boolean, signal: AbortSignal): Promise<void> {
      while (!isTrue()) {
        signal.throwIfAborted();
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            signal.removeEventListener('abort', wake);
            resolve();
          };
          watchers.push(wake);
          signal.addEventListener('abort', wake, { once: true });
        });
      }
    },
    isFirst: (index: number): boolean => entries.slice(0, index).every(({ stage }) => stage === 'decided'),
    arePlanned: (): boolean => entries.every(({ stage }) => stage !== 'planning'),
    waitingAfter: (index: number): ConfirmRequest[] =>
      entries
        .slice(index + 1)
        .flatMap(({ stage, request }) => (stage === 'waiting' && request ? [request] : [])),
    unplannedAfter: (index: number): number[] =>
      Array.from(entries.keys()).filter(
        (later) => later > index && ['blocked', 'planning'].includes(entries[later]!.stage),
      ),
  };
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    async take() {
      if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      else free -= 1;
    },
    give() {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    },
  };
}
