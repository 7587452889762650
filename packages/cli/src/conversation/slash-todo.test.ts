import type { Message } from '@toolwright/core';
import { expect, it } from 'vitest';
import { runSlash } from './slash-commands.js';
import type { SlashContext } from './slash-context.js';

const at = (messages: Message[]) => ({ agent: { messages } }) as unknown as SlashContext;
const calling = (items: object[]): Message => ({
  role: 'model',
  parts: [{ functionCall: { id: 'a', name: 'todo', args: { items } } }],
});

it('/todo shows the latest list of the model, or says that there is none', async () => {
  const first = calling([{ text: 'read', state: 'active' }]);
  const second = calling([
    { text: 'read', state: 'done' },
    { text: 'write', state: 'active' },
    { text: 'test', state: 'open' },
  ]);
  expect(await runSlash('todo', '', at([first, second]))).toMatchObject([
    { text: '[x] read\n[>] write\n[ ] test' },
  ]);
  expect(await runSlash('todo', '', at([]))).toMatchObject([{ text: 'The model has made no list.' }]);
});
