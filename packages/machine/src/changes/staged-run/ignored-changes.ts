import { basename, dirname, join, relative } from 'node:path';
import { isProjectFile } from '../../base/places/places.js';
import type { Ignore } from '../../host/ignore/ignore.js';
import { type ChangeSet, type FileChange, stateAfter, stateBefore } from '../change-set.js';

export interface IgnoredNeeds {
  ignore: Pick<Ignore, 'view'>;
  isTracked(path: string): boolean;
  /** Looks in the workspace as it was before the command. */
  exists(path: string): boolean;
  rootOf(path: string): { path: string } | undefined;
}

/**
 * The paths of a change set that may be kept without a question because git ignores them: caches, and what builds make.
 * Ask before the changes are committed, so that the rules are those from before the command.
 */
export function ignoredChanges(
  { changes, directories }: Pick<ChangeSet, 'changes' | 'directories'>,
  { ignore, isTracked, exists, rootOf }: IgnoredNeeds,
): ReadonlySet<string> {
  const view = ignore.view();
  const written = new Set(changes.map(({ path }) => path));
  const isEnvironment = remembered((folder) =>
    environmentMarks.some((name) => written.has(`${folder}/${name}`) || exists(`${folder}/${name}`)),
  );
  const ignoresAnything = remembered((root) => view.isIgnoredByGit(join(root, NO_NAME), 'file'));
  const isOrdinary = (path: string): boolean => {
    const root = rootOf(path)?.path;
    if (root === undefined || deservesQuestion(relative(root, path)) || ignoresAnything(root)) return false;
    for (let folder = path; folder.length > root.length; folder = dirname(folder))
      if (isEnvironment(folder)) return false;
    return true;
  };
  // Programs look for such a file where people work; in a folder that is ignored itself it is what a build made.
  const isWanted = (folder: string): boolean => !view.isIgnoredByGit(folder, 'directory');
  const files = changes.filter(
    (change) =>
      isPlainFile(change) &&
      isOrdinary(change.path) &&
      view.isIgnoredByGit(change.path, 'file') &&
      !(isProjectFile(basename(change.path)) && isWanted(dirname(change.path))) &&
      !isTracked(change.path),
  );
  const folders = directories.filter(
    ({ path }) => isOrdinary(path) && view.isIgnoredByGit(path, 'directory'),
  );
  return new Set([...files, ...folders].map(({ path }) => path));
}

/** Rules that ignore even this (`*`, as in a home kept under git) say nothing about what a file is. */
const NO_NAME = 'a-file-that-no-rule-means';
const MAY_RUN = 0o111;

/** Neither removed nor a link, before or after, and not to be run by its name. */
function isPlainFile(change: FileChange): boolean {
  const [before, after] = [stateBefore(change), stateAfter(change)];
  if (before.kind === 'symlink' || after.kind !== 'file') return false;
  return ((after.mode ?? 0) & MAY_RUN) === 0;
}

const environmentNames = new Set([
  ...['venv', '.venv', 'virtualenv', '.virtualenv', 'site-packages', 'dist-packages', '.tox', '.nox'],
  ...['.conda', '.direnv', '.pixi', '__pypackages__', '.eggs'],
]);
/** Packages of other managers, as in `node_modules`. */
const packageFolders = new Set([
  ...['vendor', 'bower_components', 'jspm_packages', 'pods', '.yarn', '.bundle', '.terraform'],
]);
/** Entries that mark the folder of a virtual environment, whatever its name. */
const environmentMarks = ['pyvenv.cfg', 'conda-meta', 'bin/activate', 'Scripts/activate'];

const secretNames = [
  /^\.env(\..*)?$|\.env$/,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg|age)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)/,
  /^\.(netrc|pgpass|htpasswd|git-credentials)$/,
  /(secret|credential|password|passwd|token|service-account)[^.]*(\.(json|ya?ml|toml|ini|txt|cfg|conf|xml|properties))?$/,
];

/** Packages and environments are run later, and what looks like a secret is nobody's cache. */
function deservesQuestion(shown: string): boolean {
  const segments = shown.toLowerCase().split(/[/\\]/);
  if (segments.some((segment) => isInstalled(segment))) return true;
  const last = segments.lastIndexOf('node_modules');
  if (last !== -1 && segments[last + 1] !== '.cache') return true;
  const name = basename(shown.toLowerCase());
  return secretNames.some((pattern) => pattern.test(name));
}

function isInstalled(segment: string): boolean {
  return environmentNames.has(segment) || packageFolders.has(segment) || segment === '.git';
}

function remembered(ask: (folder: string) => boolean): (folder: string) => boolean {
  const known = new Map<string, boolean>();
  return (folder) => {
    let answer = known.get(folder);
    if (answer === undefined) known.set(folder, (answer = ask(folder)));
    return answer;
  };
}
