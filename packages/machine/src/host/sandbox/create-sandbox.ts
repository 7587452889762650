import type { Sandbox, SandboxOptions } from './sandbox.js';

/** Loads nothing before the first question. */
export function createSandbox(options: SandboxOptions): Sandbox {
  let opened: Promise<Sandbox> | undefined;
  const open = (): Promise<Sandbox> =>
    (opened ??= import('./open-sandbox.js')
      .then(({ openSandbox }) => openSandbox(options))
      .catch((error) => {
        opened = undefined;
        throw error;
      }));
  return {
    mode: options.mode,
    state: async (signal) => (await open()).state(signal),
    confine: async (launch, profile, signal) => (await open()).confine(launch, profile, signal),
  };
}
