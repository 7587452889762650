import { messageOf } from '@toolwright/machine/base/errors.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import type { PieceProblem } from './piece.js';

/** The text of a small file that somebody brings, or the problem with it; null where there is no such file. */
export async function readPieceText(
  file: string,
  maxBytes: number,
): Promise<{ text: string } | PieceProblem | null> {
  try {
    const bytes = await readSmallFile(file, maxBytes);
    return bytes && { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    const problem = error instanceof TypeError ? 'it is not UTF-8 text' : messageOf(error).replace(/\.$/, '');
    return { file, problem };
  }
}
