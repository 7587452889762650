import type { Overlay, OverlayOptions } from './overlay.js';

/** The number of ways to an overlay that are known on this system. */
export async function waysToOverlay(): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const { waysOfLinux } = await import('../platform/linux-overlay.js');
  return waysOfLinux().length;
}

/** One overlay for one command. */
export async function prepareOverlay(options: OverlayOptions): Promise<Overlay> {
  const { prepareLinuxOverlay } = await import('../platform/linux-overlay.js');
  return prepareLinuxOverlay(options);
}
