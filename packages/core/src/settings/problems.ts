import { plural } from '@toolwright/machine/base/amounts.js';
import type { JsonPosition } from '@toolwright/machine/base/configuration/plain-json.js';
import { SettingsError } from '@toolwright/machine/base/errors.js';

/** Layers of settings: each overrides those named before it. */
export type Layer = 'default' | 'system' | 'user' | 'project' | 'file' | 'environment' | 'flags';

export interface Origin {
  layer: Layer;
  /** The source as shown to the user: `/home/ann/.toolwright/settings.json:12`, `OPENAI_MODEL`, `--model`. */
  source: string;
  file?: string;
  line?: number;
  column?: number;
}

export interface Problem {
  /** `file:line:column`, the name of a flag or of a variable. */
  where: string;
  message: string;
}

export function originIn(layer: Layer, file: string, at: JsonPosition): Origin {
  return { layer, source: `${file}:${at.line}`, file, line: at.line, column: at.column };
}

export function placeOf(origin: Origin): string {
  return origin.file === undefined ? origin.source : `${origin.file}:${origin.line}:${origin.column}`;
}

/** Keys and values of a file that came from elsewhere may hold line breaks. */
export function describeProblem({ where, message }: Problem): string {
  return `${where}: ${message}`.replaceAll('\n', '\u240a');
}

/** A variable that is not set, and the setting that names it. */
export interface UnsetVariable {
  name: string;
  path: string;
}

/** A variable that is not set, for want of which an entry is left out. */
export interface UnsetProblem extends Problem {
  file: string;
  line: number;
  variable: UnsetVariable;
}

/** One sentence for all variables that one file lacks. */
export function describeUnset(problems: readonly UnsetProblem[]): string[] {
  const [first, ...others] = problems;
  if (first === undefined || others.length === 0) return problems.map(describeProblem);
  const places = new Map<string, string[]>();
  for (const { line, variable } of problems)
    places.set(variable.name, [...(places.get(variable.name) ?? []), `${variable.path}, line ${line}`]);
  const shown = [...places].slice(0, MAX_SHOWN).map(([name, where]) => `$${name} (${placesText(where)})`);
  const hidden = places.size - shown.length;
  const all = [...shown, ...(hidden > 0 ? [`${hidden} more`] : [])].join(', ');
  const message =
    places.size === 1
      ? `this variable is not set, and what needs it is ignored until it is: ${all}.`
      : `these variables are not set, and what needs them is ignored until they are: ${all}.`;
  return [describeProblem({ where: first.file, message })];
}

const MAX_SHOWN = 20;
const MAX_PLACES = 3;

function placesText(where: readonly string[]): string {
  const hidden = where.length - MAX_PLACES;
  const shown = where.slice(0, MAX_PLACES).join('; ');
  return hidden > 0 ? `${shown}; and in ${plural(hidden, 'more place')}` : shown;
}

/** Makes an error that tells every problem. */
export function settingsError(problems: readonly Problem[]): SettingsError {
  const lines = problems.slice(0, MAX_SHOWN).map(describeProblem);
  if (problems.length > MAX_SHOWN) lines.push(`… and ${problems.length - MAX_SHOWN} more.`);
  const headline = problems.length === 1 ? [] : [`${problems.length} mistakes in the settings:`];
  const error = new SettingsError([...headline, ...lines].join('\n'));
  error.inFlags = problems.every(({ where }) => where.startsWith('--'));
  return error;
}
