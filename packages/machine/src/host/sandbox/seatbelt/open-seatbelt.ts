import { statSync } from 'node:fs';
import { once } from '../../../base/once.js';
import { runOwnProgram } from '../../processes/launch/child-process.js';
import type { Launch } from '../../processes/processes.js';
import { homeDirectory } from '../../state/state-folder.js';
import { nothingDropped } from '../home/written-in.js';
import { realFileSystem } from '../mounts/file-system.js';
import { rememberToolchains } from '../mounts/toolchains.js';
import { proxyVariables } from '../network/forwarder.js';
import { type HostProxy, startHostProxy } from '../network/host-proxy.js';
import type { Confined, Profile, Sandbox, SandboxOptions, SandboxState } from '../sandbox.js';
import { unconfined } from '../unconfined.js';
import { seatbeltProfile } from './profile-text.js';

const PROGRAM = '/usr/bin/sandbox-exec';
const TRY_LIMIT_MS = 10_000;

/** The sandbox for macOS. Its parts are tested, but it has not been run on a Mac yet; see docs/sandbox.md. */
export async function openSeatbelt(options: SandboxOptions): Promise<Sandbox> {
  const { mode, state, environment } = options;
  const toolchains = rememberToolchains(realFileSystem);
  const probed = once(probe);

  async function confine(launch: Launch, profile: Profile, signal: AbortSignal): Promise<Confined> {
    const found = await probed(signal);
    if (found.program === null) return unconfined(launch, found, mode);
    const hosts = typeof profile.network === 'object' ? profile.network.hosts : null;
    const proxy = hosts ? await startProxy(hosts) : null;
    const home = homeDirectory(environment);
    const temporaryFolder = profile.temporaryFolder ?? (await state.make('stage', 'tmp'));
    const text = seatbeltProfile(withOutside(profile, home), {
      home,
      stateFolder: state.path,
      temporaryFolder,
      toolchains: toolchains({ home, environment: launch.environment }),
      proxyPort: proxy?.port ?? null,
      fileSystem: realFileSystem,
    });
    const homeVariables: Record<string, string> = profile.home === undefined ? {} : { HOME: profile.home };
    return {
      launch: inside(launch, text, {
        TMPDIR: temporaryFolder,
        ...homeVariables,
        ...(proxy?.port ? proxyVariables(proxy.port, hosts ?? []) : {}),
      }),
      confined: true,
      unprotected: [],
      // Seatbelt's rules go by path, whatever is there.
      exposed: () => [],
      // Seatbelt refuses writes outside and the program is told, so nothing is dropped silently.
      dropped: () => nothingDropped,
      refusedHosts: () => proxy?.refused() ?? [],
      release: async () => proxy?.close(),
    };
  }

  function startProxy(hosts: readonly string[]): Promise<HostProxy> {
    return startHostProxy({ listen: { host: '127.0.0.1', port: 0 }, hosts, guard: { environment } });
  }

  return { mode, state: probed, confine };
}

/** Seatbelt's rules go by path, so paths the user agreed to are like any others. */
function withOutside(profile: Profile, home: string): Profile {
  const { outside, readable = [], writable = [] } = profile;
  if (!outside) return profile;
  const reals = (places: typeof outside.read): string[] => places.flatMap(({ path, real }) => [path, real]);
  const agent =
    outside.sshAgent === undefined
      ? []
      : [outside.sshAgent, `${home}/.ssh/known_hosts`, `${home}/.ssh/config`];
  return {
    ...profile,
    readable: [...readable, ...reals(outside.read), ...agent],
    writable: [...writable, ...reals(outside.write)],
  };
}

export function inside(launch: Launch, text: string, variables: Readonly<Record<string, string>>): Launch {
  return {
    program: PROGRAM,
    args: ['-p', text, launch.program, ...launch.args],
    directory: launch.directory,
    environment: { ...launch.environment, ...variables },
  };
}

/** Checks that it lets a program start and keeps it from writing where it may not. */
async function probe(signal: AbortSignal): Promise<SandboxState> {
  const missing = (why: string): SandboxState => ({
    confined: false,
    sentence: `unconfined: ${why}`,
    program: null,
  });
  if (statSync(PROGRAM, { throwIfNoEntry: false })?.isFile() !== true)
    return missing(`${PROGRAM} is not there`);
  const profile: Profile = { workspace: 'read-only', roots: [], network: 'off' };
  const text = seatbeltProfile(profile, {
    home: '/var/empty',
    stateFolder: '/var/empty/state',
    temporaryFolder: '/var/empty/tmp',
    toolchains: [],
    proxyPort: null,
    fileSystem: realFileSystem,
  });
  const works = await succeeds(text, ':', signal);
  const leaks = works && (await succeeds(text, ': > /tmp/toolwright-attempt', signal));
  signal.throwIfAborted();
  if (!works || leaks)
    return missing(`sandbox-exec ${works ? 'does not confine' : 'does not start programs'} here`);
  return { confined: true, sentence: 'confined by sandbox-exec', program: PROGRAM };
}

async function succeeds(text: string, script: string, signal: AbortSignal): Promise<boolean> {
  const { program, args, environment } = inside(
    { program: '/bin/sh', args: ['-c', script], directory: '/', environment: {} },
    text,
    {},
  );
  const { failure } = await runOwnProgram(program, args, { environment, deadlineMs: TRY_LIMIT_MS, signal });
  return failure === null;
}
