import { expect, it } from 'vitest';
import type { FinishReason, ModelEvent } from '../model/model.js';
import { runTurn } from './turn.js';

async function callsOf(reason: FinishReason, isUnfinished?: boolean) {
  const call = (id: string): ModelEvent => ({
    type: 'call',
    call: { id, name: 'glob', arguments: {}, isUnfinished },
  });
  const model = {
    provider: 'p',
    model: 'm',
    async *stream(): AsyncGenerator<ModelEvent> {
      yield call('first');
      yield call('last');
      yield { type: 'finish', reason, parts: [] };
    },
  };
  const signal = new AbortController().signal;
  const request = { system: '', messages: [], tools: [] };
  const { calls } = await runTurn(model, request, { emit: () => undefined, signal });
  return calls.map(({ id, cutOff = false }) => [id, cutOff]);
}

it('the last call of an answer that ended at its length limit is cut off, whatever model gave it', async () => {
  expect(await callsOf('length')).toEqual([
    ['first', false],
    ['last', true],
  ]);
});

it.each<FinishReason>(['calls', 'stop', 'other', 'filter'])(
  'no call of an answer that ended with %s is cut off',
  async (reason) => {
    expect(await callsOf(reason)).toEqual([
      ['first', false],
      ['last', false],
    ]);
  },
);

it('a call that the answer ended before is cut off', async () => {
  expect(await callsOf('other', true)).toEqual([
    ['first', true],
    ['last', true],
  ]);
});
