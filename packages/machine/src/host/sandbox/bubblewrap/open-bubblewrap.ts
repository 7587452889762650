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
import { type HostTunnel, openHostTunnel } from '../network/host-tunnel.js';
import type { Confined, Profile, Sandbox, SandboxOptions } from '../sandbox.js';
import { unconfined } from '../unconfined.js';
import { launchInside } from './launch.js';
import { prepareOwnFiles } from './own-files.js';
import { createPlaceholders, makeMissingFolders, watchForReplaced } from './placeholders.js';
import { probeBubblewrap } from './probe.js';

/** The sandbox for Linux. */
export async function openBubblewrap(options: SandboxOptions): Promise<Sandbox> {
  const { mode, state } = options;
  const placeholders = createPlaceholders(state);
  const toolchains = rememberToolchains(realFileSystem);
  await placeholders.sweep();
  await sweepScratchHomes(state).catch(() => undefined);
  const ownFiles = once(() => prepareOwnFiles(state, process.arch));
  const probe = once((signal: AbortSignal) => probeBubblewrap({ options, files: ownFiles }, signal));

  async function confine(launch: Launch, profile: Profile, signal: AbortSignal): Promise<Confined> {
    const { state: found, features } = await probe(signal);
    if (found.program === null) return unconfined(launch, found, mode);
    let tunnel: HostTunnel | null = null;
    let home: ScratchHome | null = null;
    let mounts: readonly Mount[] = [];
    const held: (() => void)[] = [];
    const release = async (): Promise<void> => {
      await tunnel?.close().catch(() => undefined);
      await home?.close();
      for (const letGo of held.splice(0)) letGo();
    };
    try {
      if (typeof profile.network === 'object') tunnel = await openHostTunnel(profile.network, options);
      if (profile.watchesHome) {
        home = await openScratchHome(state, {
          home: homeDirectory(options.environment),
          temporaryFolder: profile.temporaryFolder,
          mountPoints: () => mounts.map(({ path }) => path),
        });
      }
      held.push(makeMissingFolders(profile.outside?.write).release);
      const needs = {
        program: found.program,
        features,
        files: await ownFiles(),
        tunnel,
        homeFolder: home?.path,
        toolchains,
        options,
      };
      const planned = launchInside(launch, profile, needs);
      mounts = planned.mounts;
      home?.seed(planned.seeds);
      const { protectedPaths = [], protectedIfThere = [] } = profile;
      held.push(await placeholders.hold(planned.placeholders, protectedPaths.map(placeholderAt)));
      const exposed = watchForReplaced(outermost([...protectedPaths, ...protectedIfThere]));
      return {
        launch: planned.launch,
        confined: true,
        unprotected: planned.unprotected,
        exposed,
        dropped: () => home?.dropped() ?? nothingDropped,
        refusedHosts: () => tunnel?.refused() ?? [],
        release,
      };
    } catch (error) {
      await release();
      throw error;
    }
  }

  return { mode, state: async (signal) => (await probe(signal)).state, confine };
}

/** Drops paths inside others: what is replaced inside a mounted folder stays inside the mount. */
function outermost(given: readonly string[]): string[] {
  const paths = given.map((path) => placeholderAt(path).path);
  return paths.filter((path) => !paths.some((other) => other !== path && isInside(path, other)));
}
