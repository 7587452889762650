import type { Ended, Launch } from '../../host/processes/processes.js';
import { explainRefusals } from '../../host/sandbox/explain-refusals.js';
import type { Confined, Profile } from '../../host/sandbox/sandbox.js';
import { homeDirectory } from '../../host/state/state-folder.js';
import type { ShellCall } from './call.js';
import { readOutput } from './report.js';

/** The sandbox of one run, and what it had to do with how the run ended. */
export interface Confinement {
  /** Undefined for what runs with the person's own rights. */
  confine?(launch: Launch): Promise<Confined>;
  refusals(ended: Ended, mark: string): string[];
}

export function confinementOf(
  { parts, looked }: ShellCall,
  profile: Profile,
  signal: AbortSignal,
): Confinement {
  if (looked.isOwn) return { refusals: () => [] };
  let confined: Confined | undefined;
  return {
    async confine(launch) {
      confined = await parts.sandbox.confine(launch, profile, signal);
      return confined;
    },
    refusals({ stdout, exitCode, stopped }, mark) {
      if (!confined?.confined || stopped) return [];
      return explainRefusals({
        output: readOutput(stdout, mark).output,
        exitCode,
        profile,
        directory: looked.directory,
        home: homeDirectory(parts.environment),
        refusedHosts: confined.refusedHosts(),
      });
    },
  };
}
