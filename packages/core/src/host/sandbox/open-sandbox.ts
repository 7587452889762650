import { ToolError } from '../../base/errors.js';
import type { Sandbox, SandboxOptions, SandboxState } from './sandbox.js';

/** The sandbox of this operating system, or the plain statement that there is none. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  return withoutSandbox(
    options,
    options.mode === 'off' ? 'it is switched off' : `there is none for ${process.platform}`,
  );
}

function withoutSandbox({ mode }: SandboxOptions, why: string): Sandbox {
  const state: SandboxState = { confined: false, sentence: `unconfined: ${why}`, program: null };
  return {
    mode,
    state: async () => state,
    async confine(launch) {
      if (mode === 'required')
        throw new ToolError('denied', `Commands must be confined (sandbox.mode is "required"), but ${why}.`);
      return { launch, confined: false, unprotected: [], release: async () => undefined };
    },
  };
}
