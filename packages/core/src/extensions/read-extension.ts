import { join } from 'node:path';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import type { PieceProblem } from '../pieces/piece.js';
import type { ReadExtension } from './extension.js';
import { ManifestReader, readJsonFile } from './manifest-reader.js';
import { MARKET_FILE, namesIn } from './market.js';

type ReadFormat = (reader: ManifestReader) => Promise<ReadExtension | PieceProblem>;

/** Manifests in the order in which they count; an extension that carries several is read by the first. */
const manifests: readonly [path: string, read: ReadFormat][] = [
  ['plugin.json', async (reader) => (await import('./formats/agent-plugin.js')).readAgentPlugin(reader)],
  [
    '.claude-plugin/plugin.json',
    async (reader) => (await import('./formats/claude-plugin.js')).readClaudePlugin(reader),
  ],
  [
    'qwen-extension.json',
    async (reader) => (await import('./formats/terminal-extension.js')).readTerminalExtension(reader, 'qwen'),
  ],
  [
    'gemini-extension.json',
    async (reader) =>
      (await import('./formats/terminal-extension.js')).readTerminalExtension(reader, 'gemini'),
  ],
  ['manifest.json', async (reader) => (await import('./formats/mcp-bundle.js')).readMcpBundle(reader)],
];

/** The record of the extension in a folder, by the manifest that it has. Runs nothing. */
export async function readExtension(root: string): Promise<ReadExtension | PieceProblem> {
  const there = manifests.filter(([path]) => lookAtSync(join(root, path))?.kind === 'file');
  const [first, ...others] = there;
  if (!first) return { file: root, problem: await noManifest(root) };
  const [path, read] = first;
  const json = await readJsonFile(root, path);
  if ('problem' in json) return json;
  const result = await read(new ManifestReader(root, path, json));
  if ('problem' in result) return result;
  const unread = others.map(([what]) => ({ what, why: `${path} is read in its place` }));
  return { ...result, unused: [...result.unused, ...unread] };
}

/** A market place is a list of extensions in folders of their own. */
async function noManifest(root: string): Promise<string> {
  const wanted = `this is not an extension: it has none of ${manifests.map(([path]) => path).join(', ')}`;
  if (!lookAtSync(join(root, MARKET_FILE))) return wanted;
  const json = await readJsonFile(root, MARKET_FILE);
  const names = 'problem' in json ? '' : namesIn(json.value);
  return names === ''
    ? wanted
    : `it is a list of extensions. Choose one of them with --plugin NAME: ${names}`;
}
