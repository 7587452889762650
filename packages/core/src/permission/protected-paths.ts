import { basename, relative } from 'node:path';
import type { CommandWords } from '../base/effect.js';
import { isInside, type Workspace } from '../host/workspace.js';
import { isGitHistory } from '../shell/models/git/history.js';

/**
 * Files that can make other programs run something, or that hold our own rights. Writing one is always asked
 * about and never remembered. Names are compared case-folded and normalised, as some file systems do.
 */
const PROTECTED_SEGMENTS = new Map<string, string>([
  ['.git', 'git runs hooks and programs named in its folder'],
  // Its other name where names have eight letters.
  ['git~1', 'git runs hooks and programs named in its folder'],
  ['.hg', 'mercurial runs hooks and programs named in its folder'],
  ['.ssh', 'it decides who may log in, and what ssh runs'],
  ['.toolwright', 'it holds the settings and tools of Toolwright'],
  ['.vscode', 'editors run tasks from this folder'],
  ['.idea', 'editors run tasks from this folder'],
  ['.devcontainer', 'editors run commands from this folder'],
  ['.zed', 'editors run tasks from this folder'],
  ['.fleet', 'editors run tasks from this folder'],
  ['.vs', 'editors run tasks from this folder'],
  ['.cursor', 'editors read their instructions from this folder'],
  ['.github', 'continuous integration runs what is in this folder'],
  ['.gitlab', 'continuous integration runs what is in this folder'],
  ['.circleci', 'continuous integration runs what is in this folder'],
  ['.husky', 'git hooks live in this folder'],
  ['.ci', 'continuous integration runs what is in this folder'],
  ['.buildkite', 'continuous integration runs what is in this folder'],
  ['.gitea', 'continuous integration runs what is in this folder'],
  ['.forgejo', 'continuous integration runs what is in this folder'],
  ['.woodpecker', 'continuous integration runs what is in this folder'],
  ['.teamcity', 'continuous integration runs what is in this folder'],
  ['.semaphore', 'continuous integration runs what is in this folder'],
  ['.claude', 'it holds the rights and hooks of another agent'],
  ['.codex', 'it holds the rights and hooks of another agent'],
  ['.gemini', 'it holds the rights and hooks of another agent'],
  ['.qwen', 'it holds the rights and hooks of another agent'],
]);

const PROTECTED_NAMES = new Map<string, string>([
  ['.gitmodules', 'git fetches what it names'],
  ['.gitattributes', 'it can name programs for git to run'],
  ['.gitconfig', 'it can name programs for git to run'],
  ['.mcp.json', 'it names MCP servers to start'],
  ['.envrc', 'direnv runs it'],
  ['.npmrc', 'it decides where packages come from'],
  ['.yarnrc.yml', 'it decides what yarn runs'],
  ['.yarnrc', 'it decides what yarn runs'],
  ['.pnpmfile.cjs', 'pnpm runs it'],
  ['mise.toml', 'mise runs what is in it'],
  ['.mise.toml', 'mise runs what is in it'],
  ['.gitlab-ci.yml', 'continuous integration runs it'],
  ['.travis.yml', 'continuous integration runs it'],
  ['Jenkinsfile', 'continuous integration runs it'],
  ['azure-pipelines.yml', 'continuous integration runs it'],
  ['bitbucket-pipelines.yml', 'continuous integration runs it'],
  ['appveyor.yml', 'continuous integration runs it'],
  ['.appveyor.yml', 'continuous integration runs it'],
  ['.cirrus.yml', 'continuous integration runs it'],
  ['.drone.yml', 'continuous integration runs it'],
  ['.woodpecker.yml', 'continuous integration runs it'],
  ['.bashrc', 'the shell runs it at start'],
  ['.bash_profile', 'the shell runs it at start'],
  ['.bash_login', 'the shell runs it at start'],
  ['.bash_logout', 'the shell runs it at exit'],
  ['.profile', 'the shell runs it at start'],
  ['.zshrc', 'the shell runs it at start'],
  ['.zshenv', 'the shell runs it at start'],
  ['.zprofile', 'the shell runs it at start'],
  ['.zlogin', 'the shell runs it at start'],
  ['.zlogout', 'the shell runs it at exit'],
  ['.kshrc', 'the shell runs it at start'],
  ['.cshrc', 'the shell runs it at start'],
  ['.tcshrc', 'the shell runs it at start'],
  ['.login', 'the shell runs it at start'],
  ['config.fish', 'the shell runs it at start'],
  ['.xinitrc', 'it runs when somebody logs in'],
  ['.xprofile', 'it runs when somebody logs in'],
  ['.xsession', 'it runs when somebody logs in'],
  ['.pam_environment', 'it decides what runs when somebody logs in'],
  ['.inputrc', 'the shell reads key bindings from it'],
  ['.exrc', 'editors run it when they start here'],
  ['.nvimrc', 'editors run it when they start here'],
  ['.dir-locals.el', 'editors run it when they open a file here'],
  ['.gdbinit', 'debuggers run it when they start here'],
  ['.lldbinit', 'debuggers run it when they start here'],
  ['.pre-commit-config.yaml', 'git hooks are made from it'],
  ['lefthook.yml', 'git hooks are made from it'],
  ['.lefthook.yml', 'git hooks are made from it'],
]);

