import type { Ended, Launch } from '@toolwright/machine/host/processes/processes.js';
import { explainRefusals } from '@toolwright/machine/host/sandbox/explain-refusals.js';
import type { Confined, Profile } from '@toolwright/machine/host/sandbox/sandbox.js';
import { isNearlyFull, type SpaceWatch, watchSpace } from '@toolwright/machine/host/staging/space.js';
import { homeDirectory } from '@toolwright/machine/host/state/state-folder.js';
import type { ShellCall } from './call.js';
import { droppedSentences } from './outside/dropped-words.js';
import { withoutNetworkSentence } from './outside/network-words.js';
import { readOutput } from './report.js';

/** The sandbox of one run, and the sentences about its part in how the run ended. */
export interface RunConfinement {
  /** Undefined for a command that runs with the user's own rights. */
  confine?(launch: Launch): Promise<Confined>;
  /** Sentences about what the sandbox refused. */
  refusals(ended: Ended, mark: string): string[];
  /** Sentences about files that were written where they do not last; known once the run has ended. */
  dropped(reader?: 'model' | 'user'): string[];
}

export function confinementOf(
  { needs, facts }: ShellCall,
  profile: Profile,
  signal: AbortSignal,
): RunConfinement {
  if (facts.isOwn) return { refusals: () => [], dropped: () => [] };
  const home = homeDirectory(needs.environment);
  let confined: Confined | undefined;
  return {
    async confine(launch) {
      confined = await needs.sandbox.confine(launch, profile, signal);
      return confined;
    },
    refusals({ stdout, exitCode, stopped }, mark) {
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
        home,
        refusedHosts: confined.refusedHosts(),
      });
      if (profile.network !== 'off' || explained.some((sentence) => sentence.includes('the network')))
        return explained;
      const hasFailed = exitCode !== 0 || (statuses?.some((status) => status !== 0) ?? false);
      const sentence = withoutNetworkSentence(facts.analysis, hasFailed);
      return sentence === null ? explained : [...explained, sentence];
    },
    dropped: (reader) => (confined ? droppedSentences(confined.dropped(), home, reader) : []),
  };
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
