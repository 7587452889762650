import type { Arguments } from '../../../command-line/args.js';
import { readSetup } from '../../../setup/runtime.js';
import { userRedactor } from '../../../setup/user-redactor.js';

/** None of the secrets of this user reaches the store of a fleet. */
export async function ownRedactor(args: Arguments): Promise<ReturnType<typeof userRedactor>> {
  return userRedactor(await readSetup(args));
}
