import { placesToProtect } from '@toolwright/core';
import { createSandbox } from '@toolwright/machine/host/sandbox/create-sandbox.js';
import type { SandboxMode } from '@toolwright/machine/host/sandbox/sandbox.js';
import { type Environment, openStateFolder } from '@toolwright/machine/host/state/state-folder.js';

export interface SandboxExamination {
  confined: boolean;
  sentence: string;
  promises: { promise: string; holds: boolean | null; tried: string }[];
}

export interface ExamineOptions {
  mode: SandboxMode;
  environment: Environment;
  stateFolder: string;
  signal: AbortSignal;
}

/** What holds on this machine, each promise tried from inside; `holds` is null for one that could not be tried. */
export async function examineSandbox(options: ExamineOptions): Promise<SandboxExamination> {
  const { mode, environment, signal } = options;
  const state = openStateFolder(options.stateFolder);
  const sandbox = createSandbox({ mode, environment, state });
  const { confined, sentence } = await sandbox.state(signal);
  if (!confined) return { confined, sentence, promises: [] };
  const { tryPromises } = await import('./try-promises.js');
  const rows = await tryPromises({
    sandbox,
    state,
    environment,
    signal,
    protects: (root) => placesToProtect({ roots: [root] }),
  });
  const names = [...new Set(rows.map(({ promise }) => promise))];
  const promises = names.map((promise) => {
    const own = rows.filter((row) => row.promise === promise);
    const broken = own.filter(({ result }) => result === 'broken');
    const tried = own.filter(({ result }) => result !== 'not tried');
    const shown = broken.length > 0 ? broken : tried.length > 0 ? tried : own;
    return {
      promise,
      holds: broken.length > 0 ? false : tried.length > 0 ? true : null,
      tried: shown
        .map(({ attempt, result, detail }) => (result === 'holds' ? attempt : `${attempt}: ${detail}`))
        .join('; '),
    };
  });
  return { confined, sentence, promises };
}
