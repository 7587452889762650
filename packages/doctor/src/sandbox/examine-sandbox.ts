import { placesToProtect } from '@toolwright/core/front-end';
import { createSandbox } from '@toolwright/machine/host/sandbox/create-sandbox.js';
import type { SandboxMode } from '@toolwright/machine/host/sandbox/sandbox.js';
import { type Environment, openStateFolder } from '@toolwright/machine/host/state/state-folder.js';
import type { SandboxCheckResult } from './run-sandbox-checks.js';

/** The guarantees of the sandbox on this machine, as examined. */
export interface SandboxExamination {
  confined: boolean;
  sentence: string;
  guarantees: SandboxGuarantee[];
}

/** `holds` is null for a guarantee that could not be tried. */
export interface SandboxGuarantee {
  guarantee: string;
  holds: boolean | null;
  /** The attempts to break it, with the outcome of those that succeeded or could not be made. */
  tried: string;
}

/** The options of an examination. */
export interface ExamineOptions {
  mode: SandboxMode;
  environment: Environment;
  stateFolder: string;
  signal: AbortSignal;
}

/** Tries from inside which guarantees of the sandbox hold on this machine. */
export async function examineSandbox(options: ExamineOptions): Promise<SandboxExamination> {
  const { mode, environment, signal } = options;
  const state = openStateFolder(options.stateFolder);
  const sandbox = createSandbox({ mode, environment, state });
  const { confined, sentence } = await sandbox.state(signal);
  if (!confined) return { confined, sentence, guarantees: [] };
  const { runSandboxChecks } = await import('./run-sandbox-checks.js');
  const results = await runSandboxChecks({
    sandbox,
    state,
    environment,
    signal,
    protects: (root) => placesToProtect({ roots: [root] }),
  });
  const names = [...new Set(results.map(({ guarantee }) => guarantee))];
  const guarantees = names.map((name) =>
    summed(
      name,
      results.filter(({ guarantee }) => guarantee === name),
    ),
  );
  return { confined, sentence, guarantees };
}

function summed(guarantee: string, results: readonly SandboxCheckResult[]): SandboxGuarantee {
  const broken = results.filter(({ result }) => result === 'broken');
  const tried = results.filter(({ result }) => result !== 'not tried');
  const telling = broken.length > 0 ? broken : tried.length > 0 ? tried : results;
  return {
    guarantee,
    holds: tried.length === 0 ? null : broken.length === 0,
    tried: telling
      .map(({ attempt, result, detail }) => (result === 'holds' ? attempt : `${attempt}: ${detail}`))
      .join('; '),
  };
}
