import type { Effect } from '@toolwright/machine/base/effect.js';
import { namesIn, runLaterByName } from '@toolwright/machine/base/places/places.js';
import { runLaterInHome } from '@toolwright/machine/base/places/run-later-places.js';
import { secretsInHome } from '@toolwright/machine/base/places/secret-places.js';
import {
  isGitCommand,
  placesInGit,
  protectedPlaces,
  type ReasonedPlace,
} from '@toolwright/machine/host/places/path-guard.js';
import { here, type Place } from '@toolwright/machine/host/plain-files/place.js';
import { fileSystemIn } from '@toolwright/machine/host/sandbox/mounts/file-system.js';
import type { Profile } from '@toolwright/machine/host/sandbox/sandbox.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import { commandsIn } from './covered-commands.js';

const protectedInHome = [...namesIn(runLaterInHome), ...namesIn(secretsInHome)];
const protectedNames = new Set([...protectedPlaces.always, ...protectedPlaces.ifThere]);

/** Paths that a sandbox keeps from changing. */
export type ProtectedPaths = Required<Pick<Profile, 'protectedPaths' | 'protectedIfThere'>>;

export interface PlacesToProtectOptions {
  /** The folders that may be written. */
  roots: readonly string[];
  /** Places in them that a rule keeps from being written. */
  byRule?: readonly string[];
  effects?: readonly Effect[];
  /** Absolute, after links. */
  home?: string;
  /** Places that are protected in this workspace only. */
  also?: readonly ReasonedPlace[];
  /** Leads to the roots; default: every file at its own path. */
  place?: Place;
}

/** Finds the paths that a command must not change when nobody looks at its changes before they are kept. */
export async function placesToProtect({
  roots,
  byRule = [],
  effects = [],
  home,
  also = [],
  place = here,
}: PlacesToProtectOptions): Promise<ProtectedPaths> {
  const { gitPlaces, isInsideRepository } = await import(
    '@toolwright/machine/host/git/git-configurations.js'
  );
  const ofRoots = roots.map((root) => {
    const own = `${root}/.git`;
    const at = (name: string): string => `${root}/${name}`;
    const linked = (gitPlaces(root, place) ?? []).filter((path) => path !== own);
    // Someone who looks for the top of the repository around it would stop at an empty folder of that name.
    const [held, named] = isInsideRepository(root, place) ? [[], [own]] : [[`${own}/`], []];
    const mayWriteGit = isGitAlone(effects, own);
    return {
      protectedPaths: [
        ...linked,
        ...(mayWriteGit ? [] : held),
        ...protectedPlaces.always.filter((name) => name !== '.git').map((name) => `${at(name)}/`),
      ],
      protectedIfThere: [
        ...(mayWriteGit ? placesInGit.map((name) => `${own}/${name}`) : named),
        ...protectedPlaces.ifThere.map(at),
        ...fileSystemIn(place)
          .names(root)
          .filter((name) => runLaterByName(name) !== null && !protectedNames.has(name))
          .map(at),
      ],
    };
  });
  const inHome = home === undefined ? [] : protectedInHome.map((name) => `${home}/${name}`);
  const isBelowRoot = (path: string): boolean => roots.some((root) => path !== root && isInside(path, root));
  return {
    protectedPaths: ofRoots.flatMap(({ protectedPaths }) => protectedPaths),
    protectedIfThere: [
      ...ofRoots.flatMap(({ protectedIfThere }) => protectedIfThere),
      ...[...byRule, ...inHome].filter(isBelowRoot),
      ...also.map(({ path }) => path).filter((path) => roots.some((root) => isInside(path, root))),
    ],
  };
}

/**
 * A program that writes into `.git` can put another repository in its place, whose configuration the next git starts programs
 * from: only git itself may, and nothing beside it that could.
 */
function isGitAlone(effects: readonly Effect[], git: string): boolean {
  const commands = commandsIn(effects) ?? [];
  const touchesIt = effects.some(
    (effect) => (effect.kind === 'write' || effect.kind === 'delete') && isInside(effect.path, git),
  );
  return commands.length > 0 && commands.every(isGitCommand) && !touchesIt;
}
