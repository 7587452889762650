/** Stands between the beginning and the end of output whose middle was not kept. */
export function droppedNotice(bytes: number): string {
  return bytes > 0 ? `\n[… ${bytes} bytes were dropped here …]\n` : '';
}
