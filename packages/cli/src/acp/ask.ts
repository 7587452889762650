import type {
  ClientCapabilities,
  PermissionOption,
  RequestPermissionOutcome,
  ToolCallContent,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { messageOf } from '@toolwright/core/front-end';
import type { Ask, Question } from '../app/question.js';
import { escaped, fenced } from './updates/markdown.js';
import type { Outbox } from './updates/outbox.js';
import { drawDiff, textContent } from './updates/tool-call.js';
import type { EditorClient } from './wire/peer.js';

/** The editor of one session, as far as questions need it. */
export interface Editor {
  client: EditorClient;
  sessionId: string;
  capabilities: ClientCapabilities;
  outbox: Outbox;
  /** Makes a shown path absolute. */
  absolute(path: string): string;
}

export type PermissionAnswer = RequestPermissionOutcome | { outcome: 'failed'; reason: string };

/** Asks the user for permission; an editor that can't ask, or is gone, has failed. */
export async function requestPermission(
  { client, sessionId, outbox }: Editor,
  { toolCall, options }: { toolCall: ToolCallUpdate; options: PermissionOption[] },
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  await outbox.flush();
  try {
    const params = { sessionId, toolCall, options };
    const { outcome } = await client.request('session/request_permission', params, signal);
    return outcome;
  } catch (error) {
    return signal.aborted ? { outcome: 'cancelled' } : { outcome: 'failed', reason: messageOf(error) };
  }
}

/** Asks every question of the program that is not about a call: trust, reviews, servers. */
export function askInEditor(editor: Editor): Ask {
  let asked = 0;
  return async (question, signal) => {
    const toolCallId = `question-${++asked}`;
    const title = question.title;
    const content = contentOf(question, editor);
    const { outbox } = editor;
    outbox.send({ sessionUpdate: 'tool_call', toolCallId, title, kind: 'other', status: 'pending', content });
    const options = optionsOf(question);
    const answered = await requestPermission(
      editor,
      { toolCall: { toolCallId, title, content, kind: 'other', status: 'pending' }, options },
      signal,
    );
    const key = answered.outcome === 'selected' ? answered.optionId : null;
    const chosen = options.find(({ optionId }) => optionId === key);
    const status = chosen ? 'completed' : 'failed';
    const said = chosen ? [textContent(`Answer: ${escaped(chosen.name)}`)] : [];
    outbox.send({ sessionUpdate: 'tool_call_update', toolCallId, status, content: [...content, ...said] });
    return chosen ? { key: chosen.optionId, text: '' } : null;
  };
}

/** An editor offers answers to choose, and nothing to write: what must be written can't be chosen. */
function optionsOf({ choices, refusal }: Question): PermissionOption[] {
  return choices
    .filter(({ key, asksFor }) => key === refusal || asksFor === undefined)
    .map(({ key, label, chosen }) => ({
      optionId: key,
      name: chosen || label,
      kind: key === refusal ? 'reject_once' : 'allow_once',
    }));
}

function contentOf({ facts, text, diff }: Question, { absolute }: Editor): ToolCallContent[] {
  const sentences = facts.map((fact) => escaped(fact)).join('\n\n');
  const files = (diff ?? []).map((file) => ({ ...file, change: file.change as 'modify' }));
  return [
    ...(sentences === '' ? [] : [textContent(sentences)]),
    ...(text === undefined || text === '' ? [] : [textContent(fenced(text, 'block'))]),
    ...drawDiff({ kind: 'diff', files }, absolute).content,
  ];
}
