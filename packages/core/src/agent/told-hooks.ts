import type { Part } from '@toolwright/machine/base/content.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { AskedHook } from '../pieces/hooks/ask-about-tool.js';
import { type AskHooks, contextOf, messagesOf } from '../pieces/hooks/ask-hooks.js';
import { describeHook, type HookEvent } from '../pieces/hooks/hook.js';
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

export interface ToldHooksNeeds {
  emit(event: AgentEvent): void;
  /** How the session began. */
  source: 'startup' | 'resume' | 'clear';
}

const NOTICE_LIMIT_MS = 60_000;
/** A hook that always says "go on" would never let a conversation end. */
const MOST_GOINGS_ON = 5;

export function createToldHooks(hooks: AskHooks, { emit, source }: ToldHooksNeeds): ToldHooks {
  let isStarted = false;
  let goingsOn = 0;
  const tell = async (event: HookEvent, about: { matched?: string; more?: object }, signal: AbortSignal) => {
    const answers = await hooks.tell(event, about, signal);
    for (const message of messagesOf(answers)) emit({ type: 'notice', message });
    return answers;
  };
  const tellStart = (from: string, signal: AbortSignal) =>
    tell('SessionStart', { matched: from, more: { source: from } }, signal);
  return {
    async beforePrompt(text, signal) {
      goingsOn = 0;
      const started = isStarted ? [] : await tellStart(source, signal);
      isStarted = true;
      const answers = [...started, ...(await tell('UserPromptSubmit', { more: { prompt: text } }, signal))];
      return sentWithPrompt(answers);
    },
    async whenDone(signal) {
      if (goingsOn >= MOST_GOINGS_ON) return null;
      const answers = await tell('Stop', { more: { stop_hook_active: goingsOn > 0 } }, signal);
      const objections = answers.filter((answer) => answer.decision === 'deny' && !answer.stops);
      if (objections.length === 0) return null;
      goingsOn += 1;
      return [{ text: objectionText(objections) }];
    },
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
