/** A root with the overlay over it. */
export interface OverlayRoot {
  /** The folder itself, absolute and real, which the overlay leaves as it is. */
  lower: string;
  /** The folder that receives the changes. */
  upper: string;
  /** A path into what the command inside sees; good from `hold` to `release`, also after the command has ended. */
  merged: string;
}

/** A program with its arguments. */
export interface CommandLine {
  program: string;
  args: readonly string[];
}

/** An overlay over each root, which one command sees and nobody else. It is gone with the command and `release`. */
export interface Overlay {
  /** True when a folder that was there before can be renamed; else programs get EXDEV and must copy. */
  readonly followsRenames: boolean;
  /** The command line that makes the overlay, waits until it is held, and starts another one inside. */
  around(command: CommandLine, options: InsideOptions): CommandLine;
  /** Waits for the overlay and takes hold of it, so that the command can begin. Null when it ended before that. */
  hold(ended: Promise<unknown>, signal: AbortSignal): Promise<OverlayRoot[] | null>;
  /** Why there was no overlay, as part of a sentence, from what the command line printed. */
  problem(printed: string): string;
  /** Lets go. What was changed stays in the upper folders. */
  release(): void;
}

export interface InsideOptions {
  directory: string;
  /** The command brings a sandbox that decides itself who it runs as. */
  confined: boolean;
}

export interface OverlayOptions {
  /** A folder of our own, on a file system that can hold an upper layer. */
  folder: string;
  /** Folders to lay an overlay over; none inside another. */
  roots: readonly string[];
  /** Index among the ways known here, the best one first. */
  way: number;
}

/** The number of kinds of overlay to try on this system. */
export async function countOverlayKinds(): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const { linuxMountRights } = await import('../platform/linux-overlay.js');
  return linuxMountRights().length;
}

/** One overlay for one command. */
export async function prepareOverlay(options: OverlayOptions): Promise<Overlay> {
  const { prepareLinuxOverlay } = await import('../platform/linux-overlay.js');
  return prepareLinuxOverlay(options);
}
