/** The last bytes of a stream in a fixed amount of memory. */
export interface Ring {
  add(bytes: Uint8Array): void;
  /** A copy, oldest first. */
  bytes(): Buffer;
  clear(): void;
}

export function createRing(capacity: number): Ring {
  let memory: Buffer | undefined;
  let next = 0;
  let held = 0;
  return {
    add(bytes) {
      if (capacity === 0) return;
      memory ??= Buffer.allocUnsafe(capacity);
      const last = bytes.length > capacity ? bytes.subarray(bytes.length - capacity) : bytes;
      const toEnd = capacity - next;
      if (last.length <= toEnd) memory.set(last, next);
      else {
        memory.set(last.subarray(0, toEnd), next);
        memory.set(last.subarray(toEnd), 0);
      }
      next = (next + last.length) % capacity;
      held = Math.min(capacity, held + last.length);
    },
    clear() {
      next = 0;
      held = 0;
    },
    bytes() {
      if (memory === undefined) return Buffer.alloc(0);
      if (held < capacity) return Buffer.from(memory.subarray(0, held));
      return Buffer.concat([memory.subarray(next), memory.subarray(0, next)]);
    },
  };
}
