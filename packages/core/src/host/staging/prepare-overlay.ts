import type { Overlay, OverlayOptions } from './overlay.js';

/** One overlay for one command; null when there are not that many ways on this system. */
export async function prepareOverlay(options: OverlayOptions): Promise<Overlay | null> {
  if (process.platform !== 'linux') return null;
  const { prepareLinuxOverlay } = await import('../platform/linux-overlay.js');
  return prepareLinuxOverlay(options);
}