const FOLDED_NAMES = new Map([...PROTECTED_NAMES].map(([name, reason]) => [fold(name), reason]));

/** Changing one of these does nothing now, but something runs it later. */
const RUNS_LATER =
  /^(package\.json|makefile|gnumakefile|justfile|rakefile|dockerfile|build\.rs|setup\.py|conftest\.py|taskfile\.ya?ml|.*\.mk)$/;

/** Why a path inside a root is protected, or null. `shown` is the path relative to its root. */
export function protectedReason(shown: string): string | null {
  const segments = shown.split(/[/\\]/).map(fold);
  for (const segment of segments) {
    const reason = PROTECTED_SEGMENTS.get(segment);
    if (reason) return reason;
  }
  return FOLDED_NAMES.get(segments.at(-1) ?? '') ?? null;
}

/**
 * Whether a path is protected: by a name below its root, or as one of the person's own, which are their settings and
 * the state folder. Only who was given a folder inside one of those may work there.
 */
export function protection(
  { rootOf, directory }: Pick<Workspace, 'rootOf' | 'directory'>,
  own: readonly string[],
): (path: string) => boolean {
  return (path) => {
    const root = rootOf(path)?.path ?? '/';
    // A root may lie inside the workspace and hide the name of its own folder.
    const from = isInside(path, directory) && isInside(root, directory) ? directory : root;
    if (isInGitFolder(path) || protectedReason(relative(from, path)) !== null) return true;
    return own.some((each) => isInside(path, each) && (root === each || !isInside(root, each)));
  };
}

/** Wherever the roots lie: someone may have been given a folder inside `.git`. */
function isInGitFolder(path: string): boolean {
  return path.split(/[/\\]/).some((segment) => fold(segment) === '.git');
}

const GIT_COMMANDS = new Set([
  ...[
    'add',
    'am',
    'apply',
    'branch',
    'checkout',
    'cherry-pick',
    'clean',
    'commit',
    'fetch',
    'gc',
    'merge',
    'mv',
  ],
  ...['pull', 'push', 'rebase', 'reset', 'restore', 'revert', 'rm', 'stash', 'switch', 'tag', 'update-index'],
]);

/**
 * A protected path that a command may change like any other: git's history where a command of git is among them, and what
 * packages bring along, which nobody runs from there.
 */
export function isOrdinaryForCommand(path: string, commands: readonly CommandWords[] | null): boolean {
  const shown = path.split('\\').join('/');
  if (isInGitFolder(shown)) {
    const isGits = commands?.some(isGitCommand) ?? false;
    return isGits && isGitHistory(shown);
  }
  return /(^|\/)node_modules\//.test(shown) && !/(^|\/)\.toolwright(\/|$)/i.test(shown);
}

/** Why a change of a command deserves a second look, or null. `shown` is the path relative to its root. */
export function reasonToLook(shown: string): string | null {
  const reason = protectedReason(shown);
  if (reason !== null) return `protected: ${isGitHistory(shown) ? 'the history of git' : reason}`;
  return runsLater(shown) ? 'other programs run what is in it' : null;
}

/** A program runs what is in these by itself: when a folder is opened in an editor, or with every command of git. */
const RUN_UNASKED = new Set([
  ...['.git', '.husky', '.toolwright', '.mcp.json'],
  ...['.vscode', '.idea', '.devcontainer', '.zed', '.cursor'],
]);

const ALL_NAMES = [...PROTECTED_SEGMENTS.keys(), ...PROTECTED_NAMES.keys()];

/**
 * Names in a root that a command which works in the root itself must not touch. The first ones it can't even make: an
 * empty folder stands there, which git does not see. To do that with every name would fill the root with folders, and
 * package managers fail where they find a folder instead of a file; those names are told about when they appear.
 */
export const protectedPlaces: { always: readonly string[]; ifThere: readonly string[] } = {
  always: ALL_NAMES.filter((name) => RUN_UNASKED.has(name)),
  ifThere: ALL_NAMES.filter((name) => !RUN_UNASKED.has(name)),
};

/** In `.git`, where a command of git may write everything else. */
export const placesInGit: readonly string[] = [
  'hooks',
  'config',
  'config.worktree',
  'info',
  'commondir',
  'modules',
];

export function isGitCommand([name, word]: CommandWords): boolean {
  return name === 'git' && typeof word === 'string' && GIT_COMMANDS.has(word);
}

export function runsLater(path: string): boolean {
  return RUNS_LATER.test(fold(basename(path)));
}

/** NFKC, case-folded, without the characters that file systems drop or ignore at the end or anywhere in a name. */
function fold(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad]/g, '')
    .toLowerCase()
    .replace(/[. ]+$/, (tail) => (tail.length === name.length ? tail : ''));
}
