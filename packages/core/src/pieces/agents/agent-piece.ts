import { basename, join } from 'node:path';
import { terminalSafe } from '@toolwright/machine/base/terminal-safe.js';
import { lookAtSync, namesIn } from '@toolwright/machine/host/state/inspect-files.js';
import {
  type FrontMatter,
  type FrontValue,
  listOfField,
  readFrontMatter,
  textOfField,
} from '../front-matter.js';
import type { PieceFolder, PieceProblem } from '../piece.js';
import { readPieceText } from '../piece-text.js';

/** A subagent: a task goes to it with a context and a choice of tools of its own. */
export interface AgentPiece {
  name: string;
  description: string;
  /** Names as written, some with a pattern that narrows the tool, such as `Bash(git:*)`; all tools where it is absent. */
  tools?: string[];
  /** Names of tools that it does without, whatever `tools` says. */
  withoutTools?: string[];
  /** The model that it works with; that of the conversation where there is none. */
  model?: string;
  /** Most answers of its model for one task. */
  maxTurns?: number;
  /** True if the agent works on a copy of the workspace. */
  isApart?: boolean;
  /** Fields of its front matter that have no effect here. */
  withoutEffect?: string[];
  /** Words for its system prompt. */
  prompt: string;
  /** The origin, for people. */
  from: string;
  /** Absent for those that the program has itself. */
  file?: string;
  /** True for those that the program has itself. */
  isBuiltin?: boolean;
}

const builtinAgents: readonly AgentPiece[] = [
  {
    name: 'general',
    description: 'Does any piece of work that stands on its own, with all tools.',
    prompt: '',
    from: 'built in',
    isBuiltin: true,
  },
  {
    name: 'explorer',
    description: 'Looks for something in many files and reports what it found and where; changes nothing.',
    tools: ['list_directory', 'read_file', 'grep_search', 'glob', 'read_many_files'],
    prompt: 'You look around and report. You can change nothing. Name every file as path:line.',
    from: 'built in',
    isBuiltin: true,
  },
];

const MOST_BYTES = 256 * 1024;
const MOST_FILES = 500;
const AGENT_NAME = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/i;

/** The subagents that were found, and what is wrong with others. */
export interface FoundAgents {
  agents: AgentPiece[];
  problems: PieceProblem[];
}

/** The agents of one folder, and what is wrong with others. */
export type AgentsOfFolder = ((AgentPiece & { file: string }) | PieceProblem)[];

/**
 * Those of all folders after the built-in ones. Of two with the same name the first counts, and the other is told. A folder that is
 * `known` is not read.
 */
export async function findAgents(
  folders: readonly PieceFolder[],
  known: ReadonlyMap<PieceFolder, AgentsOfFolder> = new Map(),
): Promise<FoundAgents> {
  const found: FoundAgents = { agents: [...builtinAgents], problems: [] };
  const visited = new Set<string>();
  for (const from of folders) {
    const identity = lookAtSync(from.path)?.identity;
    if (identity === undefined || (visited.has(identity) && !from.only)) continue;
    visited.add(identity);
    for (const read of known.get(from) ?? (await agentsIn(from))) add(read, found);
  }
  return found;
}

/** Reads the files ending in `.md`. */
export async function agentsIn(from: PieceFolder): Promise<AgentsOfFolder> {
  const names = (await namesIn(from.path)).filter(
    (name) => name.endsWith('.md') && !/^readme\.md$/i.test(name) && from.only?.includes(name) !== false,
  );
  const found: AgentsOfFolder = [];
  for (const name of names.slice(0, MOST_FILES)) found.push(await readAgent(join(from.path, name), from));
  if (names.length > MOST_FILES)
    found.push({
      file: from.path,
      problem: `${names.length - MOST_FILES} of its ${names.length} agents are not read: ${MOST_FILES} is the limit`,
    });
  return found;
}

function add(read: (AgentPiece & { file: string }) | PieceProblem, { agents, problems }: FoundAgents): void {
  if ('problem' in read) problems.push(read);
  else {
    const earlier = agents.find(({ name }) => name === read.name);
    if (!earlier) agents.push(read);
    else
      problems.push({
        file: read.file,
        problem: `the name ${read.name} is taken (${earlier.from}); rename one of them`,
      });
  }
}

/** Words such as `inherit` and short names of one maker's models mean the model of the conversation. */
function modelOf(written: FrontValue | undefined): { model?: string } {
  const model = textOfField(written ?? '').trim();
  return /^(?:|inherit|default|fast|sonnet|opus|haiku)$/i.test(model) ? {} : { model };
}

/** `apart: true` is ours, `isolation: worktree` that of Claude Code. */
function isApart(fields: FrontMatter['fields']): boolean {
  return (
    textOfField(fields['apart'] ?? '') === 'true' || textOfField(fields['isolation'] ?? '') === 'worktree'
  );
}

const fieldsWithEffect: readonly string[] = [
  ...['name', 'description', 'tools', 'disallowedTools', 'model', 'maxTurns', 'apart', 'isolation'],
  // How it looks there.
  'color',
];

/** A field without a value says nothing; an empty list says that there are none, and `*` means all. */
function toolsOf(written: FrontValue | undefined): string[] | undefined {
  if (written === undefined || written === '') return undefined;
  const tools = listOfField(written);
  return tools.includes('*') ? undefined : tools;
}

/** Null for what is no number of turns. */
function maxTurnsOf(written: FrontValue | undefined): number | null | undefined {
  if (written === undefined) return undefined;
  const turns = Number(textOfField(written));
  return Number.isInteger(turns) && turns > 0 ? turns : null;
}

export async function readAgent(
  file: string,
  { shown }: Pick<PieceFolder, 'shown'>,
): Promise<(AgentPiece & { file: string }) | PieceProblem> {
  const found = (await readPieceText(file, MOST_BYTES)) ?? { text: '' };
  if ('problem' in found) return found;
  const matter = readFrontMatter(found.text);
  if ('problem' in matter) return { file, ...matter };
  const { fields, lines, body } = matter;
  const name = textOfField(fields['name'] ?? basename(file, '.md'));
  const description = textOfField(fields['description'] ?? '');
  if (!AGENT_NAME.test(name) || name.length > 64)
    return {
      file,
      line: lines['name'],
      problem: `${JSON.stringify(name.slice(0, 80))} can't be the name of an agent: letters, digits and hyphens, at most 64`,
    };
  if (description === '')
    return {
      file,
      line: lines['description'] ?? 1,
      problem: 'description is missing: it tells the model what the agent is for',
    };
  const maxTurns = maxTurnsOf(fields['maxTurns']);
  if (maxTurns === null)
    return { file, line: lines['maxTurns'], problem: 'maxTurns must be a whole number above 0' };
  return {
    file,
    name,
    description,
    prompt: terminalSafe(body).trim(),
    from: shown,
    tools: toolsOf(fields['tools']),
    withoutTools: toolsOf(fields['disallowedTools']),
    maxTurns,
    withoutEffect: Object.keys(fields).filter((field) => !fieldsWithEffect.includes(field)),
    ...modelOf(fields['model']),
    isApart: isApart(fields),
  };
}
