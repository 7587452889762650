/** The ripgrep binary: search and walking. */
export interface RipgrepRun {
  /** Arguments after the program name. */
  args: string[];
  directory: string;
  signal: AbortSignal;
  /** Called per line of standard output, without the newline; return false to stop the run early. */
  onLine(line: Buffer): boolean | undefined;
}

export interface RipgrepEnd {
  /** 0 matches, 1 none, 2 an error; null when stopped early. */
  exitCode: number | null;
  stderr: string;
}

export interface Ripgrep {
  run(run: RipgrepRun): Promise<RipgrepEnd>;
}
