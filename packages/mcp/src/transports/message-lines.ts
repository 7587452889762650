import { isJsonObject, type JsonObject, jsonIn } from '@toolwright/machine/base/json.js';

export interface MessageLines {
  /** Gives each whole message and each line that is none; throws `TooLong` when a line has no end. */
  add(chunk: Uint8Array): void;
}

export interface LineListeners {
  onMessage(message: JsonObject): void;
  /** A line that is no JSON-RPC: something printed to the wrong stream. */
  onNoise(line: string): void;
}

export class TooLong extends Error {}

const NEWLINE = 0x0a;

/** Reads a JSON-RPC message per line, with whatever else a program prints between them. */
export function createMessageLines(maxBytes: number, { onMessage, onNoise }: LineListeners): MessageLines {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;

  function take(line: Buffer): void {
    const text = line.toString('utf8').trim();
    if (text === '') return;
    const messages = messagesIn(text);
    if (messages === null) onNoise(text);
    else for (const message of messages) onMessage(message);
  }

  return {
    add(chunk) {
      let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
        const line = rest.subarray(0, end);
        const whole = pending.length === 0 ? line : Buffer.concat([...pending, line]);
        pending = [];
        pendingBytes = 0;
        rest = rest.subarray(end + 1);
        take(whole);
      }
      if (rest.length === 0) return;
      pending.push(Buffer.from(rest));
      pendingBytes += rest.length;
      if (pendingBytes > maxBytes) throw new TooLong(`more than ${maxBytes} bytes without an end of line`);
    },
  };
}

/** Null when the line is no message. An older revision allowed several in a list. */
function messagesIn(text: string): JsonObject[] | null {
  const value = jsonIn(text);
  const list = Array.isArray(value) ? value : [value];
  return list.every(isMessage) ? list : null;
}

function isMessage(value: unknown): value is JsonObject {
  return isJsonObject(value) && value['jsonrpc'] === '2.0' && ('method' in value || 'id' in value);
}
