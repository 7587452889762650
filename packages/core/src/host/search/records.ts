export interface RecordOptions {
  /** The byte that ends a record. */
  separator: number;
  /** A longer record is not kept: only its beginning is handed over. */
  maxBytes: number;
  onRecord(record: Buffer): boolean | undefined;
  onLongRecord?(beginning: Buffer, length: number): boolean | undefined;
}

const KEPT_BEGINNING = 8 * 1024;

/**
 * Cuts a stream of chunks into records with bounded memory. The returned function takes chunk after chunk, then
 * null for the end; it answers false once nothing more is wanted. A record is valid only during its call.
 */
export function splitRecords(options: RecordOptions): (chunk: Buffer | null) => boolean {
  const { separator, maxBytes } = options;
  let parts: Buffer[] = [];
  let length = 0;

  const keep = (piece: Buffer): void => {
    length += piece.length;
    parts.push(Buffer.from(piece));
    if (length > maxBytes) parts = [Buffer.concat(parts).subarray(0, KEPT_BEGINNING)];
  };
  const hand = (piece: Buffer): boolean => {
    if (length === 0 && piece.length <= maxBytes) return options.onRecord(piece) !== false;
    keep(piece);
    const whole = Buffer.concat(parts);
    const total = length;
    parts = [];
    length = 0;
    if (total <= maxBytes) return options.onRecord(whole) !== false;
    return options.onLongRecord?.(whole, total) !== false;
  };

  return (chunk) => {
    if (chunk === null) return length === 0 || hand(Buffer.alloc(0));
    let from = 0;
    for (let at = chunk.indexOf(separator); at !== -1; at = chunk.indexOf(separator, from)) {
      if (!hand(chunk.subarray(from, at))) return false;
      from = at + 1;
    }
    if (from < chunk.length) keep(chunk.subarray(from));
    return true;
  };
}
