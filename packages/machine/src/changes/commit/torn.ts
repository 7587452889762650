/**
 * True when `found` can be what a crash left of overwriting `before` by `after` in place: at every position a
 * byte of one of the two, and no longer than the longer one. Holds after any number of crashes, whatever the
 * order in which the system wrote the pages.
 */
export function isTorn(found: Uint8Array, before: Uint8Array, after: Uint8Array): boolean {
  if (found.length < Math.min(before.length, after.length)) return false;
  if (found.length > Math.max(before.length, after.length)) return false;
  return found.every((byte, index) => byte === before[index] || byte === after[index]);
}
