import { isAbsolute, join, normalize, relative } from 'node:path';
import { commandWords } from '@toolwright/machine/base/configuration/command-words.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
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
  { name: of, servers }: Pick<Extension, 'name' | 'servers'>,
  places: ServerPlaces,
): BroughtServer[] {
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
    if (missing.size > 0)
      return {
        name,
        problem: `it needs ${[...missing].map((each) => `$${each}`).join(', ')}, which is not set`,
      };
    const out = typeof server['command'] === 'string' ? program(server, places) : null;
    return out === null ? { name, server } : { name, problem: `${out} leads out of the extension` };
  });
}

/** Words that begin at the extension are whole paths from here on. Gives the one that leaves it. */
function program(server: JsonObject, { root }: ServerPlaces): string | null {
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
  return [...words, ...(cwd === undefined ? [] : [cwd])].find((word) => leaves(word, root)) ?? null;
}

function leaves(word: string, root: string): boolean {
  if (!word.startsWith(`${root}/`)) return /^\.\.\//.test(word);
  return relative(root, normalize(word)).startsWith('..');
}

const PLACEHOLDER = /\$\{([^{}:]+|\/)(?::-([^{}]*))?\}|\$([A-Z_][A-Z0-9_]*)/g;

function filled(text: string, places: ServerPlaces & { of: string; missing: Set<string> }): string {
  return text.replace(PLACEHOLDER, (whole, braced?: string, fallback?: string, bare?: string) => {
    const name = braced ?? bare ?? '';
    const place = placeOf(name, places);
    if (place !== null) return place;
    if (!/^[A-Za-z_]\w*$/.test(name)) return whole;
    const value = places.environment[name];
    if (value !== undefined && (value !== '' || fallback === undefined)) return value;
    if (fallback === undefined) places.missing.add(name);
    return fallback === undefined ? '' : filled(fallback, places);
  });
}

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
  const names = [...JSON.stringify(server).matchAll(PLACEHOLDER)].map(
    ([, braced, , bare]) => braced ?? bare ?? '',
  );
  const isPlace = (name: string): boolean =>
    placeOf(name, { root: '', workspace: '', home: '', of: '', environment: {} }) !== null;
  return [...new Set(names)].filter((name) => /^[A-Za-z_]\w*$/.test(name) && !isPlace(name));
}
