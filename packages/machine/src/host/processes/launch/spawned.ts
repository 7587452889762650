/** A process that was just started, with its streams. */
export interface Spawned {
  pid: number;
  exited: Promise<{ exitCode: number | null; signal: string | null }>;
  /** All output has come; not before `exited`, and maybe never while someone holds the pipe. */
  closed: Promise<void>;
  pause(): void;
  resume(): void;
  /** Reads no more. */
  detach(): void;
  write(bytes: string | Uint8Array): Promise<void>;
  closeInput(): void;
  /** The device of its terminal, when it has one. */
  terminal: string | null;
}
