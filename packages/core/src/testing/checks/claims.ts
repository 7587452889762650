import { relative } from 'node:path';
import { type Finding, finding } from '../finding.js';
import { type ComparedFolder, changedPaths, readFolder } from './folder.js';

const MOST_NAMED = 5;

/** A tool's claim about itself, and the folder that shows if it is true. */
export interface ToolClaim {
  folder?: ComparedFolder;
  /** The tool says that it only reads, whatever its effects are. */
  claimsReadOnly?: boolean;
}

/** The finding about files that a call changed although its tool says otherwise; none without such files. */
export function claimFindings({ folder, claimsReadOnly }: ToolClaim, changed: readonly string[]): Finding[] {
  if (!folder || changed.length === 0) return [];
  const names = changed.map((path) => relative(folder.path, path));
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  const shown = `${names.slice(0, MOST_NAMED).join(', ')}${more}`;
  const message = claimsReadOnly
    ? `it says that it only reads (readOnlyHint), and changed ${shown}.`
    : `it changed ${shown}, which its effects do not name; rules and plan mode decide by them.`;
  return [{ ...finding('effects', message), changed }];
}

/** Looks at a workspace before a call of a tool that says that it only reads; the function gives what is to be said after it. */
export function watchReadOnlyCall(workspace: string): () => Finding[] {
  const folder: ComparedFolder = { path: workspace, by: 'stamps' };
  const before = readFolder(folder);
  return () => claimFindings({ folder, claimsReadOnly: true }, changedPaths(before, readFolder(folder)));
}
