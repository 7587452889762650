import type { PartListUnion } from '@toolwright/machine/base/content.js';
import { expect, it } from 'vitest';
import type { SettledCall } from '../../scheduler/call.js';
import { toCallResult as toCleanResult } from './content-blocks.js';

const toCallResult = (call: SettledCall) =>
  toCleanResult(call, (text) => text.replaceAll('swordfish', '[redacted]'));

function settled(llmContent: PartListUnion, more: Partial<SettledCall> = {}): SettledCall {
  return { callId: 'c1', tool: 't', response: {}, llmContent, display: '', effects: [], ...more };
}

it.each<[string, PartListUnion, object[]]>([
  ['text', 'hello', [{ type: 'text', text: 'hello' }]],
  [
    'several texts',
    ['one', { text: 'two' }],
    [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ],
  ],
  [
    'a picture',
    { inlineData: { mimeType: 'image/png', data: 'AA==' } },
    [{ type: 'image', data: 'AA==', mimeType: 'image/png' }],
  ],
  [
    'a sound',
    { inlineData: { mimeType: 'audio/wav', data: 'AA==' } },
    [{ type: 'audio', data: 'AA==', mimeType: 'audio/wav' }],
  ],
  [
    'a document',
    { inlineData: { mimeType: 'application/pdf', data: 'AA==', displayName: 'a b.pdf' } },
    [
      {
        type: 'resource',
        resource: { uri: 'toolwright://result/c1/0/a%20b.pdf', mimeType: 'application/pdf', blob: 'AA==' },
      },
    ],
  ],
  [
    'bytes of no known kind',
    { inlineData: { data: 'AA==' } },
    [
      {
        type: 'resource',
        resource: { uri: 'toolwright://result/c1/0', mimeType: 'application/octet-stream', blob: 'AA==' },
      },
    ],
  ],
  [
    'a file elsewhere',
    { fileData: { fileUri: 'https://example.com/x.pdf', mimeType: 'application/pdf' } },
    [
      {
        type: 'resource_link',
        uri: 'https://example.com/x.pdf',
        name: 'x.pdf',
        mimeType: 'application/pdf',
      },
    ],
  ],
  ['what is no content', { thought: true }, []],
])('content is sent to a client as blocks: %s', (_name, parts, content) => {
  expect(toCallResult(settled(parts))).toEqual({ content });
});

it('a failure is a result that says so, with its code', () => {
  const error = { code: 'not_found' as const, message: 'It is not there.' };
  expect(toCallResult(settled('It is not there.', { error }))).toEqual({
    content: [{ type: 'text', text: 'It is not there.' }],
    isError: true,
    _meta: { 'toolwright/error': 'not_found' },
  });
  expect(toCallResult(settled([], { error })).content).toEqual([{ type: 'text', text: 'It is not there.' }]);
});

it('notes to the model and the id of what can be undone come along', () => {
  const response = { response: { output: 'done', notes: ['"5" was read as 5'] } };
  expect(toCallResult(settled('done', { response, changeSet: 'x1' }))).toEqual({
    content: [
      { type: 'text', text: 'done' },
      { type: 'text', text: 'Note: "5" was read as 5' },
    ],
    _meta: { 'toolwright/change-set': 'x1' },
  });
});

it('a value that is secret is taken out wherever there is text', () => {
  const error = { code: 'failed' as const, message: 'no swordfish' };
  const response = { response: { notes: ['not swordfish'] } };
  const { content } = toCallResult(settled(['a swordfish', { text: 'swordfish' }], { error, response }));
  expect(JSON.stringify(content)).not.toContain('swordfish');
  expect(content).toHaveLength(3);
});

it('the result for a client carries a display that is data, without secrets, and leaves diffs to their change set', () => {
  const display = { kind: 'table' as const, columns: ['key'], rows: [['swordfish']] };
  expect(toCallResult(settled('x', { display }))).toEqual({
    content: [{ type: 'text', text: 'x' }],
    _meta: { 'toolwright/display': { kind: 'table', columns: ['key'], rows: [['[redacted]']] } },
  });
  expect(toCallResult(settled('x', { display: { kind: 'diff', files: [] } }))._meta).toBeUndefined();
});

it('the result for a client carries the data of a result beside its text, without secrets', () => {
  const call = settled('{"key":"swordfish"}', { structuredContent: { key: 'swordfish' } });
  expect(toCallResult(call)).toEqual({
    content: [{ type: 'text', text: '{"key":"[redacted]"}' }],
    structuredContent: { key: '[redacted]' },
  });
});
