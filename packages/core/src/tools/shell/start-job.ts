import type { Job, JobOutput } from '../../host/jobs/jobs.js';
import type { ToolResult } from '../tools.js';
import type { ShellCall } from './call.js';
import { describeJob } from './job-words.js';
import { bash } from './launch.js';
import { plainOutput } from './plain-output.js';
import { profileOf } from './profile.js';

/** A program that listens, asks or fails mostly does so in its first seconds. */
const FIRST_LOOK_MS = 2_000;
const SCREEN = { columns: 120, rows: 40 };

/** Starts the command beside the conversation, and tells how it goes so far. */
export async function startJob(call: ShellCall, signal: AbortSignal): Promise<ToolResult> {
  const { params, looked, parts } = call;
  const { terminal } = await parts.processes.limits();
  const launch = bash(['-c', params.command], looked.directory, {
    ...parts,
    mayAsk: terminal.available,
  });
  const profile = {
    ...(await profileOf(call, 'writable', signal)),
    protectedPaths: await parts.protectedPaths(),
  };
  const confined = await parts.sandbox.confine(launch, profile, signal);
  let job: Job;
  try {
    job = await parts.jobs.start({
      launch: confined.launch,
      command: params.command,
      directory: looked.directory,
      ...(terminal.available ? { terminal: SCREEN } : {}),
    });
  } catch (error) {
    await confined.release();
    throw error;
  }
  releaseAtEnd(call, job, confined.release);
  parts.jobStarted();
  await parts.jobs.untilReady(job.id, { timeoutMs: FIRST_LOOK_MS, signal });
  return started(await parts.jobs.output(job.id), call, confined.unprotected);
}

/** What the sandbox holds for a job goes when the job does. */
function releaseAtEnd({ parts }: ShellCall, job: Job, release: () => Promise<void>): void {
  const stopHearing = parts.jobs.onChange(({ id, status }) => {
    if (id !== job.id || status.kind !== 'ended') return;
    stopHearing();
    void release();
  });
}

function started(
  { job, text }: JobOutput,
  { looked, params, host }: ShellCall,
  unprotected: readonly string[],
): ToolResult {
  const isCutOff = looked.sandbox.confined && !params.network;
  const notes = [
    job.status.kind === 'ended'
      ? `${job.id} has ended already: ${describeJob(job)}.`
      : `${job.id} runs in the background: ${describeJob(job)}. The jobs tool shows its output, stops it, and types into it. It ends with this session, and what it changes can't be undone.`,
    ...(isCutOff && job.ports.length > 0
      ? [
          'It has no network: nothing outside of it can reach its ports. Start it with network: true for that.',
        ]
      : []),
    ...unprotected.map(
      (path) => `${host.workspace.show(path)} is a link and could not be protected from it.`,
    ),
  ];
  const printed = plainOutput(text).trimEnd();
  const answer = [...(printed === '' ? [] : [printed]), ...notes.map((note) => `[${note}]`)].join('\n');
  return { llmContent: answer, returnDisplay: answer };
}
