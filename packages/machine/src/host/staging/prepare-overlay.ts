import type { Overlay, OverlayOptions } from './overlay.js';

/** The number of kinds of overlay to try on this system. */
export async function countOverlayKinds(): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const { linuxMountRights } = await import('../platform/linux-overlay.js');
  return linuxMountRights().length;
}

/** One overlay for one command. */
export async function prepareOverlay(options: OverlayOptions): Promise<Overlay> {
  const { prepareLinuxOverlay } = await import('../platform/linux-overlay.js');
  return prepareLinuxOverlay(options);
}
