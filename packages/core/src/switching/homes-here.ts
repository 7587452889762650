import { join } from 'node:path';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import type { OtherAgent } from './findings.js';

// In a file of its own, because every first conversation asks for these.
const marks: Record<OtherAgent, string[]> = {
  claude: ['.claude', '.claude.json'],
  qwen: ['.qwen'],
  gemini: ['.gemini'],
  codex: ['.codex'],
};

/** The homes of other agents that are there. */
export function otherHomes(home: string): OtherAgent[] {
  return (Object.keys(marks) as OtherAgent[]).filter((agent) =>
    marks[agent].some((name) => lookAtSync(join(home, name)) !== null),
  );
}
