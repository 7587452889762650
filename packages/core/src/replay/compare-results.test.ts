import { expect, it } from 'vitest';
import type { RecordedCall } from '../recording/script.js';
import { otherResults, pairCalls } from './compare-results.js';

function call(number: number, output: string | null, id = `model-${number}`): RecordedCall {
  const base = { v: 1, at: '', callId: `own-${number}`, tool: 'read_file' } as const;
  const start = { ...base, type: 'call-start', args: { absolute_path: `${number}` }, effects: [] } as const;
  if (output === null) return { number, start: { ...start, effects: [] } };
  const response = { id, name: 'read_file', response: { output } };
  return {
    number,
    start: { ...start, effects: [] },
    end: { ...base, type: 'call-end', response, display: '' },
  };
}

it('calls belong together by the id of the model, also where their order is another', () => {
  const { pairs, missing, further } = pairCalls(
    [call(1, 'a'), call(2, 'b'), call(3, 'c')],
    [call(2, 'b'), call(1, 'a'), call(4, 'd')],
  );
  expect(pairs.map(([then, now]) => [then.number, now.number])).toEqual([
    [1, 1],
    [2, 2],
  ]);
  expect([missing, further].map((calls) => calls.map(({ number }) => number))).toEqual([[3], [4]]);
});

it('a call that had no end then, because the program was killed, is no difference now', async () => {
  const { pairs, missing, further } = pairCalls([call(1, 'a'), call(2, null)], [call(1, 'a'), call(2, 'b')]);
  expect([missing, further]).toEqual([[], []]);
  expect(await otherResults(pairs)).toEqual([]);
});
