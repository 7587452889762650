import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { orNull } from '../../base/errors.js';
import { foreignText } from '../../base/sentences/foreign-text.js';
import type { PathPolicy } from '../files/denied-paths.js';
import { commonFolder, gitFolderOf } from '../git/git-configurations.js';
import { here, type Place } from '../plain-files/place.js';
import { readRegularFile } from '../plain-files/regular-file.js';
import { isInside, type Workspace } from '../workspace.js';
import { decidingRule, type IgnoreRule, judge, parseIgnoreFile, toByteString } from './gitignore.js';

/** Files of the workspace that are not part of the work: built, installed, generated, private. */
export interface Ignore {
  /** Names of ignore files other than `.gitignore`. They only add to what git ignores. */
  readonly fileNames: readonly string[];
  /** Folders that no walk enters and no list names, absolute and after links; one may still be asked about by its name. */
  readonly leftOut: readonly string[];
  /** The rules as they are now. A view reads each ignore file once: make a new one for each call. */
  view(): IgnoreView;
}

export type IgnoreKind = 'file' | 'directory';

export interface IgnoreView {
  /**
   * True if git or another ignore file ignores the path or a folder above it, or the path belongs to a `.git` folder or to
   * one that is left out.
   * Folders down to and including `below` (default: the root) count as wanted.
   */
  isIgnored(path: string, kind: IgnoreKind, below?: string): boolean;
  /** The same by git's ignore files alone, which do not ignore `.git` folders. */
  isIgnoredByGit(path: string, kind: IgnoreKind, below?: string): boolean;
  /** The same by the other ignore files alone, for walks that know git's rules already. */
  isIgnoredByOwnFiles(path: string, kind: IgnoreKind, below?: string): boolean;
  /** The rule of a `.toolwrightignore` that names a file or a folder above it: tools don't read such a file. */
  namingRuleOf(path: string, kind?: IgnoreKind): NamingRule | null;
  /** True if ignore files other than git's have rules for this folder. Most have none, which makes a walk faster. */
  hasOwnRules(folder: string): boolean;
  /** True if this very folder seems to have such a file. */
  hasOwnFile(folder: string): boolean;
  /** The ignore files other than git's in this folder, and whether every program reads their rules alike. */
  ownFilesIn(folder: string): { name: string; path: string; isPlain: boolean }[];
  /**
   * True if git's ignore files in this folder and above are regular files, or missing: a program that opens a pipe or
   * terminal in their place waits for ever. They are never opened here.
   */
  areGitFilesRegular(folder: string): boolean;
  /** True if an ignore file takes back what another ignores. */
  takesBack(file: string): boolean;
}

export interface NamingRule {
  /** Absolute. */
  file: string;
  /** Counted from 1. */
  line: number;
  text: string;
}

export interface IgnoreOptions {
  workspace: Pick<Workspace, 'rootOf'> & Partial<Pick<Workspace, 'place'>>;
  /** Names of further ignore files, for example of other programs. */
  fileNames?: readonly string[];
  /** See `Ignore`. */
  leftOut?: readonly string[];
}

const OWN_IGNORE_FILE = '.toolwrightignore';

