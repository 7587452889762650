/** A folder that pieces are read from: skills, commands, hooks, subagents. */
export interface PieceFolder {
  path: string;
  /** The folder as users know it: `~/.claude/skills`, `.claude/skills`. */
  shown: string;
}

/** What is wrong with a piece. Only this piece is off. */
export interface PieceProblem {
  file: string;
  line?: number;
  problem: string;
}

export function describePieceProblem({ file, line, problem }: PieceProblem): string {
  return `${file}${line === undefined ? '' : `:${line}`}: ${problem}.`;
}

const MOST_TOLD = 3;

/** The first problems in full, the others as a number with the command that tells them. */
export function boundedProblems(problems: readonly PieceProblem[], command: string): string[] {
  const told = problems.slice(0, MOST_TOLD).map((each) => `${describePieceProblem(each)} It is off.`);
  const left = problems.length - told.length;
  return left === 0
    ? told
    : [...told, `${left} more ${left === 1 ? 'is' : 'are'} off: ${command} tells why.`];
}
