import { isJsonObject, type JsonObject } from '../../base/json.js';

/** A message as the protocol sends it: its length in a header, then JSON. */
export function toFrame(message: JsonObject): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.byteLength}\r\n\r\n`), body]);
}

export interface FramesOptions {
  onMessage(message: JsonObject): void;
  /** Called when the bytes are no protocol, or a message is too long: nothing more is read. */
  onBroken(why: string): void;
}

const MOST_HEADER_BYTES = 8 * 1024;
const MOST_BODY_BYTES = 64 * 1024 * 1024;
const HEADER_END = Buffer.from('\r\n\r\n');

const NO_MESSAGES = 'it wrote something else than messages';

/** The position of a message's body: undefined while its header is not whole, a sentence where there can be none. */
function bodyIn(bytes: Buffer): { start: number; end: number } | string | undefined {
  const headerEnd = bytes.indexOf(HEADER_END);
  if (headerEnd === -1) return bytes.byteLength > MOST_HEADER_BYTES ? NO_MESSAGES : undefined;
  const [, digits] = /^content-length: *(\d+) *$/im.exec(bytes.toString('latin1', 0, headerEnd)) ?? [];
  if (digits === undefined) return NO_MESSAGES;
  if (Number(digits) > MOST_BODY_BYTES) return 'it wrote a message of more than 64 MB';
  const start = headerEnd + HEADER_END.byteLength;
  return { start, end: start + Number(digits) };
}

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

  function readOne(): void {
    const all = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    chunks = [all];
    const body = bodyIn(all);
    if (typeof body === 'string') {
      breakOff(body);
      return;
    }
    needed = body?.end ?? all.byteLength + 1;
    if (!body || all.byteLength < needed) return;
    chunks = [all.subarray(body.end)];
    length = all.byteLength - body.end;
    needed = 1;
    deliver(all.toString('utf8', body.start, body.end));
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
      while (!isBroken && length >= needed) readOne();
    },
  };
}
