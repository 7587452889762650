import { join } from 'node:path';
import { lookAt, namesIn } from '@toolwright/machine/host/state/inspect-files.js';
import type { PieceFolder, PieceProblem } from '../piece.js';
import type { CommandPlace } from './read-command.js';

/** Custom commands by name; nothing of them is read yet. */
export interface FoundCommands {
  places: ReadonlyMap<string, CommandPlace>;
  problems: PieceProblem[];
}

const DEEPEST = 8;
const MOST_FILES = 5_000;
const COMMAND_NAME = /^[A-Za-z][\w-]*$/;

interface Search extends FoundCommands {
  places: Map<string, CommandPlace>;
  visited: Set<string>;
  /** Names that the program has itself. */
  taken: readonly string[];
}

/** Files ending in `.md` and `.toml`; folders are namespaces. Of two with the same name the first counts, and the other is reported. */
export async function findCommands(
  folders: readonly PieceFolder[],
  taken: readonly string[],
): Promise<FoundCommands> {
  const search: Search = { places: new Map(), problems: [], visited: new Set(), taken };
  for (const from of folders) await searchFolder(from.path, { from, words: [] }, search);
  const { places, problems } = search;
  return { places, problems };
}

interface Namespace {
  from: PieceFolder;
  words: readonly string[];
}

async function searchFolder(path: string, { from, words }: Namespace, search: Search): Promise<void> {
  const identity = (await lookAt(path))?.identity;
  if (identity === undefined || (search.visited.has(identity) && !from.only) || words.length > DEEPEST)
    return;
  search.visited.add(identity);
  for (const name of await namesIn(path)) {
    if (search.places.size >= MOST_FILES) return;
    if (words.length === 0 && from.only?.includes(name) === false) continue;
    const [word = '', ending] = name.split(/\.(?=md$|toml$)/);
    const file = join(path, name);
    if (ending !== undefined) add({ name: [...words, word].join(':'), file, from }, search);
    else if (!name.startsWith('.') && (await lookAt(file))?.kind === 'directory')
      await searchFolder(file, { from, words: [...words, name] }, search);
  }
}

function add(place: CommandPlace, search: Search): void {
  const { places, problems, taken } = search;
  const { name, file, from } = place;
  if (/^readme$/i.test(name)) return;
  const earlier = places.get(name);
  // A command of an extension whose name is taken is called with the name of the extension before it.
  if (from.extension && (earlier || taken.includes(name)) && !name.startsWith(`${from.extension.name}:`)) {
    add({ ...place, name: `${from.extension.name}:${name}` }, search);
    return;
  }
  if (!name.split(':').every((word) => COMMAND_NAME.test(word)))
    problems.push({
      file,
      problem: "its name can't be typed as a command: letters, digits, _ and - only, beginning with a letter",
    });
  else if (taken.includes(name))
    problems.push({ file, problem: `/${name} is a command of the program; rename the file` });
  else if (earlier)
    problems.push({ file, problem: `/${name} is taken by ${earlier.file}; rename one of them` });
  else places.set(name, place);
}
