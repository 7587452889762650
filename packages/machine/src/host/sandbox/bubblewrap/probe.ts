import { statSync } from 'node:fs';
import { release } from 'node:os';
import { dirname } from 'node:path';
import { orNull } from '../../../base/errors.js';
import { isJsonObject } from '../../../base/json.js';
import { bootId } from '../../leases/lease.js';
import { runOwnProgram } from '../../processes/launch/child-process.js';
import type { Launch } from '../../processes/processes.js';
import { readOwnFile } from '../../state/read-file.js';
import { replaceFile } from '../../state/replace-file.js';
import type { StateFolder } from '../../state/state-folder.js';
import type { Profile, SandboxOptions, SandboxState } from '../sandbox.js';
import type { BubblewrapFeatures } from './arguments.js';
import { launchInside } from './launch.js';
import type { OwnFiles } from './own-files.js';

export interface Probe {
  state: SandboxState;
  features: BubblewrapFeatures;
}

interface ProbeNeeds {
  options: Pick<SandboxOptions, 'state' | 'environment'>;
  files(): Promise<OwnFiles>;
}

const TRY_LIMIT_MS = 10_000;
/** Raise when arguments change so that an older result no longer holds. */
const ANSWER = 1;

/**
 * Finds out whether a sandbox starts here. A success is remembered until the machine reboots or the program or user
 * changes.
 */
export async function probeBubblewrap(needs: ProbeNeeds, signal: AbortSignal): Promise<Probe> {
  const program = findBubblewrap();
  if (program === null)
    return unconfined(`bubblewrap is not installed (looked for ${systemPrograms.join(', ')})`);
  const key = JSON.stringify([
    ANSWER,
    program,
    await bootId(),
    release(),
    process.getuid?.(),
    process.getgid?.(),
  ]);
  const remembered = await recall(needs.options.state, key);
  if (remembered !== null) return remembered;
  const probe = await tryProgram(program, needs, signal);
  // A failure may be gone in a minute: the user was just told how to fix it.
  if (probe.state.confined) await remember(needs.options.state, key, probe);
  return probe;
}

function unconfined(why: string): Probe {
  return {
    state: { confined: false, sentence: `unconfined: ${why}`, program: null },
    features: { disablesUserNamespaces: false },
  };
}

async function tryProgram(
  program: BubblewrapProgram,
  needs: ProbeNeeds,
  signal: AbortSignal,
): Promise<Probe> {
  const version = await bubblewrapVersion(program.path, signal);
  const name = `bubblewrap ${version ?? '(unknown version)'}`;
  const files = await needs.files();
  const canDisable = version !== null && isAtLeast(version, '0.8');
  let problem = '';
  for (const disablesUserNamespaces of canDisable ? [true, false] : [false]) {
    // Further user namespaces must be forbidden by the program or by the filter.
    if (!disablesUserNamespaces && files.filter === null) continue;
    const features = { disablesUserNamespaces };
    const launch = { program: '/bin/sh', args: ['-c', ':'], directory: '/', environment: {} };
    const { options } = needs;
    const inside = launchInside(launch, tried, {
      program: program.path,
      features,
      files,
      tunnel: null,
      toolchains: () => [],
      options,
    });
    const failure = await failureOf(inside.launch, signal);
    if (failure === null)
      return { state: { confined: true, sentence: `confined by ${name}`, program: program.path }, features };
    problem ||= failure;
  }
  return unconfined(`${name} does not work here: ${problem}${remedyFor(problem)}`);
}

const tried: Profile = { workspace: 'writable', roots: [], network: 'off' };

async function failureOf(
  { program, args, directory, environment }: Launch,
  signal: AbortSignal,
): Promise<string | null> {
  const options = { directory, environment, deadlineMs: TRY_LIMIT_MS, signal };
  const { failure, stderr } = await runOwnProgram(program, args, options);
  signal.throwIfAborted();
  return failure && (stderr.trim().split('\n')[0] || failure.message.split('\n')[0] || 'it failed');
}

function remedyFor(problem: string): string {
  if (/uid map|namespace|clone|unshare|No permissions/i.test(problem))
    return '. User namespaces are not allowed for this user; see kernel.apparmor_restrict_unprivileged_userns, kernel.unprivileged_userns_clone and user.max_user_namespaces, or the settings of the container';
  if (/mount proc/i.test(problem))
    return '. The container hides needs of /proc; start it with an unmasked /proc';
  return '';
}

async function recall(state: StateFolder, key: string): Promise<Probe | null> {
  const bytes = await readOwnFile(state.path, 'cache', 'sandbox.json');
  try {
    const saved: unknown = JSON.parse(bytes?.toString() ?? '');
    if (!isJsonObject(saved) || saved['v'] !== 1 || saved['key'] !== key) return null;
    const { sentence, program, disablesUserNamespaces } = saved;
    if (typeof sentence !== 'string' || typeof program !== 'string') return null;
    return {
      state: { confined: true, sentence, program },
      features: { disablesUserNamespaces: disablesUserNamespaces === true },
    };
  } catch {
    return null;
  }
}

async function remember(state: StateFolder, key: string, { state: found, features }: Probe): Promise<void> {
  await state.make('cache');
  const saved = { v: 1, key, sentence: found.sentence, program: found.program, ...features };
  await replaceFile(state.pathOf('cache', 'sandbox.json'), `${JSON.stringify(saved)}\n`);
}

interface BubblewrapProgram {
  path: string;
  /** Changes when the file is replaced. */
  stamp: string;
}

/** Paths that only the system's owner can write. */
export const systemPrograms = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap'];

/** Finds bubblewrap where neither a workspace nor PATH can have put another program. */
export function findBubblewrap(candidates: readonly string[] = systemPrograms): BubblewrapProgram | null {
  for (const path of candidates) {
    const file = belongsToSystem(path);
    if (file?.isFile() && belongsToSystem(dirname(path)) !== null)
      return { path, stamp: `${file.size}-${file.mtimeMs}-${file.ino}` };
  }
  return null;
}

function belongsToSystem(path: string) {
  const found = orNull(() => statSync(path));
  return found?.uid === 0 && (found.mode & 0o022) === 0 ? found : null;
}

const VERSION_LIMIT_MS = 5000;

/** The version, such as `0.8.0`; null if it can't be told. */
export async function bubblewrapVersion(path: string, signal: AbortSignal): Promise<string | null> {
  const { stdout } = await runOwnProgram(path, ['--version'], { deadlineMs: VERSION_LIMIT_MS, signal });
  signal.throwIfAborted();
  return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? null;
}

export function isAtLeast(version: string, wanted: string): boolean {
  const [have, need] = [version, wanted].map((each) => each.split('.').map(Number));
  for (const [index, number] of (need ?? []).entries()) {
    const own = have?.[index] ?? 0;
    if (own !== number) return own > number;
  }
  return true;
}
