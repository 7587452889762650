import { expect, it } from 'vitest';
import { hear, requestOf } from '../testing/fake-model/ask.js';
import { withFallback } from './fallback.js';
import { type ModelClient, ModelError, type ModelEvent } from './model.js';

function clientOf(provider: string, stream: ModelClient['stream']): ModelClient {
  return {
    provider,
    model: `${provider}-model`,
    capabilities: { images: false },
    stream,
  } as unknown as ModelClient;
}

it.each([
  ['before its answer', [], 'notice'],
  ['in the middle of its answer', [{ type: 'text-delta', text: 'Half of' }], 'restart'],
] as [string, ModelEvent[], string][])(
  'a model that fails %s is replaced, and the pause that it asked for is told',
  async (_, said, type) => {
    const busy = clientOf('first', async function* () {
      yield* said;
      throw new ModelError('rate-limit', 'Busy.', { retryAfterMs: 60_000 });
    });
    const other = clientOf('second', async function* () {
      yield { type: 'text-delta', text: 'Whole.' };
    });
    const { events } = await hear(withFallback(busy, [async () => other]), requestOf('x'));
    expect(events).toEqual([
      ...said,
      {
        type,
        message: "first-model can't answer: Busy. second-model is asked instead.",
        retry: { kind: 'rate-limit', inMs: 60_000, provider: 'first' },
      },
      { type: 'text-delta', text: 'Whole.' },
    ]);
  },
);
