import { expect, it } from 'vitest';
import { readCallResult } from './read-result.js';

const text = (value: string) => ({ type: 'text', text: value });
const link = { type: 'resource_link', uri: 'file:///a', name: 'a' };

it('the model gets the text where it says all of the structured content', () => {
  const { parts, structured } = readCallResult(
    { content: [text('alpha')], structuredContent: { content: 'alpha' } },
    null,
  );
  expect(parts).toEqual([{ text: 'alpha' }]);
  expect(structured).toEqual({ content: 'alpha' });
});

it('the model gets the structured content in place of texts that say less, beside everything that is no text', () => {
  const content = [text('One item.'), link];
  const { parts } = readCallResult({ content, structuredContent: { items: ['Ada'] } }, null);
  expect(parts).toEqual([
    { text: '{\n  "items": [\n    "Ada"\n  ]\n}' },
    { text: '[resource file:///a: a]' },
  ]);
});

it('a failure is told in its own words', () => {
  const result = { content: [text('No such item.')], structuredContent: { code: 404 }, isError: true };
  expect(readCallResult(result, null).parts).toEqual([{ text: 'No such item.' }]);
});

it('content without any text is the structured content', () => {
  expect(readCallResult({ content: [], structuredContent: { a: 1 } }, null).parts).toEqual([
    { text: '{\n  "a": 1\n}' },
  ]);
});
