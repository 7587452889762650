import { randomUUID } from 'node:crypto';
import type { Part } from '@toolwright/machine/base/content.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { AskedHook } from '../pieces/hooks/ask-about-tool.js';
import { type AskHooks, contextOf, messagesOf } from '../pieces/hooks/ask-hooks.js';
import { describeHook } from '../pieces/hooks/hook.js';
import type { Session } from '../session/session.js';
import type { AgentEvent } from './events.js';

/** Hooks of a conversation: what they are told, and what their answers mean there. */
export interface ToldHooks {
  /** Parts to send with the prompt, or why it must not be sent. */
  beforePrompt(text: string, signal: AbortSignal): Promise<Part[] | { refused: string }>;
  /** The model is done: parts that make it go on, or null. */
  whenDone(signal: AbortSignal): Promise<Part[] | null>;
  /** `focus` is what the user asked the summary to keep; without it nobody asked for one. */
  beforeShortening(signal: AbortSignal, asked?: { focus: string }): Promise<void>;
  /** The session goes on from a summary: parts for the model, or null. */
  afterShortening(signal: AbortSignal): Promise<Part[] | null>;
  /** The user is asked something. Nobody waits for it. */
  questionAsked(description: string, kind: 'permission_prompt' | 'elicitation_dialog'): void;
  end(signal: AbortSignal, reason?: SessionEndReason): Promise<void>;
}

/** Why a session ends, in the words of hooks. */
export type SessionEndReason = 'clear' | 'logout' | 'prompt_input_exit' | 'other';

interface HookTelling {
  emit(event: AgentEvent): void;
  /** Keeps the answers in the journal. */
  record: Session['recordHook'];
}

export interface ToldHooksNeeds extends HookTelling {
  /** How the session began. */
  source: 'startup' | 'resume' | 'clear';
}

const NOTICE_LIMIT_MS = 60_000;
/** A hook that always says "go on" would never let a conversation end. */
const MOST_GOINGS_ON = 5;

type Tell = AskHooks['tell'];

/** Tells the user what hooks say to them, and keeps what they answer. */
function telling(hooks: AskHooks, { emit, record }: HookTelling): Tell {
  return async (event, about, signal) => {
    const answers = await hooks.tell(event, about, signal);
    for (const message of messagesOf(answers)) emit({ type: 'notice', message });
    for (const { hook, decision, reason, failure } of answers)
      if (!hook.isAsync) await record({ event, hook: describeHook(hook), decision, reason, failure });
    return answers;
  };
}

/** The end of the work of a model, over which hooks may object. */
function endTold(tell: (isAgain: boolean, signal: AbortSignal) => Promise<AskedHook[]>) {
  let goingsOn = 0;
  return {
    reset() {
      goingsOn = 0;
    },
    async whenDone(signal: AbortSignal): Promise<Part[] | null> {
      if (goingsOn >= MOST_GOINGS_ON) return null;
      const answers = await tell(goingsOn > 0, signal);
      const objections = answers.filter((answer) => answer.decision === 'deny' && !answer.stops);
      if (objections.length === 0) return null;
      goingsOn += 1;
      return [{ text: objectionText(objections) }];
    },
  };
}

/** Hooks of `SubagentStop`: they may make the subagent go on, and hear of its end however it comes. */
export function createSubagentStop(hooks: AskHooks, { name, ...needs }: HookTelling & { name: string }) {
  const tell = telling(hooks, needs);
  const agent_id = randomUUID();
  let isTold = false;
  const ended = endTold((isAgain, signal) => {
    isTold = true;
    const more = { agent_type: name, agent_id, stop_hook_active: isAgain };
    return tell('SubagentStop', { matched: name, more }, signal);
  });
  return {
    whenDone: ended.whenDone,
    async end(signal: AbortSignal): Promise<void> {
      if (!isTold) await ended.whenDone(signal);
    },
  };
}

export function createToldHooks(hooks: AskHooks, { source, ...needs }: ToldHooksNeeds): ToldHooks {
  let isStarted = false;
  const tell = telling(hooks, needs);
  const ended = endTold((isAgain, signal) => tell('Stop', { more: { stop_hook_active: isAgain } }, signal));
  const tellStart = (from: string, signal: AbortSignal) =>
    tell('SessionStart', { matched: from, more: { source: from } }, signal);
  return {
    async beforePrompt(text, signal) {
      ended.reset();
      const started = isStarted ? [] : await tellStart(source, signal);
      isStarted = true;
      const answers = [...started, ...(await tell('UserPromptSubmit', { more: { prompt: text } }, signal))];
      return sentWithPrompt(answers);
    },
    whenDone: ended.whenDone,
    async beforeShortening(signal, asked) {
      const trigger = asked ? 'manual' : 'auto';
      const more = { trigger, custom_instructions: asked?.focus ?? '' };
      await tell('PreCompact', { matched: trigger, more }, signal);
    },
    async afterShortening(signal) {
      const context = contextOf(await tellStart('compact', signal));
      return context === null ? null : [{ text: context }];
    },
    questionAsked(description, kind) {
      const more = { message: `Toolwright asks: ${description}`, notification_type: kind };
      void tell('Notification', { matched: kind, more }, deadlineIn(NOTICE_LIMIT_MS)).catch(() => undefined);
    },
    async end(signal, reason = 'other') {
      const wasStarted = isStarted;
      isStarted = false;
      if (wasStarted) await tell('SessionEnd', { matched: reason, more: { reason } }, signal);
    },
  };
}

function sentWithPrompt(answers: readonly AskedHook[]): Part[] | { refused: string } {
  const denied = answers.find(({ decision }) => decision === 'deny');
  if (denied)
    return {
      refused: `The prompt was not sent: the hook ${describeHook(denied.hook)} says no: ${denied.reason}`,
    };
  const context = contextOf(answers);
  return context === null ? [] : [{ text: `\n\n${context}` }];
}

function objectionText(objections: readonly AskedHook[]): string {
  return `[A hook of the user wants you to continue]\n${objections.map(({ reason }) => reason).join('\n')}`;
}
