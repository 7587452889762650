import { once } from '../../../base/once.js';
import type { Launch } from '../../processes/processes.js';
import { homeDirectory } from '../../state/state-folder.js';
import { isInside } from '../../workspace.js';
import { openScratchHome, type ScratchHome, sweepScratchHomes } from '../home/scratch-home.js';
import { nothingDropped } from '../home/written-in.js';
import { realFileSystem } from '../mounts/file-system.js';
import type { Mount } from '../mounts/mount.js';
import { placeholderAt } from '../mounts/protected-paths.js';
import { rememberToolchains } from '../mounts/toolchains.js';
import { systemPlaces } from '../mounts/usual-places.js';
import { openHostTunnel } from '../network/host-tunnel.js';
import type { Confined, Profile, Sandbox, SandboxOptions } from '../sandbox.js';
import { unconfined } from '../unconfined.js';
import { type LaunchNeeds, launchInside } from './launch.js';
import { type OwnFiles, prepareOwnFiles } from './own-files.js';
import {
  createPlaceholders,
  makeMissingFolders,
  type Placeholders,
  watchForReplaced,
} from './placeholders.js';
import { probeBubblewrap } from './probe.js';

export async function openBubblewrap(options: SandboxOptions): Promise<Sandbox> {
  const { mode, state } = options;
  const placeholders = createPlaceholders(state, options.place);
  const toolchains = rememberToolchains(realFileSystem, systemPlaces);
  await placeholders.sweep();
  await sweepScratchHomes(state).catch(() => undefined);
  const ownFiles = once(() => prepareOwnFiles(state, process.arch));
  const probe = once((signal: AbortSignal) => probeBubblewrap({ options, files: ownFiles }, signal));
  return {
    mode,
    state: async (signal) => (await probe(signal)).state,
    async confine(launch, profile, signal) {
      const { state: found, features } = await probe(signal);
      if (found.program === null) return unconfined(launch, found, mode);
      const { program } = found;
      return confine(launch, profile, { program, features, options, placeholders, toolchains, ownFiles });
    },
  };
}

interface ConfineNeeds extends Pick<LaunchNeeds, 'program' | 'features' | 'toolchains'> {
  options: SandboxOptions;
  placeholders: Placeholders;
  ownFiles(): Promise<OwnFiles>;
}

async function confine(launch: Launch, profile: Profile, needs: ConfineNeeds): Promise<Confined> {
  const { options, placeholders } = needs;
  let mounts: readonly Mount[] = [];
  const held: (() => Promise<void> | void)[] = [];
  const release = async (): Promise<void> => {
    for (const letGo of held.splice(0)) await letGo();
  };
  try {
    const tunnel =
      typeof profile.network === 'object' ? await openHostTunnel(profile.network, options) : null;
    held.push(() => tunnel?.close().catch(() => undefined));
    const home = await openHome(profile, options, () => mounts.map(({ path }) => path));
    held.push(() => home?.close());
    held.push(makeMissingFolders(profile.outside?.write).release);
    const files = await needs.ownFiles();
    const planned = launchInside(launch, profile, { ...needs, files, tunnel, homeFolder: home?.path });
    mounts = planned.mounts;
    home?.seed(planned.seeds);
    const { protectedPaths = [], protectedIfThere = [] } = profile;
    held.push(await placeholders.hold(planned.placeholders, protectedPaths.map(placeholderAt)));
    return {
      launch: planned.launch,
      confined: true,
      unprotected: planned.unprotected,
      exposed: watchForReplaced(outermost([...protectedPaths, ...protectedIfThere]), options.place),
      dropped: () => home?.dropped() ?? nothingDropped,
      refusedHosts: () => tunnel?.refused() ?? [],
      release,
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** The home on disk that a profile asks to be watched; null where it asks for none. */
async function openHome(
  { watchesHome, temporaryFolder }: Profile,
  { state, environment }: SandboxOptions,
  mountPoints: () => string[],
): Promise<ScratchHome | null> {
  if (!watchesHome) return null;
  return openScratchHome(state, { home: homeDirectory(environment), temporaryFolder, mountPoints });
}

/** Drops paths inside others: what is replaced inside a mounted folder stays inside the mount. */
function outermost(given: readonly string[]): string[] {
  const paths = given.map((path) => placeholderAt(path).path);
  return paths.filter((path) => !paths.some((other) => other !== path && isInside(path, other)));
}