/** Sets, escapes, braces and adjacent stars, which programs read differently from git. */
const ODD_RULE = /[[{\\]|[^/!\n]\*\*|\*\*[^/\r\n]/;
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Ignore files are rules, not content: nothing in them reaches a model, and those of a repository above the workspace
 * count too. So they are read here, without `host/files`, and synchronously, because a walk asks about thousands of
 * folders and most have none.
 */
export function createIgnore(options: IgnoreOptions): Ignore {
  const fileNames = [...new Set([OWN_IGNORE_FILE, ...(options.fileNames ?? [])])].filter(
    (name) => name !== '.gitignore' && name !== '' && !name.includes('/') && !name.includes('\0'),
  );
  const { leftOut = [] } = options;
  const { rootOf, place = here } = options.workspace;
  return {
    fileNames,
    leftOut,
    view: () => createView({ fileNames, leftOut, place }, (path) => rootOf(path)?.path),
  };
}

/** The rules of one ignore file and the folder its patterns start from. */
interface Layer {
  folder: string;
  rules: readonly IgnoreRule[];
}

type Layers = (folder: string) => readonly Layer[];

function createView(
  { fileNames, leftOut, place }: Pick<Ignore, 'fileNames' | 'leftOut'> & { place: Place },
  rootOf: (path: string) => string | undefined,
): IgnoreView {
  const rulesIn = (file: string): readonly IgnoreRule[] => parseRules(readRules(file, place));
  const gitLayers = createGitLayers(rulesIn, place);
  const ownLayers = fileNames.map((name) => createOwnLayers(name, rootOf, rulesIn));
  const namingLayers =
    ownLayers[fileNames.indexOf(OWN_IGNORE_FILE)] ?? createOwnLayers(OWN_IGNORE_FILE, rootOf, rulesIn);
  const everyFile = createCheck((path, isDirectory) => {
    if (path.endsWith(`${sep}.git`) || leftOut.includes(path)) return true;
    return [gitLayers, ...ownLayers].some((layers) => isIgnoredBy(layers, path, isDirectory));
  });
  const gitFiles = createCheck((path, isDirectory) => isIgnoredBy(gitLayers, path, isDirectory));
  const ownFiles = createCheck((path, isDirectory) =>
    ownLayers.some((layers) => isIgnoredBy(layers, path, isDirectory)),
  );
  return {
    isIgnored: (path, kind, below = rootOf(path)) => everyFile(path, kind === 'directory', below),
    isIgnoredByGit: (path, kind, below = rootOf(path)) => gitFiles(path, kind === 'directory', below),
    isIgnoredByOwnFiles: (path, kind, below = rootOf(path)) => ownFiles(path, kind === 'directory', below),
    namingRuleOf: createNaming(namingLayers, rootOf),
    hasOwnRules: (folder) => ownLayers.some((layers) => layers(folder).length > 0),
    hasOwnFile: (folder) => fileNames.some((name) => existsSync(`${place.at(folder)}/${name}`)),
    ownFilesIn: (folder) =>
      fileNames.flatMap((name) => {
        const path = join(folder, name);
        const bytes = readRules(path, place);
        return bytes === null ? [] : [{ name, path, isPlain: !ODD_RULE.test(bytes) }];
      }),
    areGitFilesRegular: (folder) => areGitFilesRegular(folder, place),
    takesBack: (file) => rulesIn(file).some(({ negated }) => negated),
  };
}

/**
 * Turns a check of one entry into one that includes the folders above it: everything in an ignored folder is ignored.
 */
function createCheck(isIgnoredEntry: (path: string, isDirectory: boolean) => boolean) {
  const folders = new Map<string, Map<string, boolean>>();
  const isIgnored = (path: string, isDirectory: boolean, below: string | undefined): boolean => {
    if (below === undefined || path === below || !isInside(path, below)) return false;
    return isIgnoredFolder(dirname(path), below) || isIgnoredEntry(path, isDirectory);
  };
  const isIgnoredFolder = (folder: string, below: string): boolean => {
    let known = folders.get(below);
    if (!known) folders.set(below, (known = new Map()));
    let ignored = known.get(folder);
    if (ignored === undefined) known.set(folder, (ignored = isIgnored(folder, true, below)));
    return ignored;
  };
  return isIgnored;
}

/** A rule that names a folder names every file in it. */
function createNaming(
  layers: Layers,
  rootOf: (path: string) => string | undefined,
): IgnoreView['namingRuleOf'] {
  const folders = new Map<string, NamingRule | null>();
  const ofFolder = (folder: string): NamingRule | null => {
    let known = folders.get(folder);
    if (known === undefined) folders.set(folder, (known = naming(folder, 'directory')));
    return known;
  };
  const naming = (path: string, kind: IgnoreKind = 'file'): NamingRule | null => {
    const root = rootOf(path);
    if (root === undefined || path === root) return null;
    return ofFolder(dirname(path)) ?? namingRule(layers(dirname(path)), path, kind);
  };
  return naming;
}

function namingRule(layers: readonly Layer[], path: string, kind: IgnoreKind): NamingRule | null {
  for (const { folder, rules } of layers) {
    const rule = decidingRule(rules, toRulePath(folder, path), kind === 'directory');
    if (rule === undefined) continue;
    const text = Buffer.from(rule.text, 'latin1').toString('utf8');
    return rule.negated ? null : { file: join(folder, OWN_IGNORE_FILE), line: rule.line, text };
  }
  return null;
}

/** The reason why tools leave a file or folder alone, naming the rule and what would change it; null if they don't. */
export function ignoreReason(
  { ignore, workspace }: { ignore: Ignore; workspace: Pick<Workspace, 'show'> },
  path: string,
  kind?: IgnoreKind,
): string | null {
  const rule = ignore.view().namingRuleOf(path, kind);
  if (rule === null) return null;
  const show = (each: string): string => foreignText(workspace.show(each));
  const where = `${show(rule.file)} line ${rule.line}: ${JSON.stringify(rule.text)}`;
  return `${show(path)} is named by an ignore rule (${where}), so tools neither read nor change it. The user can take that line out, or take the file back with a line that begins with "!".`;
}

/** A policy of files that leaves alone what ignore rules name, besides what `denied` refuses. */
export function leavingIgnored(
  host: { ignore: Ignore; workspace: Pick<Workspace, 'show'> },
  denied: PathPolicy | undefined,
): PathPolicy {
  return (access, path) => denied?.(access, path) ?? ignoreReason(host, path);
}

/** The nearest ignore file with a fitting rule decides. */
function isIgnoredBy(layers: Layers, path: string, isDirectory: boolean): boolean {
  for (const { folder, rules } of layers(dirname(path))) {
    const verdict = judge(rules, toRulePath(folder, path), isDirectory);
    if (verdict !== undefined) return verdict;
  }
  return false;
}

/** Every `.gitignore` up to the top of the repository, then its `info/exclude`; outside a repository, all above. */
function createGitLayers(rulesIn: ReadRules, place: Place): Layers {
  return createLayers((folder, above) => {
    const outer = existsSync(place.at(join(folder, '.git')))
      ? addLayer(folder, rulesIn(join(sharedGitFolder(folder, place), 'info', 'exclude')), [])
      : above();
    return addLayer(folder, rulesIn(join(folder, '.gitignore')), outer);
  });
}

type ReadRules = (file: string) => readonly IgnoreRule[];

/** A `.git` that can't be read still ends the repository. */
function sharedGitFolder(tree: string, place: Place): string {
  const entry = join(tree, '.git');
  return orNull(() => commonFolder(gitFolderOf(tree, place) ?? entry, place)) ?? entry;
}

function createOwnLayers(
  name: string,
  rootOf: (path: string) => string | undefined,
  rulesIn: ReadRules,
): Layers {
  return createLayers((folder, above) =>
    rootOf(folder) === undefined ? [] : addLayer(folder, rulesIn(`${folder}/${name}`), above()),
  );
}

function addLayer(folder: string, rules: readonly IgnoreRule[], outer: readonly Layer[]): readonly Layer[] {
  return rules.length === 0 ? outer : [{ folder, rules }, ...outer];
}

/** Each folder is looked at once; most have no ignore file and share the layers of the one above. */
function createLayers(make: (folder: string, above: () => readonly Layer[]) => readonly Layer[]): Layers {
  const known = new Map<string, readonly Layer[]>();
  const layers: Layers = (folder) => {
    let found = known.get(folder);
    if (!found) {
      const parent = dirname(folder);
      found = make(folder, () => (parent === folder ? [] : layers(parent)));
      known.set(folder, found);
    }
    return found;
  };
  return layers;
}

function parseRules(bytes: string | null): readonly IgnoreRule[] {
  return bytes === null ? [] : parseIgnoreFile(bytes);
}

function areGitFilesRegular(folder: string, place: Place): boolean {
  // A file that is missing or can't be looked at can't be opened either.
  const isRegular = (path: string): boolean => orNull(() => statSync(place.follow(path)))?.isFile() ?? true;
  const parent = dirname(folder);
  return (
    isRegular(join(folder, '.gitignore')) &&
    isRegular(join(folder, '.git', 'info', 'exclude')) &&
    (parent === folder || areGitFilesRegular(parent, place))
  );
}

/** The content of a small regular file as a byte string; null when there is none. A link is not followed. */
function readRules(path: string, place: Place): string | null {
  const at = place.at(path);
  if (!existsSync(at)) return null;
  return orNull(() => readRegularFile(at, MAX_FILE_BYTES, { followsLinks: false }).toString('latin1'));
}

function toRulePath(folder: string, path: string): string {
  const inside = relative(folder, path);
  return toByteString(sep === '/' ? inside : inside.split(sep).join('/'));
}
