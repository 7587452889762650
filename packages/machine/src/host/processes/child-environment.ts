import { posix, win32 } from 'node:path';
import type { Environment } from '../state/state-folder.js';

/** Variables that every child may see. All others of our own environment stay here: keys and tokens live there. */
const passedNames = new Set([
  'PATH',
  'HOME',
  'LANG',
  'LANGUAGE',
  'TERM',
  'COLORTERM',
  'TZ',
  'TMPDIR',
  'USER',
  'LOGNAME',
  'SHELL',
]);

/** Variables without which nothing starts on Windows. */
const passedOnWindows = new Set([
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'USERNAME',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
]);

/** Settings for children without a user at their terminal: no pager, no editor, no question for a password or a passphrase. */
const nobodyAsked: Readonly<Record<string, string>> = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  GH_PAGER: 'cat',
  AWS_PAGER: '',
  LESS: '-FRX',
  EDITOR: ':',
  VISUAL: ':',
  GIT_EDITOR: ':',
  GIT_SEQUENCE_EDITOR: ':',
  GIT_MERGE_AUTOEDIT: 'no',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'force',
  GCM_INTERACTIVE: 'never',
  GH_PROMPT_DISABLED: '1',
  DEBIAN_FRONTEND: 'noninteractive',
  PIP_NO_INPUT: '1',
};

export interface ChildEnvironmentOptions {
  /** Names that settings let through as well. */
  names?: readonly string[];
  /** Values that win over everything. */
  values?: Readonly<Record<string, string>>;
  /** The program may ask: it runs on a terminal where the answer can be given. Pagers and editors stay off. */
  mayAsk?: boolean;
  platform?: NodeJS.Platform;
}

const questionNames = new Set([
  'GIT_TERMINAL_PROMPT',
  'GIT_ASKPASS',
  'SSH_ASKPASS',
  'SSH_ASKPASS_REQUIRE',
  'GCM_INTERACTIVE',
  'GH_PROMPT_DISABLED',
  'PIP_NO_INPUT',
]);

/** The environment of every program we start, out of our own. */
export function childEnvironment(
  source: Environment,
  { names = [], values = {}, mayAsk = false, platform = process.platform }: ChildEnvironmentOptions = {},
): Record<string, string> {
  const named = new Set(names);
  const result: Record<string, string> = {};
  // Names are compared first: reading a value of `process.env` is a question to the system.
  for (const name of Object.keys(source)) {
    const value = named.has(name) || isPassed(name, platform) ? source[name] : undefined;
    if (value === undefined) continue;
    result[name] = name.toUpperCase() === 'PATH' ? searchPath(value, undefined, platform) : value;
  }
  for (const [name, value] of Object.entries(nobodyAsked)) {
    if (!named.has(name) && !(mayAsk && questionNames.has(name))) result[name] = value;
  }
  return { ...result, ...values };
}

/**
 * The folders in which programs are looked for. One without a leading slash is another in every folder: a repository
 * that has an `ls` of its own there would have it run.
 */
export function searchPath(
  folders: string,
  isLeftOut: (folder: string) => boolean = () => false,
  platform = process.platform,
): string {
  const { delimiter, isAbsolute } = platform === 'win32' ? win32 : posix;
  const kept = folders.split(delimiter).filter((folder) => isAbsolute(folder) && !isLeftOut(folder));
  return kept.join(delimiter);
}

function isPassed(name: string, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') {
    const upper = name.toUpperCase();
    return passedNames.has(upper) || passedOnWindows.has(upper);
  }
  return passedNames.has(name) || name.startsWith('LC_');
}
