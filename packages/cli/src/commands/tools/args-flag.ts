import { messageOf } from '@toolwright/core/front-end';
import { UsageError } from '../../base/exit-codes.js';
import { readStdin } from '../../base/read-stdin.js';
import type { Arguments } from '../../command-line/args.js';

export const argsExample = `Example: --args '{"path": "src"}'`;

/** The value of `--args`; undefined when it was not given. */
export async function argsOf({ values }: Arguments): Promise<unknown> {
  const given = values.get('args');
  if (given === undefined) return undefined;
  try {
    return JSON.parse(given === '-' ? await readStdin() : given);
  } catch (error) {
    throw new UsageError(`--args is not JSON: ${messageOf(error)}. ${argsExample}`);
  }
}
