/** Node keeps longer strings that it decodes outside the heap of V8. */
const LEAST_OUTSIDE = 1024 * 1024;

/** Joins texts. Megabytes of ASCII are joined outside the heap of V8, which need not be collected because of them. */
export function joinText(parts: readonly string[]): string {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length < LEAST_OUTSIDE || !parts.every(isAscii)) return parts.join('');
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const part of parts) at += bytes.write(part, at, 'latin1');
  return bytes.toString('latin1');
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
