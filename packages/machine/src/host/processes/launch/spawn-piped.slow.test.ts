import { expect, it } from 'vitest';
import type { OutputStream } from '../processes.js';
import { spawnPiped } from './spawn-piped.js';

const noPipes = { prepare: async () => undefined, take: async () => null, close: () => undefined };

async function heard(merge: boolean): Promise<Record<OutputStream, string>> {
  const output = { stdout: '', stderr: '' };
  const program = '/bin/sh';
  const args = ['-c', 'echo out; echo err >&2'];
  const spawned = await spawnPiped({
    launch: { program, args, directory: '/tmp', environment: {} },
    prepared: { file: program, args },
    environment: { PATH: '/usr/bin:/bin' },
    options: { signal: new AbortController().signal, merge },
    pipes: noPipes,
    onBytes: (bytes, stream) => {
      output[stream] += bytes.toString();
    },
  });
  await Promise.all([spawned.exited, spawned.closed]);
  return output;
}

it('spawnPiped hears both outputs of a program where no pipes can be made, as on Bun, Deno and Windows', async () => {
  expect(await heard(false)).toEqual({ stdout: 'out\n', stderr: 'err\n' });
  const merged = await heard(true);
  expect(merged.stderr).toBe('');
  expect(merged.stdout.split('\n').sort()).toEqual(['', 'err', 'out']);
});
