import { ToolError } from '../../base/errors.js';
import type { OnUpdate, ToolResult } from '../tools.js';
import type { ShellCall } from './call.js';
import { newMark, runOptions } from './command-plan.js';
import { confinementOf } from './confinement.js';
import { bash } from './launch.js';
import type { Manner } from './parts.js';
import { withStatusLine } from './pipeline-statuses.js';
import { profileOf } from './profile.js';
import { reportOf } from './report.js';

export interface LookingOptions {
  manner: Manner;
  signal: AbortSignal;
  onUpdate?: OnUpdate;
}

/** A command that is to change nothing, on a read-only view of the workspace where there is a sandbox. */
export async function runLooking(
  call: ShellCall,
  { manner, signal, onUpdate }: LookingOptions,
): Promise<ToolResult> {
  const { parts, looked, params } = call;
  const { analysis, directory, sandbox } = looked;
  if (manner === 'read-only-mount' && !sandbox.confined) {
    throw new ToolError(
      'denied',
      `Plan mode needs a sandbox to run this command, and it is ${sandbox.sentence}.`,
    );
  }
  const mark = newMark(call);
  // Unasked, what runs is what was understood, written anew; what the person agreed to runs as they saw it.
  const command = manner === 'proven' ? (analysis.canonical ?? params.command) : params.command;
  const launch = bash(['-c', withStatusLine(command, mark)], directory, parts, analysis.environment);
  const profile = await profileOf(call, 'read-only', signal);
  const { confine, refusals } = confinementOf(call, profile, signal);
  const confined = await confine?.(launch);
  try {
    const ended = await parts.processes.run(
      confined?.launch ?? launch,
      runOptions(call, { mark, signal, onUpdate }),
    );
    return reportOf({ ended, call, mark, notes: refusals(ended, mark) });
  } finally {
    await confined?.release();
  }
}
