import { join, relative } from 'node:path';
import { ToolError } from '../../../base/errors.js';
import { here } from '../../plain-files/place.js';
import type { Launch, StandIn } from '../../processes/processes.js';
import { homeDirectory } from '../../state/state-folder.js';
import { isInside } from '../../workspace.js';
import { fileSystemIn } from '../mounts/file-system.js';
import type { Mount } from '../mounts/mount.js';
import { insideAgent } from '../mounts/outside-places.js';
import { type PlannedMounts, planMounts } from '../mounts/plan-mounts.js';
import type { rememberToolchains } from '../mounts/toolchains.js';
import type { HostTunnel } from '../network/host-tunnel.js';
import type { Profile, SandboxOptions } from '../sandbox.js';
import { type BubblewrapFeatures, bubblewrapArguments } from './arguments.js';
import type { OwnFiles } from './own-files.js';

const FILTER_DESCRIPTOR = 3;
/** Bubblewrap reads the filter from a descriptor that must be opened for it. */
const withFilter = `exec ${FILTER_DESCRIPTOR}<"$1" && shift && exec "$@"`;

export interface LaunchNeeds {
  program: string;
  features: BubblewrapFeatures;
  files: OwnFiles;
  tunnel: HostTunnel | null;
  /** See `Surroundings`. */
  homeFolder?: string | undefined;
  toolchains: ReturnType<typeof rememberToolchains>;
  options: Pick<SandboxOptions, 'environment' | 'state' | 'place'>;
}

export interface LaunchInside
  extends Pick<PlannedMounts, 'mounts' | 'placeholders' | 'seeds' | 'unprotected'> {
  launch: Launch;
}

/** The launch that starts another launch inside the sandbox. */
export function launchInside(launch: Launch, profile: Profile, needs: LaunchNeeds): LaunchInside {
  const { program, features, files, tunnel, options, toolchains } = needs;
  const home = homeDirectory(options.environment);
  const command = tunnel?.wrap([launch.program, ...launch.args]) ?? [launch.program, ...launch.args];
  const { mounts, placeholders, seeds, unprotected, sees } = planMounts(
    profile,
    {
      home,
      homeFolder: needs.homeFolder,
      toolchains: toolchains({ home, environment: launch.environment }),
      stateFolder: options.state.path,
      programs: [launch.program, ...(tunnel?.programs ?? [])].filter((path) => path.startsWith('/')),
    },
    fileSystemIn(options.place ?? here),
  );
  if (!sees(launch.directory))
    throw new ToolError(
      'outside_workspace',
      `${launch.directory} is not seen inside the sandbox, so nothing can be started there. Start it in a folder to work in; the user can add one with --include-directories.`,
    );
  const standIns = launch.standIns ?? (options.place ?? here).standIns();
  const args = bubblewrapArguments({
    features,
    user: process.getuid?.() ?? 0,
    group: process.getgid?.() ?? 0,
    ownNetwork: profile.network !== 'open',
    mounts: [...withStandIns(mounts, standIns, profile), ...(tunnel?.mounts ?? [])],
    unreadable: files.unreadable,
    directory: launch.directory,
    filterDescriptor: files.filter === null ? null : FILTER_DESCRIPTOR,
  });
  const sshVariables: Record<string, string> =
    profile.outside?.sshAgent === undefined ? {} : { SSH_AUTH_SOCK: insideAgent };
  const inside: Launch = {
    ...filtered([...args, ...command], needs),
    withoutShell:
      launch.endsInScript && tunnel === null
        ? { program, args: [...args, ...command], reads: files.filter === null ? [] : [files.filter] }
        : undefined,
    directory: launch.directory,
    environment: {
      ...launch.environment,
      TMPDIR: '/tmp',
      ...sshVariables,
      ...tunnel?.variables,
    },
  };
  return { launch: inside, mounts, placeholders, seeds, unprotected };
}

/** Bubblewrap itself, or a shell that opens the filter for it. */
function filtered(
  args: readonly string[],
  { program, files: { filter } }: LaunchNeeds,
): Pick<Launch, 'program' | 'args' | 'isSandbox' | 'beginsInShell'> {
  if (filter === null) return { program, args: [...args], isSandbox: true, beginsInShell: false };
  const throughShell = ['-c', withFilter, 'sh', filter, program, ...args];
  return { program: '/bin/sh', args: throughShell, isSandbox: true, beginsInShell: true };
}

/** Takes what is shown of a folder with a stand-in from there. */
function withStandIns(
  mounts: readonly Mount[],
  standIns: readonly StandIn[],
  { workspace: kind }: Pick<Profile, 'workspace'>,
): Mount[] {
  const missing = standIns.filter(({ path }) => !mounts.some((mount) => mount.path === path));
  const all = [...mounts, ...missing.map(({ path }): Mount => ({ kind, path }))];
  return all.map((mount) => {
    const standIn = standIns.find(({ path }) => isInside(mount.path, path));
    const isShown = mount.kind === 'read-only' || mount.kind === 'writable';
    if (!standIn || !isShown || (mount.from ?? mount.path) !== mount.path) return mount;
    return { ...mount, from: join(standIn.from, relative(standIn.path, mount.path)) };
  });
}
