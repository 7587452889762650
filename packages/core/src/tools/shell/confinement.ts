import type { SandboxUse } from '@toolwright/machine/changes/staged-run/staged-run.js';
import type { Ended } from '@toolwright/machine/host/processes/processes.js';
import { explainRefusals } from '@toolwright/machine/host/sandbox/explain-refusals.js';
import type { Confined, Profile } from '@toolwright/machine/host/sandbox/sandbox.js';
import { isNearlyFull, type SpaceWatch, watchSpace } from '@toolwright/machine/host/staging/space.js';
import { homeDirectory } from '@toolwright/machine/host/state/state-folder.js';
import type { ShellAnalysis } from '@toolwright/machine/shell/analysis.js';
import { networkFor } from '../programs/run-confined.js';
import type { ShellCall } from './call.js';
import { checkOutside } from './outside/resolve-outside.js';
import { droppedSentences } from './outside/words.js';
import { readOutput } from './report.js';

/** The sandbox of a command; undefined for one that runs with the user's own rights. */
export function confinementOf({ needs, facts }: ShellCall, profile: Profile): SandboxUse | undefined {
  return facts.isOwn ? undefined : { sandbox: needs.sandbox, profile };
}

/** A run that has ended, and how it was confined. */
export interface ConfinedRun {
  profile: Profile;
  confined: Confined | null;
  ended: Ended;
  /** Start of the line that holds the exit codes along the pipeline. */
  mark: string;
}

/** Sentences about what the sandbox refused. */
export function refusalSentences(
  { needs, facts }: ShellCall,
  { profile, confined, ended: { stdout, exitCode, stopped }, mark }: ConfinedRun,
): string[] {
  if (!confined?.confined || stopped) return [];
  const { network } = facts.analysis;
  // The output, which may be megabytes, is read again only where it can explain something.
  const isRead = exitCode !== 0 || network.length > 0;
  const { output, statuses } = isRead ? readOutput(stdout, mark) : { output: '', statuses: null };
  const explained = explainRefusals({
    output,
    exitCode,
    profile,
    directory: facts.directory,
    home: homeDirectory(needs.environment),
    refusedHosts: confined.refusedHosts(),
  });
  if (profile.network !== 'off' || explained.some((sentence) => sentence.includes('the network')))
    return explained;
  const hasFailed = exitCode !== 0 || (statuses?.some((status) => status !== 0) ?? false);
  const sentence = withoutNetworkSentence(facts.analysis, hasFailed);
  return sentence === null ? explained : [...explained, sentence];
}

/** Sentences about files that a command wrote where they do not last. */
export function dropSentences(
  { needs }: ShellCall,
  confined: Confined | null,
  reader?: 'model' | 'user',
): string[] {
  return confined ? droppedSentences(confined.dropped(), homeDirectory(needs.environment), reader) : [];
}

const DISK_FULL =
  'stopped because the disk that holds its /tmp was nearly full: make room, or let it write less there';

/**
 * Watches the disk of /tmp, which even a command that may change nothing can fill. A disk that is full already stops
 * nothing: the command may be looking for the reason.
 */
export function watchTemporary({ temporaryFolder }: Pick<Profile, 'temporaryFolder'>): SpaceWatch {
  if (temporaryFolder === undefined || isNearlyFull(temporaryFolder))
    return { signal: new AbortController().signal, stop: () => undefined };
  return watchSpace(temporaryFolder, DISK_FULL);
}

const loopback = /^(?:localhost|127\.[\d.]+|0\.0\.0\.0|::1)$/;

/**
 * The sentence about a command that reaches for the network and ran without it: always where it names a host, for
 * `curl -s` and `|| true` hide the failure, else when it failed. Null when there is nothing to say.
 */
export function withoutNetworkSentence(
  { network }: Pick<ShellAnalysis, 'network'>,
  hasFailed: boolean,
): string | null {
  const named = network.map((each) => /^(.*?)(?: \(([^()]+)\))?$/.exec(each) ?? []);
  const hosts = [
    ...new Set(named.flatMap(([, , host]) => (host === undefined || loopback.test(host) ? [] : [host]))),
  ];
  if (network.length === 0 || (hosts.length === 0 && !hasFailed)) return null;
  const programs = [...new Set(named.map(([, program = '']) => program))].join(', ');
  const how = hosts.length === 0 ? '' : `outside: ${JSON.stringify({ hosts })}, or for any host with `;
  return `this command ran without network, so ${programs} reached nothing outside of it. If it must, call again with ${how}network: true; the user is asked`;
}

/** The profile of the sandbox for one command: what it sees of the world. */
export async function profileOf(
  { params, facts, host, needs }: ShellCall,
  workspace: Profile['workspace'],
  signal: AbortSignal,
): Promise<Profile> {
  const writable = host.workspace.roots.filter(({ access }) => access === 'write');
  const readable = host.workspace.roots.filter(({ access }) => access === 'read');
  const { places, hosts } = facts.outside;
  checkOutside(places);
  const named = [...facts.analysis.reads, ...[...places.read, ...places.write].map(({ real }) => real)];
  const hidden = await needs.hiddenPaths(named, signal);
  if (workspace === 'writable' && !facts.sandbox.confined) needs.permission.ranUnconfined();
  return {
    workspace,
    roots: writable.map(({ path }) => path),
    // The user was asked about secret places that the command names before it runs.
    readable: [
      ...readable.map(({ path }) => path),
      ...facts.analysis.reads.filter((path) => needs.permission.secretReason(path) !== null),
    ],
    temporaryFolder: await needs.temporaryFolder(),
    hidden,
    outside: facts.outside.effects.length > 0 ? places : undefined,
    network: networkFor(needs, { isWanted: params.network, hosts }),
  };
}
