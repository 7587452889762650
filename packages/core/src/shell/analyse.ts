import type { AnalysisContext, ShellAnalysis } from './analysis.js';

/** What a command line would do, without running it. Whatever can't be read is a doubt, never a guess. */
export async function analyseCommand(command: string, _context: AnalysisContext): Promise<ShellAnalysis> {
  const refused = command.includes('\0') ? 'The command contains a NUL character.' : null;
  return unreadable(refused ?? 'the command line was not read', refused);
}

function unreadable(doubt: string, refused: string | null): ShellAnalysis {
  return {
    refused,
    commands: null,
    unproven: [],
    doubts: [doubt],
    readOnly: false,
    reads: [],
    writes: [],
    deletes: [],
    network: [],
    background: false,
    canonical: null,
    environment: {},
    offers: [],
  };
}
