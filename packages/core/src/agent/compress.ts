import { type Message, type Part, textOf } from '@toolwright/machine/base/content.js';
import { headAndTail } from '@toolwright/machine/base/truncate.js';
import type { ModelClient } from '../model/model.js';
import { askOverText } from './side-question.js';

/** Shares of the context window: a conversation above the first is compressed down to the second. */
const FULL_SHARE = 0.8;
const RECENT_SHARE = 0.2;
const TRANSCRIPT_SHARE = 0.5;
const BYTES_PER_TOKEN = 4;
const ASSUMED_WINDOW = 128_000;
const PINNED_BYTES = 8 * 1024;
const RESULT_BYTES = 2 * 1024;

const ASKED_FOR = '[What the user asked for, word for word]\n';
const SO_FAR = '[The conversation so far, summarised]\n';

const QUESTION = `Summarise this conversation between a user and an agent so that the agent can continue with nothing but your summary.
Keep: what the user wants and every constraint they gave; decisions and why; files read or changed, with paths; commands and their outcome; errors and how they were solved; what is done and what is left. Leave out pleasantries. Use short lines.`;

export function isNearlyFull(model: ModelClient, usedTokens: number): boolean {
  return usedTokens > windowOf(model) * FULL_SHARE;
}

export interface CompressOptions {
  /** The latest messages are summarised too. */
  isWhole?: boolean;
  /** The subject that the user wants kept above all. */
  focus?: string;
}

/** A shorter history that means the same: the task as it was put, a summary with the list of `todo`, and the latest messages. */
export async function compressHistory(
  model: ModelClient,
  messages: readonly Message[],
  signal: AbortSignal,
  { isWhole = false, focus = '' }: CompressOptions = {},
): Promise<Message[] | null> {
  const share = isWhole ? 0 : RECENT_SHARE;
  const start = recentStart(messages, windowOf(model) * share * BYTES_PER_TOKEN);
  const earlier = messages.slice(0, start);
  if (earlier.length < 2) return null;
  const maxBytes = windowOf(model) * TRANSCRIPT_SHARE * BYTES_PER_TOKEN;
  const transcript = headAndTail(earlier.map(transcriptOf).join('\n\n'), {
    maxBytes,
    maxLines: Number.MAX_SAFE_INTEGER,
  });
  const prompt = focus === '' ? QUESTION : `${QUESTION}\nAbove all keep what has to do with: ${focus}`;
  const summary = await askOverText(model, { prompt, text: transcript.text, purpose: 'summary' }, signal);
  if (summary.trim() === '') return null;
  const { listForSummary } = await import('../tools/task/todo.js');
  const text = `${pinnedTask(earlier)}${SO_FAR}${summary.trim()}\n${listForSummary(earlier)}[End of the summary; continue from here.]`;
  return [{ role: 'user', parts: [{ text }] }, ...messages.slice(start)];
}

/** The history without its images and files, for a provider that refuses one of them. */
export function withoutMedia(messages: readonly Message[]): Message[] | null {
  let dropped = 0;
  const strip = (part: Part): Part => {
    if (part.inlineData || part.fileData) {
      dropped += 1;
      return { text: `[${part.inlineData?.mimeType ?? 'file'} left out: the model refused it]` };
    }
    if (!part.functionResponse?.parts?.length) return part;
    dropped += part.functionResponse.parts.length;
    const { parts: _, ...rest } = part.functionResponse;
    return {
      ...part,
      functionResponse: { ...rest, response: { ...rest.response, media: 'left out: the model refused it' } },
    };
  };
  const stripped = messages.map((message) => ({ ...message, parts: message.parts.map(strip) }));
  return dropped > 0 ? stripped : null;
}

function windowOf({ capabilities }: ModelClient): number {
  return capabilities?.contextWindow ?? ASSUMED_WINDOW;
}

/** Index of the first recent message: an answer of the model or a prompt, never between a call and its response. */
function recentStart(messages: readonly Message[], maxBytes: number): number {
  let bytes = 0;
  let start = messages.length;
  for (let index = messages.length - 1; index > 0; index--) {
    const message = messages[index]!;
    bytes += JSON.stringify(message).length;
    if (bytes > maxBytes) break;
    if (!message.parts.some((part) => part.functionResponse)) start = index;
  }
  return start;
}

function pinnedTask(messages: readonly Message[]): string {
  const first = messages.find(({ role, parts }) => role === 'user' && parts.some((part) => part.text));
  const task = taskIn(textOf(first?.parts ?? [], '\n'));
  if (task === '') return '';
  const { text } = headAndTail(task, { maxBytes: PINNED_BYTES, maxLines: 400 });
  return `${ASKED_FOR}${text}\n\n`;
}

/** The task of a first prompt, or the one that an earlier summary in its place has kept. */
function taskIn(text: string): string {
  if (text.startsWith(SO_FAR)) return '';
  const end = text.startsWith(ASKED_FOR) ? text.indexOf(`\n\n${SO_FAR}`) : -1;
  return end === -1 ? text : text.slice(ASKED_FOR.length, end);
}

function transcriptOf({ role, parts }: Message): string {
  return `${role === 'user' ? 'USER' : 'AGENT'}: ${parts.map(partText).filter(Boolean).join('\n')}`;
}

function partText({ text, thought, functionCall, functionResponse, inlineData }: Part): string {
  if (thought) return '';
  if (functionCall) return `(calls ${functionCall.name} ${clip(JSON.stringify(functionCall.args))})`;
  if (functionResponse)
    return `(${functionResponse.name} answered ${clip(JSON.stringify(functionResponse.response))})`;
  return inlineData ? `(${inlineData.mimeType})` : (text ?? '');
}

function clip(text = ''): string {
  return headAndTail(text, { maxBytes: RESULT_BYTES, maxLines: 100 }).text;
}
