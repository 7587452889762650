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
  beforeShortening(signal: AbortSignal): Promise<void>;
  /** The user is asked something. Nobody waits for it. */
  questionAsked(description: string): void;
  end(signal: AbortSignal): Promise<void>;
}

export interface ToldHooksNeeds {
  emit(event: AgentEvent): void;
  isResumed: boolean;
}

const NOTICE_LIMIT_MS = 60_000;
/** A hook that always says "go on" would never let a conversation end. */
const MOST_GOINGS_ON = 5;

export function createToldHooks(hooks: AskHooks, { emit, isResumed }: ToldHooksNeeds): ToldHooks {
  let isStarted = false;
  let goingsOn = 0;
  const tell = async (event: HookEvent, about: { matched?: string; more?: object }, signal: AbortSignal) => {
    const answers = await hooks.tell(event, about, signal);
    for (const message of messagesOf(answers)) emit({ type: 'notice', message });
    return answers;
  };
  return {
    async beforePrompt(text, signal) {
      goingsOn = 0;
      const source = isResumed ? 'resume' : 'startup';
      const started = isStarted
        ? []
        : await tell('SessionStart', { matched: source, more: { source } }, signal);
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
    async beforeShortening(signal) {
      await tell(
        'PreCompact',
        { matched: 'auto', more: { trigger: 'auto', custom_instructions: '' } },
        signal,
      );
    },
    questionAsked(description) {
      const more = {
        message: `Toolwright needs an answer: ${description}`,
        notification_type: 'permission_prompt',
      };
      void tell('Notification', { matched: 'permission_prompt', more }, deadlineIn(NOTICE_LIMIT_MS)).catch(
        () => undefined,
      );
    },
    async end(signal) {
      const wasStarted = isStarted;
      isStarted = false;
      if (wasStarted) await tell('SessionEnd', { matched: 'other', more: { reason: 'other' } }, signal);
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
