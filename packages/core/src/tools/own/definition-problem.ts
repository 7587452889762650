import { TOOL_NAME } from '@toolwright/machine/base/content.js';
import { didYouMean, nearest } from '@toolwright/machine/base/nearest.js';
import { readParameters } from './parameters.js';

/** The type of each member of a definition; `define-tool.test-d.ts` proves that none is missing. */
const members = {
  apiVersion: 'other',
  name: 'other',
  description: 'other',
  parameters: 'other',
  run: 'function',
  displayName: 'other',
  timeout: 'other',
  isRepeatable: 'other',
  describe: 'function',
  problem: 'function',
  effects: 'function',
  confirm: 'function',
  changes: 'function',
} as const;

export type DefinitionMember = keyof typeof members;

/** Words of other libraries for the same things. */
const otherWords: Readonly<Record<string, DefinitionMember>> = {
  inputSchema: 'parameters',
  schema: 'parameters',
  execute: 'run',
  handler: 'run',
  title: 'displayName',
};

/** Null when this is a definition. */
export function definitionProblem(value: unknown): string | null {
  if (typeof value !== 'object' || value === null)
    return `expected one object with apiVersion, name, description, parameters and run, got ${value === null ? 'null' : typeof value}.`;
  const { apiVersion, name, description, parameters, run, changes, timeout, isRepeatable } = value as Partial<
    Record<DefinitionMember, unknown>
  >;
  if (apiVersion === undefined) return 'apiVersion is missing. Write apiVersion: 1.';
  if (apiVersion !== 1)
    return `apiVersion must be 1, got ${JSON.stringify(apiVersion)}; this Toolwright knows version 1.`;
  if (typeof name !== 'string' || name === '') return 'name is missing.';
  if (!TOOL_NAME.test(name))
    return `the name ${JSON.stringify(name)} must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -.`;
  const mistaken = memberProblem(value);
  if (mistaken !== null) return `${name}: ${mistaken}`;
  if (typeof description !== 'string') return `${name} has no description.`;
  if (timeout !== undefined && !(Number.isFinite(timeout) && Number(timeout) > 0))
    return `${name}: timeout must be a number of milliseconds.`;
  if (isRepeatable !== undefined && typeof isRepeatable !== 'boolean')
    return `${name}: isRepeatable must be true or false.`;
  const problem = parametersProblem(parameters);
  if (problem !== null) return `${name}: ${problem}`;
  return typeof run === 'function' || typeof changes === 'function' ? null : `${name} needs run or changes.`;
}

function memberProblem(value: object): string | null {
  for (const [name, member] of Object.entries(value)) {
    if (!Object.hasOwn(members, name)) return unknownMember(name);
    if (
      member !== undefined &&
      members[name as DefinitionMember] === 'function' &&
      typeof member !== 'function'
    )
      return `${name} must be a function.`;
  }
  return null;
}

function unknownMember(name: string): string {
  const known = Object.keys(members);
  const near = Object.hasOwn(otherWords, name) ? [otherWords[name]!] : nearest(name, known, 1);
  return `unknown member ${name}. ${didYouMean(near) || `Members are ${known.join(', ')}.`}`;
}

function parametersProblem(parameters: unknown): string | null {
  try {
    readParameters(parameters);
    return null;
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
}
