const KEPT_BYTES = 8 * 1024;

export interface Tail {
  add(chunk: Uint8Array): void;
  text(): string;
}

/** The end of a stream of any length. */
export function createTail(limit = KEPT_BYTES): Tail {
  let kept = Buffer.alloc(0);
  let cut = false;
  return {
    add(chunk) {
      const all = chunk.byteLength >= limit ? Buffer.from(chunk) : Buffer.concat([kept, chunk]);
      cut ||= all.byteLength > limit;
      kept = all.byteLength > limit ? Buffer.from(all.subarray(-limit)) : all;
    },
    text() {
      const text = kept.toString('utf8');
      // A tail begins anywhere; its first line is whole only when nothing was cut.
      return cut && text.includes('\n') ? text.slice(text.indexOf('\n') + 1) : text;
    },
  };
}
