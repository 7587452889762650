import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';

export interface DecodedPage {
  text: string;
  charset: string;
}

const SLICE = 256 * 1024;
/** A page names its encoding within these bytes; the standard says 1,024, pages say otherwise. */
const HEAD_BYTES = 4096;
const SAMPLE_BYTES = 64 * 1024;

/** Node decodes these 32 bytes of windows-1252 as control characters. */
const windows1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/**
 * The text of a page. A byte order mark decides its encoding, then the header, then the page's own words, then its
 * bytes.
 */
export async function decodePage(bytes: Uint8Array, contentType = ''): Promise<DecodedPage> {
  const declared = markedCharset(bytes) ?? headerCharset(contentType) ?? ownCharset(bytes);
  const charset = knownCharset(declared) ?? (await guessedCharset(bytes));
  return { text: await decodeSlices(bytes, charset), charset };
}

export function headerCharset(contentType: string): string | null {
  return /;\s*charset\s*=\s*["']?\s*([^\s"';,]+)/i.exec(contentType)?.[1] ?? null;
}

function markedCharset(bytes: Uint8Array): string | null {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return null;
}

/** The charset named by a meta element or an XML declaration. */
function ownCharset(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, HEAD_BYTES))
    .toString('latin1')
    .replace(/<!--.*?-->/gs, '');
  const found =
    /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']\s*([\w.:-]+)/i.exec(head)?.[1] ??
    /<meta\s[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1];
  // If the page really were in UTF-16, this declaration could not have been found.
  return found && /^utf-?16/i.test(found) ? 'utf-8' : (found ?? null);
}

function knownCharset(label: string | null): string | null {
  if (label === null) return null;
  if (/^x-user-defined$/i.test(label)) return 'windows-1252';
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

async function guessedCharset(bytes: Uint8Array): Promise<string> {
  if (isUtf8(bytes)) return 'utf-8';
  const { guessEncoding } = await import('@toolwright/machine/base/encodings/legacy-detection.js');
  return knownCharset(await guessEncoding(bytes.subarray(0, SAMPLE_BYTES))) ?? 'windows-1252';
}

async function decodeSlices(bytes: Uint8Array, charset: string): Promise<string> {
  const decoder = new TextDecoder(charset);
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; start += SLICE) {
    const piece = decoder.decode(bytes.subarray(start, start + SLICE), { stream: true });
    pieces.push(charset === 'windows-1252' ? repaired(piece) : piece);
    if (bytes.length > SLICE) await setImmediate();
  }
  pieces.push(decoder.decode());
  return pieces.join('');
}

function repaired(text: string): string {
  return text.replace(/[\u0080-\u009f]/g, (control) => windows1252[control.charCodeAt(0) - 0x80] ?? control);
}
