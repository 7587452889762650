import { ToolError } from '@toolwright/machine/base/errors.js';
import { withinDeadline } from '@toolwright/machine/host/deadline.js';
import type { Profile } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { OnUpdate, ToolResult } from '../tools.js';
import type { ShellCall } from './call.js';
import { newMark, runOptions } from './command-plan.js';
import { confinementOf, watchTemporary } from './confinement.js';
import { bash, programsOfTheMachine } from './launch.js';
import type { Manner } from './parts.js';
import { withStatusLine } from './pipeline-statuses.js';
import { profileOf } from './profile.js';
import { reportOf } from './report.js';
import { becomeJob } from './start-job.js';

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
  const values =
    manner === 'proven'
      ? { ...analysis.environment, ...programsOfTheMachine(call.host, parts) }
      : { ...analysis.environment, ...looked.outside.variables };
  const launch = bash(['-c', withStatusLine(command, mark)], directory, parts, values);
  const looks = await profileOf(call, 'read-only', signal);
  // A command that is proven to only read writes nothing anywhere.
  const profile: Profile = manner === 'proven' ? looks : { ...looks, watchesHome: true };
  const { confine, refusals, dropped } = confinementOf(call, profile, signal);
  const confined = await confine?.(launch);
  const room = watchTemporary(confined?.confined ? profile : {});
  const release = async (): Promise<void> => {
    room.stop();
    await confined?.release();
  };
  const both = AbortSignal.any([signal, room.signal]);
  const { flush, ...options } = runOptions(call, { mark, signal: both, onUpdate });
  // Whoever names a limit wants it kept; otherwise a command that goes on changes nothing and may go on.
  if (params.timeout === undefined) delete options.timeoutMs;
  const running = await parts.processes.start(confined?.launch ?? launch, options).catch(async (error) => {
    await release();
    throw error;
  });
  // Without a time limit of its own it is waited for as long as anybody would.
  const ended =
    params.timeout === undefined
      ? await withinDeadline(running.ended, { ms: parts.foregroundMs, clock: call.host.clock })
      : await running.ended;
  if (ended === null) return becomeJob(call, running, { release, signal: room.signal });
  flush();
  await release();
  return reportOf({ ended, call, mark, notes: [...refusals(ended, mark), ...dropped()] });
}
