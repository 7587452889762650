import type { Message } from '@toolwright/machine/base/content.js';
import { createRedactor } from '@toolwright/machine/base/secrets/redact.js';
import { expect, it } from 'vitest';
import { contentFilter, toldAnswer, toldMessage } from './content.js';

const redactor = createRedactor(['correct-horse-battery']);
const content = contentFilter(true, () => redactor);

it('messages are told in the form of the conventions for generative AI', () => {
  const asked: Message = {
    role: 'model',
    parts: [
      { text: 'Hm.', thought: true },
      { text: 'I look.' },
      { functionCall: { id: 'c1', name: 'read_file', args: { absolute_path: 'a' } } },
    ],
  };
  const answered: Message = {
    role: 'user',
    parts: [{ functionResponse: { id: 'c1', name: 'read_file', response: { output: 'one' } } }],
  };
  const picture: Message = {
    role: 'user',
    parts: [{ text: 'Look' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
  };
  expect(toldAnswer(asked.parts, 'calls')).toEqual({
    role: 'assistant',
    parts: [
      { type: 'reasoning', content: 'Hm.' },
      { type: 'text', content: 'I look.' },
      { type: 'tool_call', id: 'c1', name: 'read_file', arguments: { absolute_path: 'a' } },
    ],
    finish_reason: 'tool_call',
  });
  expect(toldMessage(answered)).toEqual({
    role: 'tool',
    parts: [{ type: 'tool_call_response', id: 'c1', response: { output: 'one' } }],
  });
  expect(toldMessage(picture)).toEqual({
    role: 'user',
    parts: [
      { type: 'text', content: 'Look' },
      { type: 'attachment', mime_type: 'image/png' },
    ],
  });
});

it('content stays JSON however long the texts in it are, within 32 KB and without secrets', () => {
  const told = content([
    toldMessage({ role: 'user', parts: [{ text: `correct-horse-battery ${'é'.repeat(90_000)}` }] }),
  ])!;
  expect(told.length).toBeLessThanOrEqual(32 * 1024);
  expect(JSON.parse(told)).toMatchObject([{ role: 'user', parts: [{ type: 'text' }] }]);
  expect(told).not.toContain('correct-horse');
  expect(told.length).toBeGreaterThan(15_000);
  const many = content(Array.from({ length: 50_000 }, () => 'short'));
  expect(many).toBe('"too much to be sent"');
  expect(content('x'.repeat(40_000))).toHaveLength(32 * 1024 + 1);
  expect(contentFilter(false, () => redactor)('said')).toBeUndefined();
});
