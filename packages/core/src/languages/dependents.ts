import { basename, dirname, extname, resolve } from 'node:path';
import type { Host } from '@toolwright/machine/host/host.js';
import type { Language } from './known-servers.js';

const MOST_FILES = 20;
const SEARCH_LIMIT_MS = 2_000;

/** Names that say nothing of a file: others name its folder. */
const plainNames = new Set(['index', 'mod', '__init__', 'main', 'lib']);

interface DependentsNeeds {
  language: Language;
  root: string;
  ripgrep: Host['ripgrep'];
  signal: AbortSignal;
}

/** Files of the same language that name one of these files, as importers do; at most some twenty. */
export async function dependentsOf(paths: readonly string[], needs: DependentsNeeds): Promise<string[]> {
  const { uses, sharesFolder = false } = needs.language;
  if (!uses) return [];
  const patterns = new Set(paths.map((path) => uses(nameOf(sharesFolder ? dirname(path) : path))));
  const folders = sharesFolder ? [...new Set(paths.map(dirname))] : [];
  const beside = await filesFound(['--files', '--max-depth=1'], { ...needs, places: folders });
  const naming = await filesFound(
    ['--files-with-matches', '--max-filesize=1M', ...[...patterns].flatMap((pattern) => ['-e', pattern])],
    { ...needs, places: ['.'] },
  );
  return [...new Set([...beside, ...naming])].filter((path) => !paths.includes(path)).slice(0, MOST_FILES);
}

async function filesFound(
  args: readonly string[],
  { language, root, ripgrep, signal, places }: DependentsNeeds & { places: readonly string[] },
): Promise<string[]> {
  if (places.length === 0) return [];
  const found: string[] = [];
  const globs = Object.keys(language.endings).map((ending) => `--glob=*${ending}`);
  await ripgrep.run({
    args: ['--null', '--no-messages', ...globs, ...args, '--', ...places],
    directory: root,
    signal,
    separator: 'nul',
    timeoutMs: SEARCH_LIMIT_MS,
    onRecord(name) {
      found.push(resolve(root, name));
      return found.length < 2 * MOST_FILES;
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
