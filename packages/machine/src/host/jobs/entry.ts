import type { CappedFile } from '../processes/output/capped-file.js';
import { withoutOpenEnd } from '../processes/output/utf8-cuts.js';
import type { Ended, Running } from '../processes/processes.js';
import type { Job, JobAbout, JobOutput, JobStatus } from './jobs.js';

/** One job with what belongs to it. */
export interface JobEntry {
  id: string;
  about: Pick<JobAbout, 'command' | 'directory'>;
  notes(): readonly string[];
  running: Running;
  log: CappedFile;
  logPath: string;
  startedAt: number;
  ended: { at: number; how: Ended } | null;
  /** Settles when the log is complete. */
  over: Promise<void>;
}

const OUTPUT_BYTES = 64 * 1024;

export async function pictureOf(entry: JobEntry): Promise<Job> {
  const ports = entry.ended ? [] : ((await entry.running.ports()) ?? []);
  return {
    id: entry.id,
    ...entry.about,
    pid: entry.running.pid,
    startedAt: entry.startedAt,
    endedAt: entry.ended?.at ?? null,
    status: statusOf(entry),
    logPath: entry.logPath,
    bytes: entry.log.totalBytes(),
    ports,
    notes: entry.notes(),
  };
}

function statusOf({ ended, running }: JobEntry): JobStatus {
  if (ended) {
    const { exitCode, signal, stopped } = ended.how;
    return { kind: 'ended', exitCode, signal, stopped };
  }
  const blocked = running.blocked();
  return blocked ? { kind: 'waiting', blocked } : { kind: 'running' };
}

export async function outputOf(
  entry: JobEntry,
  { after = 0, maxBytes = OUTPUT_BYTES }: { after?: number; maxBytes?: number } = {},
): Promise<JobOutput> {
  const asked = Math.max(0, Math.min(after, entry.log.totalBytes()));
  const { from, bytes } = await entry.log.read(asked, maxBytes);
  const whole = withoutOpenEnd(bytes);
  const shown = whole.length > 0 ? whole : bytes;
  const next = from + shown.length;
  return {
    text: shown.toString(),
    from,
    next,
    dropped: from - asked,
    isAtEnd: next >= entry.log.totalBytes(),
    job: await pictureOf(entry),
  };
}
