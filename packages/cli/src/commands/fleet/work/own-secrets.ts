import { createRedactor, secretsInEnvironment, secretsInSettings } from '@toolwright/core/front-end';
import type { Arguments } from '../../../command-line/args.js';
import { readSetup } from '../../../setup/runtime.js';

/** Knows the secrets of this user, in the environment and in settings: none of them reaches the store of a fleet. */
export async function ownRedactor(args: Arguments): Promise<ReturnType<typeof createRedactor>> {
  const { loaded } = await readSetup(args);
  return createRedactor([...secretsInEnvironment(process.env), ...secretsInSettings(loaded.settings)]);
}
