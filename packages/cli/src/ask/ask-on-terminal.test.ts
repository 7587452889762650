import { expect, it } from 'vitest';
import { writeOnceFree } from '../base/held-terminal.js';
import { withTerminal } from './ask-on-terminal.js';

it('a terminal that could not be taken holds no warnings', async () => {
  // Standard input of a test is no terminal.
  await expect(withTerminal(async () => 'asked')).rejects.toThrow();
  const written: string[] = [];
  writeOnceFree(() => void written.push('a warning'));
  expect(written).toEqual(['a warning']);
});
