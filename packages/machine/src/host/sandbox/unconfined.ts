import { ToolError } from '../../base/errors.js';
import type { Launch } from '../processes/processes.js';
import { nothingDropped } from './home/written-in.js';
import type { Confined, SandboxMode, SandboxState } from './sandbox.js';

/** The message for a user who requires a sandbox where there is none. */
export function requiredButMissing({ sentence }: SandboxState): string {
  return `Commands must be confined (sandbox.mode is "required"), and here they are ${sentence}. Fix that, or choose --sandbox auto.`;
}

/** The launch unchanged, unless a sandbox is required. */
export function unconfined(launch: Launch, state: SandboxState, mode: SandboxMode): Confined {
  if (mode === 'required') throw new ToolError('denied', requiredButMissing(state));
  return {
    launch,
    confined: false,
    unprotected: [],
    exposed: () => [],
    dropped: () => nothingDropped,
    refusedHosts: () => [],
    release: async () => undefined,
  };
}
