import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('no sentence sends a model to edit, which those that write patches do not have', () => {
  const messages = readFileSync(new URL('../../messages.txt', import.meta.url), 'utf8').split('\n');
  const sending = messages.filter((line) =>
    /\b(?:use|with|than|by|call) edit\b|\bedit (?:and|or) write_file\b/i.test(line),
  );
  expect(messages.length).toBeGreaterThan(2_000);
  expect(sending).toEqual([]);
});
