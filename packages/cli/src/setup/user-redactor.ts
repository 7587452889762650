import { createRedactor, secretsInEnvironment, secretsInSettings } from '@toolwright/core/front-end';
import type { Setup } from './runtime.js';

/** Knows the secrets of this user, in the environment and in settings. */
export function userRedactor({ loaded }: Pick<Setup, 'loaded'>): ReturnType<typeof createRedactor> {
  return createRedactor([...secretsInEnvironment(process.env), ...secretsInSettings(loaded.settings)]);
}
