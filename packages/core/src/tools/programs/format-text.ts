import { dirname, join } from 'node:path';
import { isJsonObject, jsonObjectIn } from '@toolwright/machine/base/json.js';
import { lookAtSync, realPathOf } from '@toolwright/machine/host/state/inspect-files.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { isInside, type Workspace } from '@toolwright/machine/host/workspace.js';
import { packageAround } from '../../languages/package-around.js';
import { wholeText } from './printed.js';
import { type ConfinedRunNeeds, confinedRun } from './run-confined.js';

/** A text as the project's formatter writes it; null where there is none, or it can't. */
export type FormatText = (
  path: string,
  text: string,
  signal: AbortSignal,
) => Promise<{ text: string; by: string } | null>;

/** The folder of the project, or one in it. */
interface Project {
  isThere(name: string): boolean;
  /** Empty for a file that is not there. */
  text(name: string): Promise<string>;
}

interface Formatter {
  by: string;
  endings: RegExp;
  /** Files of the root that must be there, one of each list. */
  needs: readonly (readonly string[])[];
  /** A folder says that its files want this one, where the program alone does not say so: it may be there for another package. */
  isWanted?(project: Project): Promise<boolean>;
  /** The words after the root's folder was put before those that begin with `./`. */
  words(path: string): string[];
}

const web = /\.(?:[cm]?[jt]sx?|jsonc?|css|scss|html|md|ya?ml)$/;
const biome = './node_modules/@biomejs/biome/bin/biome';
const prettier = ['./node_modules/prettier/bin/prettier.cjs', './node_modules/prettier/bin-prettier.js'];

const prettierFiles = [
  '.prettierrc',
  ...['json', 'json5', 'yaml', 'yml', 'toml', 'js', 'cjs', 'mjs', 'ts', 'cts', 'mts'].map(
    (ending) => `.prettierrc.${ending}`,
  ),
  ...['js', 'cjs', 'mjs', 'ts', 'cts', 'mts'].map((ending) => `prettier.config.${ending}`),
];

/** A configuration, or an entry of its own in package.json. */
async function wantsPrettier({ isThere, text }: Project): Promise<boolean> {
  if (prettierFiles.some(isThere)) return true;
  const manifest = jsonObjectIn(await text('package.json')) ?? {};
  const { prettier: config, dependencies, devDependencies } = manifest;
  const isListed = [dependencies, devDependencies].some((list) => isJsonObject(list) && 'prettier' in list);
  return config !== undefined || isListed;
}

async function wantsRuff({ isThere, text }: Project): Promise<boolean> {
  if (['ruff.toml', '.ruff.toml'].some(isThere)) return true;
  return /^\s*\[tool\.ruff\b/m.test(await text('pyproject.toml'));
}

/** Programs of the project itself, and those that a language brings; the first that fits is used. */
const formatters: readonly Formatter[] = [
  {
    by: 'biome',
    endings: /\.(?:[cm]?[jt]sx?|jsonc?|css)$/,
    needs: [[biome], ['biome.json', 'biome.jsonc']],
    words: (path) => [process.execPath, biome, 'format', `--stdin-file-path=${path}`],
  },
  ...prettier.map((file) => ({
    by: 'prettier',
    endings: web,
    needs: [[file]],
    isWanted: wantsPrettier,
    words: (path: string) => [process.execPath, file, '--stdin-filepath', path],
  })),
  {
    by: 'ruff',
    endings: /\.pyi?$/,
    needs: [['.venv/bin/ruff']],
    isWanted: wantsRuff,
    words: (path) => ['./.venv/bin/ruff', 'format', '--stdin-filename', path, '-'],
  },
  {
    by: 'ruff',
    endings: /\.pyi?$/,
    needs: [],
    isWanted: wantsRuff,
    words: (path) => ['ruff', 'format', '--stdin-filename', path, '-'],
  },
  { by: 'gofmt', endings: /\.go$/, needs: [], words: () => ['gofmt'] },
];

/** The root of the project comes last among the folders of the file. */
async function formatterOf(path: string, folders: readonly Project[]): Promise<Formatter | null> {
  const { isThere } = folders.at(-1)!;
  for (const formatter of formatters) {
    const { endings, needs, isWanted } = formatter;
    const isHere = endings.test(path) && needs.every((names) => names.some(isThere));
    if (isHere && (!isWanted || (await isWantedIn(folders, isWanted)))) return formatter;
  }
  return null;
}

async function isWantedIn(
  folders: readonly Project[],
  isWanted: NonNullable<Formatter['isWanted']>,
): Promise<boolean> {
  for (const folder of folders) if (await isWanted(folder)) return true;
  return false;
}

/** The folder of the file, and those above it up to the root. */
function foldersOf(path: string, root: string): string[] {
  const folder = dirname(path);
  return folder === root || !isInside(folder, root) ? [root] : [folder, ...foldersOf(folder, root)];
}

const LARGEST_MANIFEST = 1024 * 1024;
const LIMIT_MS = 5_000;
const MOST_BYTES = 4 * 1024 * 1024;

export function createFormat(
  needs: Omit<ConfinedRunNeeds, 'workspace'> & { workspace: Pick<Workspace, 'roots' | 'rootOf' | 'place'> },
): FormatText {
  const { place } = needs.workspace;
  return async (path, text, signal) => {
    const root = needs.workspace.rootOf(path)?.path;
    if (root === undefined) return null;
    const folders = foldersOf(path, root).map(
      (folder): Project => ({
        isThere: (name) => lookAtSync(place.at(join(folder, name))) !== null,
        text: async (name) =>
          (await readSmallFile(place.at(join(folder, name)), LARGEST_MANIFEST))?.toString() ?? '',
      }),
    );
    const found = await formatterOf(path, folders);
    if (!found) return null;
    const words = found.words(path).map((word) => (word.startsWith('./') ? join(root, word) : word));
    const access = { write: false, network: false };
    const files = await Promise.all(words.filter((word) => word.startsWith(root)).map(realPathOf));
    const roots = needs.workspace.roots.map((each) => each.path);
    const readable = files.flatMap((file) => packageAround(file, { roots, environment: needs.environment }));
    try {
      const ended = await confinedRun(needs)(
        { words, directory: root, access, readable },
        { signal, input: text, timeoutMs: LIMIT_MS, maxOutputBytes: MOST_BYTES },
      );
      const { exitCode, stdout } = ended;
      // A formatter that fails, or prints nothing, has not understood the text: it stays as it is.
      if (exitCode !== 0 || stdout.omittedBytes > 0 || stdout.totalBytes === 0) return null;
      return { text: wholeText(stdout), by: found.by };
    } catch (error) {
      if (signal.aborted) throw error;
      return null;
    }
  };
}
