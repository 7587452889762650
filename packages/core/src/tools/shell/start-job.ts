import type { Job, JobOutput } from '@toolwright/machine/host/jobs/jobs.js';
import type { Running } from '@toolwright/machine/host/processes/processes.js';
import type { Profile } from '@toolwright/machine/host/sandbox/sandbox.js';
import { homeDirectory } from '@toolwright/machine/host/state/state-folder.js';
import type { ToolResult } from '../tools.js';
import type { ShellCall } from './call.js';
import { profileOf, watchTemporary } from './confinement.js';
import { describeJob, exposedNote } from './job-words.js';
import { bash } from './launch.js';
import { plainOutput } from './output/plain-output.js';
import { droppedSentences } from './outside/words.js';

/** Programs that listen, ask or fail mostly do so in their first seconds. */
const FIRST_LOOK_MS = 2_000;
const SCREEN = { columns: 120, rows: 40 };

/** Starts the command beside the conversation, and reports its first seconds. */
export async function startJob(call: ShellCall, signal: AbortSignal): Promise<ToolResult> {
  const { params, facts, needs } = call;
  const { terminal } = await needs.processes.limits();
  const mayAsk = terminal.available;
  const values = facts.outside.variables;
  const launch = bash(params.command, facts.directory, { ...needs, mayAsk }, { values });
  const profile: Profile = {
    ...(await profileOf(call, 'writable', signal)),
    watchesHome: true,
    ...(await needs.protectedPaths(facts.effects)),
  };
  const confined = await needs.sandbox.confine(launch, profile, signal);
  const room = watchTemporary(confined.confined ? profile : {});
  const release = (): Promise<void> => {
    room.stop();
    return confined.release();
  };
  let job: Job;
  try {
    job = await needs.jobs.start({
      launch: confined.launch,
      command: params.command,
      directory: facts.directory,
      signal: room.signal,
      notes: () => [
        ...exposedNote(confined.exposed().map(call.host.workspace.show)),
        ...droppedSentences(confined.dropped(), homeDirectory(needs.environment)),
      ],
      terminal: terminal.available ? SCREEN : undefined,
    });
  } catch (error) {
    await release();
    throw error;
  }
  await releaseAtEnd(call, job, release);
  needs.jobStarted();
  await needs.jobs.untilEndedOrWaiting(job.id, { timeoutMs: FIRST_LOOK_MS, signal });
  return started(await needs.jobs.output(job.id), call, confined.unprotected);
}

/** A command that only reads and does not end goes on beside the conversation. */
export async function becomeJob(
  call: ShellCall,
  running: Running,
  { release, signal }: { release(): Promise<void>; signal: AbortSignal },
): Promise<ToolResult> {
  const { params, facts, needs } = call;
  const { directory } = facts;
  const job = await needs.jobs.adopt(running, { command: params.command, directory, signal });
  await releaseAtEnd(call, job, release);
  needs.jobStarted();
  const { text } = await needs.jobs.output(job.id);
  const note = `it still runs after ${needs.foregroundMs / 1000} s, so it continues as ${job.id}`;
  const saying = (how: string): string => `${plainOutput(text).trimEnd()}\n[${note}: ${how}]`.trimStart();
  return {
    llmContent: saying(`the jobs tool shows what it prints (after: ${job.bytes}) and stops it`),
    returnDisplay: saying(howToHandle(job)),
  };
}

/** Releases what the sandbox holds for a job when the job ends. */
async function releaseAtEnd({ needs }: ShellCall, job: Job, release: () => Promise<void>): Promise<void> {
  let isOver = false;
  const releaseOnce = ({ id, status }: Job): void => {
    if (isOver || id !== job.id || status.kind !== 'ended') return;
    isOver = true;
    stopHearing();
    void release();
  };
  const stopHearing = needs.jobs.onChange(releaseOnce);
  releaseOnce(await needs.jobs.get(job.id));
}

function started(
  { job, text }: JobOutput,
  { facts, params, host }: ShellCall,
  unprotected: readonly string[],
): ToolResult {
  const isCutOff = facts.sandbox.confined && !params.network;
  const state = (reader: 'model' | 'user'): string => {
    const words = describeJob(job, reader);
    if (job.status.kind === 'ended') return `${job.id} has ended already: ${words}.`;
    const more = words.replace(/^running(?:, |; |$)/, '');
    const how =
      reader === 'model' ? 'The jobs tool shows its output, stops it, and types into it' : howToHandle(job);
    return `${job.id} runs in the background${more === '' ? '' : `: ${more}`}. ${how}. It ends with this session, and what it changes can't be undone.`;
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
  const output = plainOutput(text).trimEnd();
  const saying = (first: string): string =>
    [...(output === '' ? [] : [output]), ...[first, ...notes].map((note) => `[${note}]`)].join('\n');
  return { llmContent: saying(state('model')), returnDisplay: saying(state('user')) };
}

/** Commands for the user; how to answer a job that waits stands beside its question. */
function howToHandle({ id, status }: Job): string {
  const stop = status.kind === 'waiting' ? '' : `, /jobs stop ${id} ends it`;
  return `/jobs output ${id} shows what it prints${stop}`;
}
