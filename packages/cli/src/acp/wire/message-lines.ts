/** Cuts what an editor writes into its messages: one JSON text on each line. */
export interface MessageLines {
  add(chunk: Uint8Array): void;
  /** No more will come; a last line needs no line end. */
  end(): void;
}

export interface LineListeners {
  onMessage(message: unknown): void;
  /** A line that is no message, and why. */
  onProblem(problem: 'no JSON' | 'too long'): void;
}

const NEWLINE = 0x0a;

export function createMessageLines(mostBytes: number, { onMessage, onProblem }: LineListeners): MessageLines {
  let pending: Buffer[] = [];
  let pendingBytes = 0;

  function take(line: Buffer): void {
    const text = line.toString('utf8').trim();
    if (text === '') return;
    const parsed = parse(text);
    if (parsed) onMessage(parsed.message);
    else onProblem('no JSON');
  }

  /** Keeps bytes of the line; of one that is too long, only the length. */
  function keep(piece: Buffer): void {
    pendingBytes += piece.length;
    if (pendingBytes > mostBytes) pending = [];
    else if (piece.length > 0) pending.push(piece);
  }

  function endLine(): void {
    const pieces = pending;
    const isTooLong = pendingBytes > mostBytes;
    pending = [];
    pendingBytes = 0;
    if (isTooLong) onProblem('too long');
    else if (pieces.length > 0) take(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
  }

  return {
    add(chunk) {
      let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      for (let at = rest.indexOf(NEWLINE); at >= 0; at = rest.indexOf(NEWLINE)) {
        keep(rest.subarray(0, at));
        rest = rest.subarray(at + 1);
        endLine();
      }
      keep(rest);
    },
    end: endLine,
  };
}

function parse(text: string): { message: unknown } | null {
  try {
    return { message: JSON.parse(text) };
  } catch {
    return null;
  }
}
