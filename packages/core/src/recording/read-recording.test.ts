import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readRecording } from './read-recording.js';

const head = {
  v: 1,
  type: 'recording',
  sessionId: 's',
  workspace: '/w',
  model: 'm',
  provider: 'p',
  at: '',
  program: '1',
};
const answer = { type: 'answer', conversation: 'c', events: [{ type: 'finish', reason: 'stop', parts: [] }] };
const entry = {
  type: 'entry',
  entry: { v: 1, at: '', type: 'message', message: { role: 'user', parts: [] } },
};

const callWith = (effects: object[]): object => ({
  type: 'entry',
  entry: { at: '', type: 'call-start', callId: 'c', tool: 'x', args: {}, effects },
});

function recordingOf(lines: readonly (object | string)[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-recording-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'r.jsonl');
  writeFileSync(
    path,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  );
  return path;
}

it('a recording whose last line was torn is read as far as it goes', async () => {
  const { answers, entries } = await readRecording(recordingOf([head, answer, entry, '{"type":"ans']));
  expect([answers.length, entries.length]).toEqual([1, 1]);
});

it.each<[string, (object | string)[], RegExp]>([
  [
    'a damaged line between others',
    [head, '{"type":"ans', answer],
    /r\.jsonl:2 is damaged\. Take another copy of it\.$/,
  ],
  ['bytes that are no text', [head, '\u0000\u0001', answer], /r\.jsonl:2 is damaged/],
  [
    'a line of no kind that is known',
    [head, { type: 'letter' }],
    /r\.jsonl:2 is not a line of a recording\.$/,
  ],
  ['no beginning', [answer, entry], /r\.jsonl is not a recording\. toolwright --record FILE makes one\.$/],
  ['nothing', [], /is not a recording/],
  [
    'a newer format',
    [{ ...head, v: 2 }],
    /r\.jsonl was recorded by a newer version of Toolwright\. Update Toolwright\.$/,
  ],
  ['no version', [{ ...head, v: undefined }], /is not a recording/],
  [
    'an answer without an end',
    [head, { ...answer, events: [{ type: 'finish' }] }],
    /r\.jsonl:2 is not a line/,
  ],
  [
    'a call without a name',
    [head, { ...answer, events: [{ type: 'call', call: {} }] }],
    /r\.jsonl:2 is not a line/,
  ],
  [
    'text that is none',
    [head, { ...answer, events: [{ type: 'text-delta', text: 5 }] }],
    /r\.jsonl:2 is not a line/,
  ],
  [
    'tools that are none',
    [head, { type: 'request', conversation: 'c', system: '', tools: ['x'] }],
    /r\.jsonl:2 is not a line/,
  ],
  [
    'a call without arguments',
    [head, { type: 'entry', entry: { type: 'call-start', callId: 'c', tool: 'x' } }],
    /r\.jsonl:2 is not a line/,
  ],
  [
    'an end of a call without response',
    [head, { type: 'entry', entry: { type: 'call-end', callId: 'c', tool: 'x' } }],
    /r\.jsonl:2 is not a line/,
  ],
  ['an effect of no kind', [head, callWith([{ kind: 'fly' }])], /r\.jsonl:2 is not a line/],
  ['an effect on no path', [head, callWith([{ kind: 'write', path: 5 }])], /r\.jsonl:2 is not a line/],
  [
    'a command of odd words',
    [head, callWith([{ kind: 'execute', command: 'ls', directory: '/', commands: [5] }])],
    /r\.jsonl:2 is not a line/,
  ],
  [
    'a tree with files of no size',
    [{ ...head, tree: { digest: 'd', files: [{ path: 'a' }], leftOut: [] } }],
    /r\.jsonl:1 is not a line/,
  ],
])('a recording with %s is refused with a sentence', async (_, lines, sentence) => {
  await expect(readRecording(recordingOf(lines))).rejects.toThrow(sentence);
});
