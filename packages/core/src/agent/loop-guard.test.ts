import { expect, it } from 'vitest';
import type { SettledCall } from '../scheduler/call.js';
import { createLoopGuard } from './loop-guard.js';

function settled(output: string, changeSet?: string): SettledCall {
  return {
    callId: 'c',
    tool: 'look',
    response: { id: 'c', name: 'look', response: { output } },
    llmContent: output,
    display: output,
    effects: [],
    ...(changeSet ? { changeSet } : {}),
  };
}

const call = (path = 'a') => ({ id: 'c', name: 'look', arguments: { path, limit: 1 } });
const guard = createLoopGuard;

/** What the guard says to the same call, time after time. */
function verdicts(outputs: string[], { look }: ReturnType<typeof createLoopGuard> = guard()) {
  return outputs.map((output) => {
    const answer = settled(output);
    return [
      look([call()], [answer]),
      (answer.response.response?.['notes'] as string[] | undefined)?.length ?? 0,
    ];
  });
}

it('tells the model at the third time, and stops at the sixth', () => {
  expect(verdicts(Array.from({ length: 6 }, () => 'same'))).toEqual([
    ['go on', 0],
    ['go on', 0],
    ['go on', 1],
    ['go on', 1],
    ['go on', 1],
    ['stop', 1],
  ]);
});

it('takes arguments in another order for the same', () => {
  const { look } = guard();
  for (let time = 0; time < 5; time++)
    look([time % 2 ? call() : { ...call(), arguments: { limit: 1, path: 'a' } }], [settled('same')]);
  expect(look([call()], [settled('same')])).toBe('stop');
});

it('lets a call go on whose result changes, and one with other arguments', () => {
  const polling = Array.from({ length: 50 }, (_, index) => `${index} % done`);
  expect(verdicts(polling).every(([verdict, notes]) => verdict === 'go on' && notes === 0)).toBe(true);
  const { look } = guard();
  for (let index = 0; index < 50; index++) expect(look([call(`${index}`)], [settled('same')])).toBe('go on');
});

it('sees a loop of two results in turns', () => {
  const results = Array.from({ length: 12 }, (_, index) => (index % 2 ? 'one' : 'other'));
  expect(verdicts(results).at(-1)).toEqual(['stop', 1]);
});

it('starts afresh when something was changed', () => {
  const { look } = guard();
  for (let time = 0; time < 5; time++) look([call()], [settled('same')]);
  look([call('b')], [settled('written', 'change-1')]);
  expect(look([call()], [settled('same')])).toBe('go on');
});
