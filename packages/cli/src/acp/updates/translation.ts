import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { AgentEvent } from '@toolwright/core';
import { escaped } from './markdown.js';
import { drawDisplay, errorContent, startedCall, textContent } from './tool-call.js';

export interface TranslationOptions {
  /** Makes the path of a diff absolute. */
  absolute(path: string): string;
  /** Tokens that the model takes in; null where that is not known. */
  contextWindow(): number | null;
  /** The editor draws notices in a way of its own. */
  drawsNotices: boolean;
}

type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;

/** Turns what an agent tells into updates of its session. */
export class Translation {
  readonly #options: TranslationOptions;
  /** Editors join chunks of one message; a call or a notice between them begins another. */
  #message = 0;

  constructor(options: TranslationOptions) {
    this.#options = options;
  }

  notice(title: string, severity = 'info'): SessionUpdate {
    if (this.#options.drawsNotices) return { sessionUpdate: 'notice', severity, title };
    return this.say(`> ${escaped(title)}\n\n`);
  }

  /** A text of ours as a message of its own. */
  say(markdown: string): SessionUpdate {
    this.#message += 1;
    const said = this.#text(markdown);
    this.#message += 1;
    return said;
  }

  updatesOf(event: AgentEvent): SessionUpdate[] {
    switch (event.type) {
      case 'text-delta':
        return [this.#text(event.text)];
      case 'thinking-delta':
        return [chunk('agent_thought_chunk', event.text, `t${this.#message}`)];
      case 'answer-restart':
        return [this.#text('\n\n'), this.notice(event.message, 'warning')];
      case 'notice':
        return event.passing && !this.#options.drawsNotices ? [] : [this.notice(event.message)];
      case 'usage-report':
        return this.#usage(event);
      case 'call-start':
        this.#message += 1;
        return [startedCall(event, event.description)];
      case 'call-end':
        return [endedCall(event, this.#options.absolute)];
      default:
        return [];
    }
  }

  #text(text: string): SessionUpdate {
    return chunk('agent_message_chunk', text, `m${this.#message}`);
  }

  /** The room that the conversation takes; what subagents use takes none of it. */
  #usage({ usage, purpose }: EventOf<'usage-report'>): SessionUpdate[] {
    if (purpose !== undefined) return [];
    const size = this.#options.contextWindow();
    const used = usage.inputTokens + usage.outputTokens;
    return size === null ? [] : [{ sessionUpdate: 'usage_update', used, size }];
  }
}

function endedCall(
  { callId, display, error, exitStatus, newErrors = [] }: EventOf<'call-end'>,
  absolute: TranslationOptions['absolute'],
): SessionUpdate {
  const { content, locations } = drawDisplay(display, absolute);
  const why = error && content.length === 0 ? [textContent(error.message)] : [];
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId: callId,
    status: error ? 'failed' : 'completed',
    content: [...content, ...why, ...errorContent(newErrors)],
    locations,
    rawOutput: { error, exitStatus },
  };
}

export function chunk(
  sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk',
  text: string,
  messageId: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: 'text', text }, messageId };
}
