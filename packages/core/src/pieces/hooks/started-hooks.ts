import { messageOf } from '@toolwright/machine/base/errors.js';
import { deadlineIn, unlessAborted } from '@toolwright/machine/host/deadline.js';
import { messagesOf, type StartedHooks } from './ask-hooks.js';
import type { Hook } from './hook.js';
import { answerOf, type HookAnswer, type HookRun } from './hook-answer.js';

export interface StartedHooksNeeds {
  run(hook: Hook, input: string, signal: AbortSignal): Promise<HookRun>;
  /** Tells the user what they say, and that one failed. */
  say(sentence: string): void;
  /** The time for which they may go on when the session ends. */
  graceMs?: number;
}

const MOST_AT_ONCE = 8;
const GRACE_MS = 1_000;

export function createStartedHooks({ run, say, graceMs = GRACE_MS }: StartedHooksNeeds): StartedHooks {
  const running = new Set<Promise<void>>();
  const end = new AbortController();
  const watch = async (hook: Hook, input: string): Promise<void> => {
    try {
      const answer = answerOf(hook.event, await run(hook, input, end.signal));
      for (const message of messagesOf([{ hook, ...answer }])) say(message);
    } catch (error) {
      if (!end.signal.aborted) say(messageOf(error));
    }
  };
  const settled = async (): Promise<void> => void (await Promise.all(running));
  return {
    start(hook, input) {
      const silent: HookAnswer = { decision: 'none', reason: '' };
      if (running.size >= MOST_AT_ONCE)
        return { ...silent, failure: `it was not started, because ${MOST_AT_ONCE} others still run` };
      const task = watch(hook, input).finally(() => running.delete(task));
      running.add(task);
      return silent;
    },
    settled,
    async close() {
      if (running.size > 0) await unlessAborted(settled(), deadlineIn(graceMs)).catch(() => undefined);
      end.abort();
      await settled();
    },
  };
}
