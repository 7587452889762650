import { PassThrough } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { expect, it } from 'vitest';
import { writeOnceFree } from '../base/held-terminal.js';
import { withTerminal } from './ask-on-terminal.js';

it('a terminal that could not be taken holds no warnings', async () => {
  // A pipe is no terminal, and has no keys of its own.
  const [input, output] = [new PassThrough() as unknown as ReadStream, new PassThrough()];
  const streams = { input, output: output as unknown as WriteStream };
  await expect(withTerminal(async () => 'asked', {}, streams)).rejects.toThrow('setRawMode');
  expect(String(output.read())).toMatch(/\x1b\[\?25h$/);
  const written: string[] = [];
  writeOnceFree(() => void written.push('a warning'));
  expect(written).toEqual(['a warning']);
});
