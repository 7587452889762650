import type { ProcessTable, TerminalWaits } from './process-table.js';

/** Null where processes can't be listed; then only their group is known. */
export async function openProcessTable(
  platform: NodeJS.Platform = process.platform,
): Promise<ProcessTable | null> {
  if (platform === 'linux') return (await import('./linux-process-table.js')).linuxProcessTable();
  if (platform === 'darwin') return (await import('./darwin-process-table.js')).darwinProcessTable();
  return null;
}

/** Null where a sleeping process does not show what it sleeps on. */
export async function openTerminalWaits(
  platform: NodeJS.Platform = process.platform,
): Promise<TerminalWaits | null> {
  if (platform !== 'linux') return null;
  return (await import('./linux-terminal-wait.js')).linuxTerminalWaits;
}
