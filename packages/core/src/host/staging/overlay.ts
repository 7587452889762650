/** A root with the overlay over it. */
export interface OverlayRoot {
  /** The folder itself, absolute and real, which the overlay leaves as it is. */
  lower: string;
  /** Where what was changed lies. */
  upper: string;
  /** A path into what commands inside see; good until `release`, also after the last of them has ended. */
  merged: string;
}

/** A program with its arguments. */
export interface CommandLine {
  program: string;
  args: readonly string[];
}

export interface Overlay {
  readonly roots: readonly OverlayRoot[];
  /** Whether a folder that was there before can be renamed; else programs get EXDEV and must copy. */
  readonly followsRenames: boolean;
  /** The command line that starts another one inside, in a folder of a root. */
  inside(command: CommandLine, options: InsideOptions): CommandLine;
  /** Ends what still runs inside and has not gone into namespaces of its own. */
  endProcesses(): Promise<void>;
  /** Unmounts. What was changed stays in the upper folders. */
  release(): Promise<void>;
}

export interface InsideOptions {
  directory: string;
  /** The command brings a sandbox that decides itself who it runs as. */
  confined: boolean;
}

export interface OverlayOptions {
  /** An empty folder of our own, on a file system that can hold an upper layer. */
  folder: string;
  /** Folders to lay an overlay over; none inside another. */
  roots: readonly string[];
  signal: AbortSignal;
}

/** Why an overlay could not be made, as part of a sentence. */
export class OverlayError extends Error {}

/** Lays an overlay over each root, for the commands started `inside` only. Throws `OverlayError`. */
export async function mountOverlay(options: OverlayOptions): Promise<Overlay> {
  if (process.platform !== 'linux') throw new OverlayError(`there are no overlays on ${process.platform}`);
  const { mountLinuxOverlay } = await import('../platform/linux-overlay.js');
  return mountLinuxOverlay(options);
}
