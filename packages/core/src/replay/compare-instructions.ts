import type { FunctionDeclaration } from '@toolwright/machine/base/content.js';
import { canonical } from '@toolwright/machine/base/json.js';
import type { ModelRequest } from '../model/model.js';
import type { Recording } from '../recording/recording.js';
import { textDiff } from './compare-results.js';
import type { OtherInstructions } from './report.js';

export interface ComparedInstructions {
  differences: OtherInstructions[];
  /** Sentences about what was not compared. */
  notes: string[];
}

/**
 * Finds the instructions that differ from the recording: the system prompt, and each tool. `changed` are the files that the session
 * changed, by the names they are shown with.
 */
export async function otherInstructions(
  { requests }: Pick<Recording, 'requests'>,
  now: ModelRequest | null,
  changed: readonly string[],
): Promise<ComparedInstructions> {
  const [then] = requests;
  if (!then || !now) return { differences: [], notes: [] };
  const context = changed.find((name) => hasContext(then.system, name) || hasContext(now.system, name));
  const [before, after] = [declarations(then.tools), declarations(now.tools)];
  const ofServers = [...before.keys()].filter((name) => name.includes('__') && !after.has(name));
  for (const name of ofServers) before.delete(name);
  const texts: [string, string, string][] = [...new Set([...before.keys(), ...after.keys()])].map((name) => [
    name,
    before.get(name) ?? '',
    after.get(name) ?? '',
  ]);
  if (context === undefined) texts.unshift(['system', withoutDate(then.system), withoutDate(now.system)]);
  const differences: OtherInstructions[] = [];
  for (const [what, earlier, present] of texts)
    if (earlier !== present)
      differences.push({ kind: 'instructions', what, diff: await textDiff(earlier, present) });
  const notes: string[] = [];
  if (context !== undefined)
    notes.push(`The system prompt was not compared: the session changed ${context}, which is part of it.`);
  if (ofServers.length > 0)
    notes.push(`Tools of servers are not compared, for none is started in a replay: ${someOf(ofServers)}.`);
  return { differences, notes };
}

function declarations(list: readonly FunctionDeclaration[]): Map<string, string> {
  return new Map(list.map((tool) => [tool.name ?? '', JSON.stringify(canonical(tool), null, 1)]));
}

function hasContext(system: string, name: string): boolean {
  return system.includes(`<context_file path="${name}"`);
}

const MOST_NAMES = 5;

function someOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

function withoutDate(text: string): string {
  return text.replace(/\b\d{4}-\d\d-\d\d\b/g, '<date>');
}
