import { withinDeadline } from '@toolwright/machine/host/deadline.js';
import type { Launch } from '@toolwright/machine/host/processes/processes.js';
import type { Profile } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { OnUpdate, ToolResult } from '../tools.js';
import type { ShellCall } from './call.js';
import { newMark, runOptions } from './command-plan.js';
import { confinementOf, dropSentences, profileOf, refusalSentences, watchTemporary } from './confinement.js';
import { bash, programsOfTheMachine } from './launch.js';
import { withStatusLine } from './output/pipeline-statuses.js';
import { reportOf } from './report.js';
import { becomeJob } from './start-job.js';

/** Runs a command that is to change nothing, on a read-only view of the workspace where there is a sandbox. */
export async function runReadOnly(
  call: ShellCall,
  signal: AbortSignal,
  onUpdate?: OnUpdate,
): Promise<ToolResult> {
  const { params, needs } = call;
  const mark = newMark(call);
  const launch = launchOf(call, mark);
  const profile = await readOnlyProfile(call, signal);
  const confinement = confinementOf(call, profile);
  const confined = (await confinement?.sandbox.confine(launch, profile, signal)) ?? null;
  const room = watchTemporary(confined?.confined ? profile : {});
  const release = async (): Promise<void> => {
    room.stop();
    await confined?.release();
  };
  const both = AbortSignal.any([signal, room.signal]);
  const { flush, ...options } = runOptions(call, { mark, signal: both, onUpdate });
  // A limit that the call names is kept; otherwise a command that changes nothing may go on as a job.
  if (params.timeout === undefined) delete options.timeoutMs;
  const running = await needs.processes.start(confined?.launch ?? launch, options).catch(async (error) => {
    await release();
    throw error;
  });
  const ended =
    params.timeout === undefined
      ? await withinDeadline(running.ended, { ms: needs.foregroundMs, clock: call.host.clock })
      : await running.ended;
  if (ended === null) return becomeJob(call, running, { release, signal: room.signal });
  flush();
  await release();
  const refusals = refusalSentences(call, { profile, confined, ended, mark });
  return reportOf({ ended, call, mark, notes: [...refusals, ...dropSentences(call, confined)] });
}

/** Unasked, bash gets the line as it was understood, written anew; a line the user agreed to runs as they saw it. */
function launchOf({ params, facts, route, host, needs }: ShellCall, mark: string): Launch {
  const { analysis, directory, outside } = facts;
  const isDirect = route.kind === 'direct';
  const command = isDirect ? (analysis.canonical ?? params.command) : params.command;
  const variables = isDirect ? programsOfTheMachine(host, needs) : outside.variables;
  const values = { ...analysis.environment, ...variables };
  return bash(withStatusLine(command, mark), directory, needs, { values });
}

/** A command that is proven to only read writes nothing to the home either. */
async function readOnlyProfile(call: ShellCall, signal: AbortSignal): Promise<Profile> {
  const profile = await profileOf(call, 'read-only', signal);
  return call.route.kind === 'direct' ? profile : { ...profile, watchesHome: true };
}
