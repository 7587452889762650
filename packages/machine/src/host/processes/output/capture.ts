import { isAscii, isUtf8 } from 'node:buffer';
import type { CapturedOutput } from '../processes.js';
import { createRing } from './ring.js';
import { droppedNotice, withoutOpenEnd, withoutOpenStart } from './utf8-cuts.js';

/** Keeps the beginning and the end of a stream, whatever its length. */
export interface Capture {
  add(bytes: Uint8Array): void;
  totalBytes(): number;
  /** The bytes that are kept, with a line for those that are not. */
  kept(): Buffer;
  captured(): Promise<CapturedOutput>;
}

const FIRST_BYTES = 4096;
/** Few steps to the limit: each copies all there is, and memory that nobody wrote to costs nothing. */
const GROWTH = 8;
/** The share of control bytes above which it is not text; separators between names stay below. */
const MAX_CONTROL_SHARE = 0.1;
/** Enough of the beginning and of the end to tell text from other things. */
const SAMPLE_BYTES = 16 * 1024;

export function createCapture({ headBytes, tailBytes }: { headBytes: number; tailBytes: number }): Capture {
  let head = Buffer.alloc(0);
  let headLength = 0;
  const tail = createRing(tailBytes);
  let total = 0;

  function keepBeginning(bytes: Uint8Array): void {
    if (headLength + bytes.length > head.length) {
      const wanted = Math.max(FIRST_BYTES, head.length * GROWTH, headLength + bytes.length);
      const larger = Buffer.allocUnsafe(Math.min(wanted, headBytes));
      larger.set(head.subarray(0, headLength));
      head = larger;
    }
    head.set(bytes, headLength);
    headLength += bytes.length;
  }

  return {
    add(bytes) {
      total += bytes.length;
      const toHead = Math.min(headBytes - headLength, bytes.length);
      if (toHead > 0) keepBeginning(bytes.subarray(0, toHead));
      if (toHead < bytes.length) tail.add(bytes.subarray(toHead));
    },
    totalBytes: () => total,
    kept() {
      const [first, last] = [head.subarray(0, headLength), tail.bytes()];
      return Buffer.concat([first, Buffer.from(droppedNotice(total - first.length - last.length)), last]);
    },
    captured: () => decode(head.subarray(0, headLength), tail.bytes(), total),
  };
}

async function decode(head: Buffer, tail: Buffer, totalBytes: number): Promise<CapturedOutput> {
  const isWhole = head.length + tail.length === totalBytes;
  const [first, last] = isWhole ? [Buffer.concat([head, tail]), Buffer.alloc(0)] : [head, tail];
  const [firstWhole, lastWhole] = isWhole ? [first, last] : [withoutOpenEnd(first), withoutOpenStart(last)];
  const beginning = first.subarray(0, SAMPLE_BYTES);
  const end = (isWhole ? first.subarray(SAMPLE_BYTES) : last).subarray(-SAMPLE_BYTES);
  const isBinary = controlShare(beginning, end) > MAX_CONTROL_SHARE;
  if (isBinary || (isUtf8(firstWhole) && isUtf8(lastWhole))) {
    const omittedBytes = totalBytes - firstWhole.length - lastWhole.length;
    const text = { head: textOf(firstWhole), tail: textOf(lastWhole) };
    return { ...text, totalBytes, omittedBytes, isBinary, encoding: 'utf-8' };
  }
  return {
    ...(await decodeLegacy(first, last)),
    totalBytes,
    omittedBytes: totalBytes - first.length - last.length,
  };
}

/** Megabytes of ASCII become a string outside the heap of V8, which then need not be collected because of it. */
function textOf(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}

type Text = Pick<CapturedOutput, 'head' | 'tail' | 'isBinary' | 'encoding'>;

async function decodeLegacy(head: Buffer, tail: Buffer): Promise<Text> {
  const { decodeText } = await import('../../../base/text-codec.js');
  const first = await decodeText(head);
  const second = first && tail.length > 0 ? await decodeText(tail, { legacy: first.encoding }) : null;
  const isBinary = first === null || (tail.length > 0 && second === null);
  return {
    head: first?.text ?? head.toString(),
    tail: second?.text ?? tail.toString(),
    isBinary,
    encoding: isBinary ? 'utf-8' : first.encoding,
  };
}

function controlShare(...parts: Buffer[]): number {
  let controls = 0;
  let length = 0;
  for (const bytes of parts) {
    length += bytes.length;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      // Bell, backspace, tab, line feed, vertical tab, form feed, carriage return and escape belong to terminal text.
      if (byte < 32 && !(byte >= 7 && byte <= 13) && byte !== 27) controls++;
    }
  }
  return length === 0 ? 0 : controls / length;
}
