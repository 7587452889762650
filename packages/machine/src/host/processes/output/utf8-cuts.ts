/** Drops the beginning of a character whose rest was dropped. */
export function withoutOpenEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return wanted > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Drops the rest of a character whose beginning was dropped. */
export function withoutOpenStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < Math.min(3, bytes.length) && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}

/** Stands between the beginning and the end of output whose middle was not kept. */
export function droppedNotice(bytes: number): string {
  return bytes > 0 ? `\n[… ${bytes} bytes were dropped here …]\n` : '';
}
