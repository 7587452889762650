import type { Message } from '@toolwright/machine/base/content.js';
import { expect, it } from 'vitest';
import { conversationName } from './conversation-name.js';
import { recordedModel } from './recorded-model.js';
import type { RecordedAnswer, Recording } from './recording.js';

const said = (text: string): Message[] => [{ role: 'user', parts: [{ text }] }];
const answer = (prompt: string, text: string): RecordedAnswer => ({
  conversation: conversationName(said(prompt)),
  events: [
    { type: 'text-delta', text },
    { type: 'finish', reason: 'stop', parts: [{ text }] },
  ],
});
const request = (prompt: string, tools: string[]): Recording['requests'][number] => ({
  conversation: conversationName(said(prompt)),
  system: '',
  tools: tools.map((name) => ({ name })),
});
const recording: Recording = {
  head: { at: '', program: '', sessionId: 's', workspace: '/w', provider: 'p', model: 'm' },
  history: [],
  requests: [
    request('task', ['edit']),
    request('part', ['edit']),
    request('sum up', []),
    request('summary', ['edit']),
  ],
  answers: [
    answer('task', 'one'),
    answer('part', 'of a subagent'),
    answer('sum up', 'a summary'),
    answer('summary', 'two'),
    answer('summary', 'three'),
  ],
  entries: [{ v: 1, at: '', type: 'history', messages: said('summary') }],
  events: [],
  contentOf: async () => null,
};

async function answersTo(prompts: readonly string[], from = recording): Promise<string[]> {
  const model = recordedModel(from);
  const texts: string[] = [];
  for (const prompt of prompts)
    for await (const event of model.stream(
      { system: '', messages: said(prompt), tools: [] },
      new AbortController().signal,
    ))
      if (event.type === 'text-delta') texts.push(event.text);
  return texts;
}

it('a recorded model gives the answers of the session, though the conversation was summarised then and is not now', async () => {
  expect(await answersTo(['task', 'task', 'task'])).toEqual(['one', 'two', 'three']);
});

it('a recorded model gives them also where the first words are others, as in another folder', async () => {
  expect(await answersTo(['other', 'other', 'other'])).toEqual(['one', 'two', 'three']);
});

it('a recorded model gives side questions and subagents their own answers', async () => {
  expect(await answersTo(['sum up', 'part', 'task'])).toEqual(['a summary', 'of a subagent', 'one']);
});

it('a recorded model never has its conversation summarised: its answers do not depend on how long that is', () => {
  expect(recordedModel(recording).capabilities?.contextWindow).toBeGreaterThan(1e12);
});
