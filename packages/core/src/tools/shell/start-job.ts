import type { Job, JobOutput } from '../../host/jobs/jobs.js';
import type { Running } from '../../host/processes/processes.js';
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
    protectedPaths: await parts.protectedPaths(looked.effects),
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
  await releaseAtEnd(call, job, confined.release);
  parts.jobStarted();
  await parts.jobs.untilReady(job.id, { timeoutMs: FIRST_LOOK_MS, signal });
  return started(await parts.jobs.output(job.id), call, confined.unprotected);
}

/** A command that only reads and does not end goes on beside the conversation. */
export async function becomeJob(
  call: ShellCall,
  running: Running,
  release: () => Promise<void>,
): Promise<ToolResult> {
  const { params, looked, parts } = call;
  const job = await parts.jobs.adopt(running, { command: params.command, directory: looked.directory });
  await releaseAtEnd(call, job, release);
  parts.jobStarted();
  const { text } = await parts.jobs.output(job.id);
  const note = `it still runs after ${parts.foregroundMs / 1000} s, so it goes on as ${job.id}: the jobs tool shows what it prints (after: ${job.bytes}) and stops it`;
  const answer = `${plainOutput(text).trimEnd()}\n[${note}]`.trimStart();
  return { llmContent: answer, returnDisplay: answer };
}

/** What the sandbox holds for a job goes when the job does. */
async function releaseAtEnd({ parts }: ShellCall, job: Job, release: () => Promise<void>): Promise<void> {
  let isOver = false;
  const look = ({ id, status }: Job): void => {
    if (isOver || id !== job.id || status.kind !== 'ended') return;
    isOver = true;
    stopHearing();
    void release();
  };
  const stopHearing = parts.jobs.onChange(look);
  look(await parts.jobs.get(job.id));
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
