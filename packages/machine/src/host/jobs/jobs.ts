import type { Host } from '../host.js';
import type { Blocked, Launch, Processes, Running, RunOptions, StopReason } from '../processes/processes.js';
import type { StateFolder } from '../state/state-folder.js';

/** The state of a job: running, waiting, or ended in some way. */
export type JobStatus =
  | { kind: 'running' }
  /** The job waits for somebody to type. */
  | { kind: 'waiting'; blocked: Blocked }
  | { kind: 'ended'; exitCode: number | null; signal: string | null; stopped: StopReason | null };

/** A command that runs on beside the conversation, as it was at one moment. Plain data. */
export interface Job {
  /** Short, for people and models: `job-1`. */
  id: string;
  command: string;
  directory: string;
  pid: number;
  startedAt: number;
  endedAt: number | null;
  status: JobStatus;
  /** The job's output, capped: see `Jobs.output`. */
  logPath: string;
  /** Bytes printed in all. */
  bytes: number;
  /** The TCP ports it listens on; empty where the system can't tell. */
  ports: readonly number[];
  /** Sentences to show the user and the model. */
  notes: readonly string[];
}

export interface JobNote {
  id: string;
  note: string;
}

export interface JobAbout {
  /** The command as the user knows it. */
  command: string;
  directory: string;
  /** Sentences about its present state; asked for the last time when it has ended. */
  notes?(): readonly string[];
  /** Stops it, for the reason that is given there. */
  signal?: AbortSignal;
}

export interface JobRequest extends JobAbout {
  launch: Launch;
  terminal?: RunOptions['terminal'];
}

/** A piece of the output of a job. */
export interface JobOutput {
  text: string;
  /** Positions of the beginning of `text` and of the next read, in bytes from the first one printed. */
  from: number;
  next: number;
  /** Bytes between the place asked for and `from` that are no longer kept. */
  dropped: number;
  /** True if nothing is left to read now. */
  isAtEnd: boolean;
  job: Job;
}

/** The commands that run beside a conversation. They end with it. */
export interface Jobs {
  start(request: JobRequest): Promise<Job>;
  /** Makes a job of a command that is already running: its limits no longer hold, and nothing it printed is lost. */
  adopt(running: Running, about: JobAbout): Promise<Job>;
  list(): Promise<Job[]>;
  /** The notes about all of them. */
  notes(): readonly JobNote[];
  /** Every method with an id throws a `ToolError` that names the jobs there are when there is none of that name. */
  get(id: string): Promise<Job>;
  /** Gives the output from the place `after` on; from the beginning without it. */
  output(id: string, options?: { after?: number; maxBytes?: number }): Promise<JobOutput>;
  /** Waits until it has ended or waits for somebody to type, or the time is up. */
  untilEndedOrWaiting(id: string, limit: { timeoutMs: number; signal: AbortSignal }): Promise<void>;
  /**
   * Types into it. Refuses when what is typed is not shown, unless the user typed it: a model must neither know nor guess
   * a password.
   */
  input(id: string, text: string, by: 'model' | 'user'): Promise<Job>;
  stop(id: string, reason?: StopReason): Promise<Job>;
  /** Tells of each beginning and each end; the function that is returned ends that. */
  onChange(listener: (job: Job) => void): () => void;
  /** Ends all of them. */
  end(reason?: StopReason): Promise<void>;
}

export interface JobsOptions extends Pick<Host, 'clock' | 'ids' | 'log'> {
  processes: Pick<Processes, 'start'>;
  state: Pick<StateFolder, 'make'>;
  /** Limit of a log on disk; default: 8 MB. */
  maxLogBytes?: number;
}

/** Jobs once there is one. */
export type OpenJobs = Omit<Jobs, 'onChange'>;
