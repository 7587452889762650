import { posix } from 'node:path';
import type { TreeFile } from '@toolwright/machine/base/archives/archive.js';
import { parseJsonc } from '@toolwright/machine/base/configuration/jsonc.js';
import { plainValue } from '@toolwright/machine/base/configuration/plain-json.js';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { terminalSafeLine } from '@toolwright/machine/base/terminal-safe.js';

/** A list of plugins of Claude Code, beside their folders. */
export const MARKET_FILE = '.claude-plugin/marketplace.json';
const MANIFEST = '.claude-plugin/plugin.json';

interface MarketPlugin {
  name: string;
  /** Its folder, relative to the list; null where it lies somewhere else. */
  folder: string | null;
  entry: JsonObject;
}

function pluginsOf(market: unknown): MarketPlugin[] {
  const { plugins, metadata } = isJsonObject(market) ? market : {};
  const above =
    isJsonObject(metadata) && typeof metadata['pluginRoot'] === 'string' ? metadata['pluginRoot'] : '';
  return (Array.isArray(plugins) ? plugins : []).flatMap((entry: unknown): MarketPlugin[] => {
    if (!isJsonObject(entry) || typeof entry['name'] !== 'string') return [];
    const { name, source } = entry;
    const folder = typeof source === 'string' ? folderOf(source, above) : null;
    return [{ name: name as string, folder, entry }];
  });
}

function folderOf(source: string, above: string): string | null {
  const path = posix.normalize(source.startsWith('./') ? source : posix.join(above || '.', source));
  const clean = path.replace(/^\.\/*$/, '').replace(/\/+$/, '');
  return clean.startsWith('/') || clean.split('/').includes('..') ? null : clean;
}

/** Names of the plugins, for the sentence that asks for one. */
export function namesIn(market: unknown): string {
  const names = pluginsOf(market).map(({ name }) => terminalSafeLine(name).slice(0, 80));
  return `${names.slice(0, 20).join(', ')}${names.length > 20 ? `, … (${names.length})` : ''}`;
}

/**
 * The files of one plugin of a list. Where it has no manifest of its own, or its entry in the list counts in its place (`strict:
 * false`), the entry becomes the manifest.
 */
export async function pluginFiles(files: readonly TreeFile[], name: string): Promise<TreeFile[]> {
  const market = await marketIn(files);
  const found = pluginsOf(market).find((plugin) => plugin.name === name);
  if (!found)
    throw new SettingsError(
      market === null
        ? `There is no list of extensions in it (${MARKET_FILE}), so --plugin names nothing.`
        : `The list has no plugin ${name}. It has: ${namesIn(market)}`,
    );
  const { folder, entry } = found;
  if (folder === null)
    throw new SettingsError(
      `The plugin ${name} is not in this place: its source is ${JSON.stringify(entry['source'])?.slice(0, 200)}. Install it from there.`,
    );
  const start = folder === '' ? '' : `${folder}/`;
  const own = files
    .filter(({ path }) => path.startsWith(start))
    .map((file) => ({ ...file, path: file.path.slice(start.length) }));
  if (own.length === 0) throw new SettingsError(`There is no folder ${folder} in it.`);
  const hasManifest = own.some(({ path }) => path === MANIFEST);
  if (hasManifest && entry['strict'] !== false) return own;
  const { source: _source, strict: _strict, category: _category, tags: _tags, ...manifest } = entry;
  const bytes = new TextEncoder().encode(`${JSON.stringify({ ...manifest, strict: false }, null, 2)}\n`);
  return [...own.filter(({ path }) => path !== MANIFEST), { path: MANIFEST, bytes, isProgram: false }];
}

async function marketIn(files: readonly TreeFile[]): Promise<unknown> {
  const file = files.find(({ path }) => path === MARKET_FILE);
  if (!file) return null;
  const parsed = await parseJsonc(new TextDecoder().decode(file.bytes).replace(/^\uFEFF/, ''));
  if (!parsed.ok) throw new SettingsError(`${MARKET_FILE} is not JSON: ${parsed.problems[0]?.message}.`);
  return plainValue(parsed.root);
}
