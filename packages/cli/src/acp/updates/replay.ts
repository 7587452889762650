import { pathToFileURL } from 'node:url';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { Message, Part } from '@toolwright/core';
import { type entriesOf, terminalSafeLine } from '@toolwright/core/front-end';
import { attachedName } from '../prompt-parts.js';
import { drawDisplay, errorContent, startedCall } from './tool-call.js';
import { chunk } from './translation.js';

type SavedEntry = Awaited<ReturnType<typeof entriesOf>>[number];

const LONGEST_TEXT = 100_000;

/** An earlier conversation as the updates that told it. */
export function* replayed(
  entries: Iterable<SavedEntry>,
  absolute: (path: string) => string,
): Generator<SessionUpdate> {
  let message = 0;
  const running = new Set<string>();
  for (const entry of entries) {
    if (entry.type === 'message') yield* replayedMessage(entry.message, `r${++message}`);
    if (entry.type === 'call-start') {
      running.add(entry.callId);
      yield startedCall(entry, titleOf(entry.tool, entry.args));
    }
    if (entry.type !== 'call-end') continue;
    running.delete(entry.callId);
    const { content, locations } = drawDisplay(entry.display, absolute);
    yield {
      sessionUpdate: 'tool_call_update',
      toolCallId: entry.callId,
      status: entry.error ? 'failed' : 'completed',
      content: [...content, ...errorContent(entry.newErrors)],
      locations,
    };
  }
  // The program ended while they ran.
  for (const toolCallId of running) yield { sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' };
}

const LONGEST_TITLE = 120;

/** The journal keeps the arguments, not the words that a tool had for them. */
function titleOf(tool: string, args: Record<string, unknown>): string {
  const [first] = Object.values(args).filter((value) => typeof value === 'string');
  return terminalSafeLine(first === undefined ? tool : `${tool}: ${first.slice(0, LONGEST_TITLE)}`);
}

function* replayedMessage({ role, parts }: Message, id: string): Generator<SessionUpdate> {
  // Texts beside responses are context files, which the user never wrote.
  if (parts.some(({ functionResponse }) => functionResponse)) return;
  for (const part of parts) {
    const update = role === 'model' ? modelPart(part, id) : userPart(part, id);
    if (update) yield update;
  }
}

function modelPart({ text, thought }: Part, id: string): SessionUpdate | null {
  if (!text) return null;
  return chunk(thought ? 'agent_thought_chunk' : 'agent_message_chunk', text.slice(0, LONGEST_TEXT), id);
}

function userPart({ text, inlineData }: Part, messageId: string): SessionUpdate | null {
  if (inlineData?.data && inlineData.mimeType?.startsWith('image/')) {
    const { data, mimeType } = inlineData;
    return { sessionUpdate: 'user_message_chunk', messageId, content: { type: 'image', data, mimeType } };
  }
  if (!text) return null;
  const name = attachedName(text);
  if (name === null) return chunk('user_message_chunk', text.slice(0, LONGEST_TEXT), messageId);
  const uri = name.startsWith('/') ? pathToFileURL(name).href : name;
  const content = { type: 'resource_link' as const, name: name.split('/').at(-1) || name, uri };
  return { sessionUpdate: 'user_message_chunk', messageId, content };
}
