import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import { createSessionPlan } from './plan.js';

it('the list of the model is a plan, and replaces the one before', () => {
  const sent: SessionUpdate[] = [];
  const plan = createSessionPlan((update) => void sent.push(update));
  plan.todo([{ text: 'Look', state: 'active' }]);
  plan.todo([
    { text: 'Look', state: 'done' },
    { text: 'Mend', state: 'active' },
    { text: 'Test', state: 'open' },
  ]);
  expect(sent.at(-1)).toEqual({
    sessionUpdate: 'plan',
    entries: [
      { content: 'Look', priority: 'medium', status: 'completed' },
      { content: 'Mend', priority: 'medium', status: 'in_progress' },
      { content: 'Test', priority: 'medium', status: 'pending' },
    ],
  });
});
