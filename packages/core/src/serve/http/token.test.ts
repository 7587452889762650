import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import { readToken } from './token.js';

it('the token is taken as it is, or from a file without the blanks around it', async () => {
  await using temp = createTempWorkspace({ content: { token: ' 0123456789abcdef\n' } });
  expect(await readToken('0123456789abcdef')).toBe('0123456789abcdef');
  expect(await readToken({ file: temp.path('token') })).toBe('0123456789abcdef');
});

it('a token must be long, and fit into a header', async () => {
  await using temp = createTempWorkspace({ content: { token: 'short', two: '0123456789 abcdef01234' } });
  await expect(readToken('')).rejects.toThrow('at least 16 characters');
  await expect(readToken({ file: temp.path('token') })).rejects.toThrow('at least 16 characters');
  await expect(readToken({ file: temp.path('two') })).rejects.toThrow('without blanks');
  await expect(readToken({ file: temp.path('gone') })).rejects.toThrow('does not exist');
});
