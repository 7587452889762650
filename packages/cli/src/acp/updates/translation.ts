import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { AgentEvent } from '@toolwright/core';
import { escaped } from './markdown.js';
import { drawDisplay, kindOf, locationsOf, shownArguments, textContent } from './tool-call.js';

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
export function createTranslation({ absolute, contextWindow, drawsNotices }: TranslationOptions) {
  let message = 0;
  const text = (text: string): SessionUpdate => chunk('agent_message_chunk', text, `m${message}`);

  function started({ callId, tool, args, description, effects }: EventOf<'call-start'>): SessionUpdate {
    message += 1;
    return {
      sessionUpdate: 'tool_call',
      toolCallId: callId,
      title: description,
      name: tool,
      kind: kindOf(tool, effects),
      status: 'in_progress',
      locations: locationsOf(effects, args),
      rawInput: shownArguments(args),
    };
  }

  function ended({ callId, display, error, exitStatus }: EventOf<'call-end'>): SessionUpdate {
    const drawn = drawDisplay(display, absolute);
    const why = error && drawn.content.length === 0 ? [textContent(error.message)] : [];
    return {
      sessionUpdate: 'tool_call_update',
      toolCallId: callId,
      status: error ? 'failed' : 'completed',
      content: [...drawn.content, ...why],
      ...(drawn.locations ? { locations: drawn.locations } : {}),
      rawOutput: { ...(error ? { error } : {}), ...(exitStatus === undefined ? {} : { exitStatus }) },
    };
  }

  function notice(title: string, severity = 'info'): SessionUpdate {
    if (drawsNotices) return { sessionUpdate: 'notice', severity, title };
    message += 1;
    const said = text(`> ${escaped(title)}\n\n`);
    message += 1;
    return said;
  }

  return {
    notice,
    /** A text of ours as a message of its own. */
    say(markdown: string): SessionUpdate {
      message += 1;
      const said = text(markdown);
      message += 1;
      return said;
    },
    updatesOf(event: AgentEvent): SessionUpdate[] {
      switch (event.type) {
        case 'text-delta':
          return [text(event.text)];
        case 'thinking-delta':
          return [chunk('agent_thought_chunk', event.text, `t${message}`)];
        case 'answer-restart':
          return [text('\n\n'), notice(event.message, 'warning')];
        case 'notice':
          return event.passing && !drawsNotices ? [] : [notice(event.message)];
        case 'usage-report': {
          const size = contextWindow();
          const used = event.usage.inputTokens + event.usage.outputTokens;
          return size === null ? [] : [{ sessionUpdate: 'usage_update', used, size }];
        }
        case 'call-start':
          return [started(event)];
        case 'call-end':
          return [ended(event)];
        default:
          return [];
      }
    },
  };
}

export function chunk(
  sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk',
  text: string,
  messageId: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: 'text', text }, messageId };
}
