import type { Job, JobOutput } from '@toolwright/machine/host/jobs/jobs.js';
import type { Running } from '@toolwright/machine/host/processes/processes.js';
import type { Profile } from '@toolwright/machine/host/sandbox/sandbox.js';
import { homeDirectory } from '@toolwright/machine/host/state/state-folder.js';
import type { ToolResult } from '../tools.js';
import type { ShellCall } from './call.js';
import { watchTemporary } from './confinement.js';
import { describeJob, exposedNote } from './job-words.js';
import { bash } from './launch.js';
import { droppedSentences } from './outside/dropped-words.js';
import { plainOutput } from './plain-output.js';
import { profileOf } from './profile.js';

/** A program that listens, asks or fails mostly does so in its first seconds. */
const FIRST_LOOK_MS = 2_000;
const SCREEN = { columns: 120, rows: 40 };

/** Starts the command beside the conversation, and tells how it goes so far. */
export async function startJob(call: ShellCall, signal: AbortSignal): Promise<ToolResult> {
  const { params, looked, parts } = call;
  const { terminal } = await parts.processes.limits();
  const mayAsk = terminal.available;
  const launch = bash(
    ['-c', params.command],
    looked.directory,
    { ...parts, mayAsk },
    looked.outside.variables,
  );
  const profile: Profile = {
    ...(await profileOf(call, 'writable', signal)),
    watchesHome: true,
    ...(await parts.protectedPaths(looked.effects)),
  };
  const confined = await parts.sandbox.confine(launch, profile, signal);
  const room = watchTemporary(confined.confined ? profile : {});
  const release = (): Promise<void> => {
    room.stop();
    return confined.release();
  };
  let job: Job;
  try {
    job = await parts.jobs.start({
      launch: confined.launch,
      command: params.command,
      directory: looked.directory,
      signal: room.signal,
      notes: () => [
        ...exposedNote(confined.exposed().map(call.host.workspace.show)),
        ...droppedSentences(confined.dropped(), homeDirectory(parts.environment)),
      ],
      ...(terminal.available ? { terminal: SCREEN } : {}),
    });
  } catch (error) {
    await release();
    throw error;
  }
  await releaseAtEnd(call, job, release);
  parts.jobStarted();
  await parts.jobs.untilEndedOrWaiting(job.id, { timeoutMs: FIRST_LOOK_MS, signal });
  return started(await parts.jobs.output(job.id), call, confined.unprotected);
}

/** A command that only reads and does not end goes on beside the conversation. */
export async function becomeJob(
  call: ShellCall,
  running: Running,
  { release, signal }: { release(): Promise<void>; signal: AbortSignal },
): Promise<ToolResult> {
  const { params, looked, parts } = call;
  const { directory } = looked;
  const job = await parts.jobs.adopt(running, { command: params.command, directory, signal });
  await releaseAtEnd(call, job, release);
  parts.jobStarted();
  const { text } = await parts.jobs.output(job.id);
  const note = `it still runs after ${parts.foregroundMs / 1000} s, so it goes on as ${job.id}`;
  const saying = (how: string): string => `${plainOutput(text).trimEnd()}\n[${note}: ${how}]`.trimStart();
  return {
    llmContent: saying(`the jobs tool shows what it prints (after: ${job.bytes}) and stops it`),
    returnDisplay: saying(howToHandle(job)),
  };
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
  const state = (reader: 'model' | 'person'): string => {
    const words = describeJob(job, reader);
    if (job.status.kind === 'ended') return `${job.id} has ended already: ${words}.`;
    const how =
      reader === 'model' ? 'The jobs tool shows its output, stops it, and types into it' : howToHandle(job);
    return `${job.id} runs in the background: ${words}. ${how}. It ends with this session, and what it changes can't be undone.`;
  };
  const notes = [
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
  const saying = (first: string): string =>
    [...(printed === '' ? [] : [printed]), ...[first, ...notes].map((note) => `[${note}]`)].join('\n');
  return { llmContent: saying(state('model')), returnDisplay: saying(state('person')) };
}

/** For the person; how to answer one that waits stands beside what it asks. */
function howToHandle({ id, status }: Job): string {
  const stop = status.kind === 'waiting' ? '' : `, /jobs stop ${id} ends it`;
  return `/jobs output ${id} shows what it prints${stop}`;
}
