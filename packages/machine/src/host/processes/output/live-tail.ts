import { StringDecoder } from 'node:string_decoder';
import { steadyNow } from '../../deadline.js';
import { createRing } from './ring.js';
import { withoutOpenStart } from './utf8-cuts.js';

/** The part of a stream that a watching user sees: all of a slow one, and of a flood the latest lines twenty times a second. */
export interface LiveTail {
  add(bytes: Uint8Array): void;
  /** Tells what is still to be told. */
  end(): void;
}

const INTERVAL_MS = 50;
/** A size above what fits on a screen, twenty times a second. */
const MOST_BYTES = 16 * 1024;
const LEFT_OUT = '…\n';

/** Bytes stay bytes until they are told: of a flood nearly all are never decoded. */
export function createLiveTail(tell: (text: string) => void): LiveTail {
  const latest = createRing(MOST_BYTES);
  let decoder = new StringDecoder('utf8');
  let fresh = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;

  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    toldAt = steadyNow();
    if (fresh === 0) return;
    const bytes = latest.bytes();
    const isCut = fresh > bytes.length;
    fresh = 0;
    latest.clear();
    if (isCut) decoder = new StringDecoder('utf8');
    const text = decoder.write(isCut ? fromALine(bytes) : bytes);
    if (text !== '') tell(isCut ? LEFT_OUT + text : text);
  };

  return {
    add(bytes) {
      latest.add(bytes);
      fresh += bytes.length;
      if (timer !== null) return;
      const wait = toldAt + INTERVAL_MS - steadyNow();
      if (wait <= 0) flush();
      else timer = setTimeout(flush, wait);
    },
    end() {
      flush();
      const rest = decoder.end();
      if (rest !== '') tell(rest);
    },
  };
}

/** Skips to the first whole line, or at least to a whole character, where bytes before these were left out. */
function fromALine(bytes: Buffer): Buffer {
  const lineEnd = bytes.indexOf(0x0a);
  return lineEnd === -1 || lineEnd === bytes.length - 1
    ? withoutOpenStart(bytes)
    : bytes.subarray(lineEnd + 1);
}
