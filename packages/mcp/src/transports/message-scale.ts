/** The measure of a chunk: the number of messages that end in it, and the size so far of the one that goes on. */
export interface Weighed {
  ended: number;
  bytes: number;
}

const NEW_LINE = 10;
const CARRIAGE_RETURN = 13;

/** Weighs the messages of one answer. In a stream of events each blank line ends one; anything else is one message. */
export function createMessageScale(contentType: string): (chunk: Uint8Array) => Weighed {
  const isEvents = contentType.startsWith('text/event-stream');
  let bytes = 0;
  let isBlankSoFar = true;
  return (chunk) => {
    let ended = 0;
    let start = 0;
    bytes += chunk.byteLength;
    if (!isEvents) return { ended, bytes };
    for (let end = chunk.indexOf(NEW_LINE); end !== -1; end = chunk.indexOf(NEW_LINE, start)) {
      if (isBlankSoFar && isBlank(chunk, start, end)) {
        ended++;
        bytes = chunk.byteLength - end - 1;
      }
      isBlankSoFar = true;
      start = end + 1;
    }
    isBlankSoFar &&= isBlank(chunk, start, chunk.byteLength);
    return { ended, bytes };
  };
}

function isBlank(chunk: Uint8Array, start: number, end: number): boolean {
  return start === end || (start + 1 === end && chunk[start] === CARRIAGE_RETURN);
}
