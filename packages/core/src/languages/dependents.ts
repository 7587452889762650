import { basename, dirname, extname, join } from 'node:path';
import type { Host } from '@toolwright/machine/host/host.js';
import type { Language } from './known-servers.js';

const MOST_FILES = 20;
const SEARCH_LIMIT_MS = 2_000;

/** Names that say nothing of a file: others name its folder. */
const plainNames = new Set(['index', 'mod', '__init__', 'main', 'lib']);

/** Files of the same language that name one of these files, as importers do; at most some twenty. */
export async function dependentsOf(
  paths: readonly string[],
  {
    language,
    root,
    ripgrep,
    signal,
  }: { language: Language; root: string; ripgrep: Host['ripgrep']; signal: AbortSignal },
): Promise<string[]> {
  const { uses } = language;
  if (!uses) return [];
  const patterns = new Set(paths.map((path) => uses(nameOf(path))));
  const found: string[] = [];
  const args = ['--files-with-matches', '--null', '--no-messages', '--max-filesize=1M'];
  for (const ending of Object.keys(language.endings)) args.push(`--glob=*${ending}`);
  for (const pattern of patterns) args.push('-e', pattern);
  await ripgrep.run({
    args: [...args, '--', '.'],
    directory: root,
    signal,
    separator: 'nul',
    timeoutMs: SEARCH_LIMIT_MS,
    onRecord(name) {
      const path = join(root, name);
      if (!paths.includes(path)) found.push(path);
      return found.length < MOST_FILES;
    },
  });
  return found;
}

function nameOf(path: string): string {
  const name = basename(path, extname(path));
  return escapePattern(plainNames.has(name) ? basename(dirname(path)) : name);
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
