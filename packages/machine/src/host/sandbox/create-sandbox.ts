import { once } from '../../base/once.js';
import type { Sandbox, SandboxOptions } from './sandbox.js';

/** Loads nothing before it is first used. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const open = once(async () => (await import('./open-sandbox.js')).openSandbox(options));
  return {
    mode: options.mode,
    state: async (signal) => (await open()).state(signal),
    confine: async (launch, profile, signal) => (await open()).confine(launch, profile, signal),
  };
}
