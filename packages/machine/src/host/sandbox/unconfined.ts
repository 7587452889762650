import { ToolError } from '../../base/errors.js';
import type { Launch } from '../processes/processes.js';
import { nothingDropped } from './home/written-in.js';
import type { Confined, SandboxMode, SandboxState } from './sandbox.js';

/** What a person is told who demanded a sandbox where there is none. */
export function requiredButMissing({ sentence }: SandboxState): string {
  return `Commands must be confined (sandbox.mode is "required"), and here they are ${sentence}. Mend that, or choose --sandbox auto.`;
}

/** The launch as it is, unless that was ruled out. */
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
