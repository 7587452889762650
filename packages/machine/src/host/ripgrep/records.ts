import { isUtf8 } from 'node:buffer';

export interface RecordOptions {
  /** The character that ends a record. */
  separator: '\n' | '\0';
  /** The most bytes of a record; only the beginning of a longer one is passed on. */
  maxBytes: number;
  /** Bytes that are not UTF-8 are written as `\xNN`. */
  onRecord(record: string): boolean | undefined;
  onLongRecord?(beginning: string, bytes: number): boolean | undefined;
}

const KEPT_BEGINNING = 8 * 1024;

/**
 * Cuts a stream of chunks into records with bounded memory. The returned function takes chunk after chunk, then null
 * for the end; it returns false once no more is wanted. A chunk is decoded as a whole, several times faster than
 * record by record.
 */
export function splitRecords(options: RecordOptions): (chunk: Buffer | null) => boolean {
  const { separator, maxBytes, onRecord } = options;
  const separatorByte = separator.charCodeAt(0);
  let parts: Buffer[] = [];
  let length = 0;

  const keep = (piece: Buffer): void => {
    length += piece.length;
    parts.push(piece);
    if (length > maxBytes) parts = [Buffer.from(Buffer.concat(parts).subarray(0, KEPT_BEGINNING))];
  };
  const handKept = (): boolean => {
    const [whole, bytes] = [decode(Buffer.concat(parts)), length];
    parts = [];
    length = 0;
    return (bytes > maxBytes ? options.onLongRecord?.(whole, bytes) : onRecord(whole)) !== false;
  };
  const handAll = (bytes: Buffer): boolean => {
    for (const record of decodeAll(bytes, separator)) {
      const isLong = record.length > maxBytes;
      const wanted = isLong
        ? options.onLongRecord?.(record.slice(0, KEPT_BEGINNING), record.length)
        : onRecord(record);
      if (wanted === false) return false;
    }
    return true;
  };

  return (chunk) => {
    if (chunk === null) return length === 0 || handKept();
    const last = chunk.lastIndexOf(separatorByte);
    let from = 0;
    if (last !== -1 && length > 0) {
      from = chunk.indexOf(separatorByte) + 1;
      keep(chunk.subarray(0, from - 1));
      if (!handKept()) return false;
    }
    if (last >= from && !handAll(chunk.subarray(from, last))) return false;
    if (last + 1 < chunk.length) keep(chunk.subarray(last + 1));
    return true;
  };
}

function decodeAll(bytes: Buffer, separator: string): string[] {
  if (isUtf8(bytes)) return bytes.toString('utf8').split(separator);
  const records = bytes.toString('latin1').split(separator);
  return records.map((record) => decode(Buffer.from(record, 'latin1')));
}

/** Decodes UTF-8; invalid bytes become `\xNN`. */
export function decode(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const size = [1, 2, 3, 4].find(
      (length) => at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)),
    );
    text += size ? bytes.toString('utf8', at, at + size) : `\\x${bytes[at]!.toString(16).padStart(2, '0')}`;
    at += size ?? 1;
  }
  return text;
}
