import { isJsonObject, type JsonObject } from '../../base/json.js';

/** A message as the protocol sends it: its length in a header, then JSON. */
export function toFrame(message: JsonObject): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.byteLength}\r\n\r\n`), body]);
}

export interface FramesOptions {
  onMessage(message: JsonObject): void;
  /** What came is no protocol, or too long: nothing more is read. */
  onBroken(why: string): void;
}

const MOST_HEADER_BYTES = 8 * 1024;
const MOST_BODY_BYTES = 64 * 1024 * 1024;
const HEADER_END = Buffer.from('\r\n\r\n');

/** Puts messages together from the bytes of a stream, however they are cut. */
export function createFrames({ onMessage, onBroken }: FramesOptions): { add(bytes: Buffer): void } {
  let chunks: Buffer[] = [];
  let length = 0;
  /** Bytes without which there is nothing to do: those of a whole message, once its header is known. */
  let needed = 1;
  let isBroken = false;

  function breakOff(why: string): void {
    isBroken = true;
    chunks = [];
    onBroken(why);
  }

  /** Reads one message from the front; false when more bytes must come first. */
  function readOne(): boolean {
    const all = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    chunks = [all];
    const headerEnd = all.indexOf(HEADER_END);
    if (headerEnd === -1) {
      if (all.byteLength > MOST_HEADER_BYTES) breakOff('it wrote something else than messages');
      needed = all.byteLength + 1;
      return false;
    }
    const [, digits] = /^content-length: *(\d+) *$/im.exec(all.toString('latin1', 0, headerEnd)) ?? [];
    if (digits === undefined) {
      breakOff('it wrote something else than messages');
      return false;
    }
    if (Number(digits) > MOST_BODY_BYTES) {
      breakOff('it wrote a message of more than 64 MB');
      return false;
    }
    const bodyStart = headerEnd + HEADER_END.byteLength;
    needed = bodyStart + Number(digits);
    if (all.byteLength < needed) return false;
    const body = all.toString('utf8', bodyStart, needed);
    chunks = [all.subarray(needed)];
    length = all.byteLength - needed;
    needed = 1;
    deliver(body);
    return true;
  }

  function deliver(body: string): void {
    let message: unknown;
    try {
      message = JSON.parse(body);
    } catch {
      breakOff('it wrote a message that is not JSON');
      return;
    }
    if (isJsonObject(message)) onMessage(message);
  }

  return {
    add(bytes) {
      if (isBroken) return;
      chunks.push(bytes);
      length += bytes.byteLength;
      while (!isBroken && length >= needed && readOne());
    },
  };
}
