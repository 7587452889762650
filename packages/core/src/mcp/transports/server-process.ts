/** A running stdio server: three streams and an end. */
export interface ServerProcess {
  readonly pid: number;
  /** Resolves when the bytes are with the operating system; rejects when the server no longer reads. */
  write(bytes: string): Promise<void>;
  /** Chunks of standard output and standard error as they come. */
  onOutput(listener: (chunk: Uint8Array) => void): void;
  onErrorOutput(listener: (chunk: Uint8Array) => void): void;
  /** Resolves when it ended and its output was read; never rejects. */
  readonly ended: Promise<ServerEnd>;
  /** Closes its input, waits a moment, asks it to end, then ends it and everything it started. */
  stop(): Promise<void>;
}

export interface ServerEnd {
  code: number | null;
  signal: string | null;
}

export interface ServerLaunch {
  /** For the record by which a later start finds what a killed one left behind. */
  name: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  directory: string;
}

/** Starts programs that die with us on every way out. */
export interface ServerProcesses {
  start(launch: ServerLaunch, signal: AbortSignal): Promise<ServerProcess>;
}
