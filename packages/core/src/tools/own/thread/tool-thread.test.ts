import { expect, it } from 'vitest';
import type { ToolHost } from '../define-tool.js';
import { ToolThread } from './tool-thread.js';

it('a file that can not be compiled fails the call that needs it, and is compiled again for the next', async () => {
  let tried = 0;
  const thread = new ToolThread({
    path: '/tools/a.ts',
    host: {} as ToolHost,
    script: async () => ({ path: '/thread.js' }),
    onStray: () => undefined,
    onFacts: async () => undefined,
    file: async () => {
      tried += 1;
      throw new Error('no compiler');
    },
  });
  // At once, before anything else that a start needs is there: nobody may miss the failure.
  await expect(thread.load()).rejects.toThrow('no compiler');
  await expect(thread.load()).rejects.toThrow('no compiler');
  expect(tried).toBe(2);
});
