import type { AgentResult } from '@toolwright/core';
import { expect, it } from 'vitest';
import { fitAnswer } from './answer-schema.js';

const usage = { inputTokens: 10, outputTokens: 1, cachedTokens: 5 };
const answered = (response: string, turns: number): AgentResult => ({
  reason: 'done',
  response,
  turns,
  calls: 0,
  usage,
  denials: [],
  changes: [],
});

it('each attempt to correct an answer goes on from the one before, whose result it counts', async () => {
  const earlier: number[] = [];
  const { result, value } = await fitAnswer(answered('no JSON', 1), {
    schema: { type: 'object' },
    async again(_prompt, { turns }) {
      earlier.push(turns);
      return answered(turns === 1 ? 'none either' : '{}', turns + 1);
    },
  });
  expect([earlier, result.turns, value]).toEqual([[1, 2], 3, {}]);
});
