import type { Sandbox, SandboxOptions, SandboxState } from './sandbox.js';
import { unconfined } from './unconfined.js';

/** The sandbox of this operating system, or one that only says there is none. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  if (options.mode === 'off') return withoutSandbox(options, 'the sandbox is switched off');
  const platform = options.platform ?? process.platform;
  if (platform === 'linux') return (await import('./bubblewrap/open-bubblewrap.js')).openBubblewrap(options);
  if (platform === 'darwin') return (await import('./seatbelt/open-seatbelt.js')).openSeatbelt(options);
  return withoutSandbox(options, `there is no sandbox for ${platform}`);
}

function withoutSandbox({ mode }: SandboxOptions, why: string): Sandbox {
  const state: SandboxState = { confined: false, sentence: `unconfined: ${why}`, program: null };
  return { mode, state: async () => state, confine: async (launch) => unconfined(launch, state, mode) };
}
