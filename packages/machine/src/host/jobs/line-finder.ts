import { StringDecoder } from 'node:string_decoder';
import { withoutSequences } from '../processes/output/plain-text.js';

const MAX_LINE_CHARACTERS = 8_192;

/** Looks for a line with some text in it while output comes in pieces; colours do not count. Gives the line once found. */
export function createLineFinder(wanted: string): (bytes: Buffer) => string | null {
  const decoder = new StringDecoder('utf8');
  let open = '';
  return (bytes) => {
    const lines = (open + decoder.write(bytes)).split('\n');
    open = (lines.at(-1) ?? '').slice(-MAX_LINE_CHARACTERS);
    // The last one may still go on, but it may as well be all there is.
    const found = lines.map(withoutSequences).find((line) => line.includes(wanted));
    return found === undefined ? null : found.replaceAll('\r', '').trim().slice(-MAX_LINE_CHARACTERS);
  };
}
