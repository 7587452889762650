import { isAbsolute, join, normalize, relative } from 'node:path';
import { commandWords } from '@toolwright/machine/base/configuration/command-words.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import type { Extension } from './extension.js';

/** Places that stand for placeholders, and the variables of the user. */
export interface ServerPlaces {
  /** The folder of the extension. */
  root: string;
  workspace: string;
  home: string;
  environment: Environment;
}

/** A server of an extension as settings would write it, or why it can't start. */
export type BroughtServer = { name: string; server: JsonObject } | { name: string; problem: string };

/** Servers with their placeholders filled in. */
export function broughtServers(
  { name: of, servers, variables = [] }: Pick<Extension, 'name' | 'servers'> & Partial<Extension>,
  places: ServerPlaces,
): BroughtServer[] {
  const lists = new Map(variables.flatMap(({ name, separator }) => (separator ? [[name, separator]] : [])));
  return Object.entries(servers).map(([name, written]): BroughtServer => {
    const missing = new Set<string>();
    const fill = (value: unknown): unknown =>
      typeof value === 'string'
        ? filled(value, { ...places, of, missing })
        : Array.isArray(value)
          ? value.map(fill)
          : isJsonObject(value)
            ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item)]))
            : value;
    const server = fill(written) as JsonObject;
    if (Array.isArray(written['args']))
      server['args'] = written['args'].flatMap((word) => severalFrom(word, fill(word), lists));
    if (missing.size > 0)
      return {
        name,
        problem: `it needs ${[...missing].map((each) => `$${each}`).join(', ')}, which is not set`,
      };
    const problem = typeof server['command'] === 'string' ? program(server, places) : null;
    return problem === null ? { name, server } : { name, problem };
  });
}

/** A word that stands for a list becomes as many words as the list has. */
function severalFrom(written: unknown, value: unknown, lists: ReadonlyMap<string, string>): unknown[] {
  if (typeof written !== 'string' || typeof value !== 'string') return [value];
  const [whole] = placeholdersIn(written);
  const separator = whole?.text === written ? lists.get(whole.name) : undefined;
  return separator === undefined ? [value] : value.split(separator).filter((part) => part !== '');
}

/** Words that begin at the extension are whole paths from here on. Says what is wrong where one leaves it. */
function program(server: JsonObject, { root, workspace }: ServerPlaces): string | null {
  const [command = '', ...first] =
    server['args'] === undefined
      ? commandWords(String(server['command']), 'command')
      : [String(server['command'])];
  const args = [...first, ...(Array.isArray(server['args']) ? server['args'].map(String) : [])];
  const words = [command, ...args].map((word) =>
    /^\.\.?\//.test(word) && lookAtSync(join(root, word)) ? join(root, word) : word,
  );
  server['command'] = words[0] ?? '';
  server['args'] = words.slice(1);
  const env = isJsonObject(server['env']) ? server['env'] : {};
  server['env'] = { ...env, PLUGIN_ROOT: root, CLAUDE_PLUGIN_ROOT: root };
  const cwd = typeof server['cwd'] === 'string' ? server['cwd'] : undefined;
  if (cwd !== undefined && !isAbsolute(cwd)) server['cwd'] = join(root, cwd);
  const out = [...words, ...(cwd === undefined ? [] : [cwd])].find((word) => leaves(word, root));
  if (out !== undefined) return `${out} leads out of the extension`;
  const directory = String(server['cwd'] ?? root);
  const isWithin = [root, workspace].some((folder) => isInside(normalize(directory), folder));
  return isWithin ? null : `its folder ${directory} is neither in the extension nor in the workspace`;
}

function leaves(word: string, root: string): boolean {
  if (!word.startsWith(`${root}/`)) return /^\.\.\//.test(word);
  return relative(root, normalize(word)).startsWith('..');
}

interface Placeholder {
  /** As it is written, with everything that it holds. */
  text: string;
  at: number;
  name: string;
  fallback?: string;
}

const START = /\$\{([^{}:]+|\/)(\}|:-)|\$([A-Z_][A-Z0-9_]*)/g;
const LONGEST_FALLBACK = 4096;

/** What a value without a variable is may hold placeholders of its own: `${DIR:-${HOME}/Desktop}`. */
function placeholdersIn(text: string): Placeholder[] {
  const found: Placeholder[] = [];
  let from = 0;
  for (const match of text.matchAll(START)) {
    const [whole, braced, ending, bare] = match;
    const at = match.index;
    if (at < from) continue;
    const name = braced ?? bare ?? '';
    if (ending !== ':-') found.push({ text: whole, at, name });
    else {
      const inside = at + whole.length;
      const end = endOf(text, inside);
      if (end === null) continue;
      found.push({ text: text.slice(at, end + 1), at, name, fallback: text.slice(inside, end) });
    }
    from = at + found.at(-1)!.text.length;
  }
  return found;
}

/** The place of the brace that closes what begins here. */
function endOf(text: string, start: number): number | null {
  let depth = 0;
  const limit = Math.min(text.length, start + LONGEST_FALLBACK);
  for (let at = start; at < limit; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && depth-- === 0) return at;
  }
  return null;
}

function filled(text: string, places: ServerPlaces & { of: string; missing: Set<string> }): string {
  let result = '';
  let from = 0;
  for (const { text: written, at, name, fallback } of placeholdersIn(text)) {
    result += text.slice(from, at) + (valueNamed(name, fallback, places) ?? written);
    from = at + written.length;
  }
  return result + text.slice(from);
}

function valueNamed(
  name: string,
  fallback: string | undefined,
  places: ServerPlaces & { of: string; missing: Set<string> },
): string | null {
  const place = placeOf(name, places);
  if (place !== null) return place;
  if (!VARIABLE.test(name)) return null;
  const value = places.environment[name];
  if (value !== undefined && (value !== '' || fallback === undefined)) return value;
  if (fallback !== undefined) return filled(fallback, places);
  places.missing.add(name);
  return '';
}

const VARIABLE = /^[A-Za-z_]\w*$/;

/** The placeholders of every format. */
function placeOf(name: string, { root, workspace, home, of }: ServerPlaces & { of: string }): string | null {
  if (['PLUGIN_ROOT', 'CLAUDE_PLUGIN_ROOT', 'extensionPath', '__dirname'].includes(name)) return root;
  if (['workspacePath', 'CLAUDE_PROJECT_DIR'].includes(name)) return workspace;
  if (['PLUGIN_DATA', 'CLAUDE_PLUGIN_DATA'].includes(name)) return join(home, '.local', 'share', of);
  if (['/', 'pathSeparator'].includes(name)) return '/';
  if (name === 'HOME') return home;
  const folder = { DESKTOP: 'Desktop', DOCUMENTS: 'Documents', DOWNLOADS: 'Downloads' }[name];
  return folder === undefined ? null : join(home, folder);
}

/** Names of the variables of the user that a server is given. */
export function variablesOfServer(server: JsonObject): string[] {
  const isPlace = (name: string): boolean =>
    placeOf(name, { root: '', workspace: '', home: '', of: '', environment: {} }) !== null;
  const names = namesIn(JSON.stringify(server));
  return [...new Set(names)].filter((name) => VARIABLE.test(name) && !isPlace(name));
}

function namesIn(text: string): string[] {
  return placeholdersIn(text).flatMap(({ name, fallback = '' }) => [name, ...namesIn(fallback)]);
}
