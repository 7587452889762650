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

/** Files of the same language that name one of these files, as importers do, also through a file that passes it on; at most some twenty. */
export async function dependentsOf(paths: readonly string[], needs: DependentsNeeds): Promise<string[]> {
  const { uses, passesOn, sharesFolder = false } = needs.language;
  if (!uses) return [];
  const names = (files: readonly string[]): string[] =>
    files.map((path) => nameOf(sharesFolder ? dirname(path) : path));
  const folders = sharesFolder ? [...new Set(paths.map(dirname))] : [];
  const beside = await filesFound(['--files', '--max-depth=1'], { ...needs, places: folders });
  const naming = await filesMatching(names(paths).map(uses), needs);
  const passing = passesOn && naming.length > 0 ? await filesMatching(names(paths).map(passesOn), needs) : [];
  const behind = passing.length > 0 ? await filesMatching(names(passing).map(uses), needs) : [];
  const found = new Set([...beside, ...naming, ...behind]);
  return [...found].filter((path) => !paths.includes(path)).slice(0, MOST_FILES);
}

/** Files of the folder with one of these patterns in them, which may go over several lines. */
function filesMatching(patterns: readonly string[], needs: DependentsNeeds): Promise<string[]> {
  const args = [...new Set(patterns)].flatMap((pattern) => ['-e', pattern]);
  return filesFound(['--files-with-matches', '--multiline', '--max-filesize=1M', ...args], {
    ...needs,
    places: ['.'],
  });
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
