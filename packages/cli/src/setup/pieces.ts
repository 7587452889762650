import { join } from 'node:path';
import type { HookFile, PieceFolder, PieceOptions } from '@toolwright/core';
import { TOO_MANY, type TrustState, usableHome } from '@toolwright/core/front-end';
import {
  extensionFolders,
  extensionHooks,
  extensionNotesAndDigests,
  type UsedExtensions,
} from './extensions.js';

/** The part of a setup that finding pieces needs. */
export interface TrustedPlaces extends UsedExtensions {
  trusted: boolean;
  trust: Pick<TrustState, 'examination'>;
}

/** Folders of a home or a project in which other agents keep each kind. */
const agentFolders = {
  skills: ['.agents', '.claude', '.qwen'],
  commands: ['.claude', '.qwen', '.gemini'],
  agents: ['.claude', '.qwen'],
};

/** Folders of the user and of a project they trust; those of the project come first. */
export function piecesOf(
  setup: TrustedPlaces,
  environment: Readonly<Record<string, string | undefined>>,
): PieceOptions {
  return {
    skills: pieceFolders('skills', setup, environment),
    commands: pieceFolders('commands', setup, environment),
    agents: pieceFolders('agents', setup, environment),
    hooks: hookFiles(setup),
    ...extensionNotesAndDigests(setup),
  };
}

export function pieceFolders(
  kind: keyof typeof agentFolders,
  setup: TrustedPlaces,
  environment: Readonly<Record<string, string | undefined>>,
): PieceFolder[] {
  const { stateFolder, trusted, trust } = setup;
  const { folder, fingerprint } = trust.examination;
  const inProject = (trusted ? ['.toolwright', ...agentFolders[kind]] : [])
    .map((name) => `${name}/${kind}`)
    .filter((name) => fingerprint[name] !== TOO_MANY)
    .map((name) => ({ path: join(folder, name), shown: name }));
  const home = usableHome(environment);
  const inHome = agentFolders[kind].map((name) => `${name}/${kind}`);
  return [
    ...inProject,
    { path: join(stateFolder, kind), shown: `~/.toolwright/${kind}` },
    ...(home === undefined ? [] : inHome.map((name) => ({ path: join(home, name), shown: `~/${name}` }))),
    ...extensionFolders(kind, setup),
  ];
}

/** Files of the other agents that name hooks, in a project. */
const otherHookFiles: readonly [string, HookFile['format']][] = [
  ['.claude/settings.json', 'claude'],
  ['.claude/settings.local.json', 'claude'],
  ['.qwen/settings.json', 'qwen'],
  ['.gemini/settings.json', 'gemini'],
];

/** The folder where the programs of these hooks usually lie. */
const scriptsBeside = (name: string): string => `${name.slice(0, name.indexOf('/'))}/hooks`;

/** The user's own hooks, and those of a project they trust; the latter are confined. */
export function hookFiles(setup: TrustedPlaces): HookFile[] {
  const { stateFolder, trusted, trust } = setup;
  const own: HookFile = {
    path: join(stateFolder, 'hooks', 'hooks.json'),
    shown: '~/.toolwright/hooks/hooks.json',
    format: 'claude',
    isOwn: true,
  };
  const { folder, fingerprint } = trust.examination;
  const inProject = [['.toolwright/hooks/hooks.json', 'claude'] as const, ...otherHookFiles]
    .filter(([name]) => trusted && name in fingerprint && fingerprint[scriptsBeside(name)] !== TOO_MANY)
    .map(([name, format]): HookFile => ({ path: join(folder, name), shown: name, format, isOwn: false }))
    .filter(({ path }) => path !== own.path);
  return [own, ...inProject, ...extensionHooks(setup)];
}

/** Sentences about folders of the project that nobody can vouch for. */
export function remarksOnPieces({ trusted, trust }: Pick<TrustedPlaces, 'trusted' | 'trust'>): string[] {
  if (!trusted) return [];
  return Object.entries(trust.examination.fingerprint)
    .filter(([, digest]) => digest === TOO_MANY)
    .map(
      ([name]) =>
        `${name} of this folder is not used${name.endsWith('/hooks') ? ', nor are the hooks of the settings beside it' : ''}: it has more files than anybody could check (the limit is 2,000 files or 64 MB). Move some of them away, or into your home.`,
    );
}
