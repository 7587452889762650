import type { Part } from '@toolwright/core';
import { messageOf, readUserImage } from '@toolwright/core/front-end';
import { type FoldedText, imagesIn } from '../../app/typing/paste.js';

export interface Attached {
  parts: Part[];
  /** Sentences for the user. */
  notes: string[];
}

/** The images whose tokens stand in a prompt. One that can't be read is reported; the prompt goes without it. */
export async function attachedImages(
  text: string,
  folded: readonly FoldedText[],
  signal: AbortSignal,
): Promise<Attached> {
  const attached: Attached = { parts: [], notes: [] };
  for (const { token, image } of imagesIn(text, folded)) {
    try {
      const source = 'path' in image ? image : { bytes: Buffer.from(image.data, 'base64') };
      attached.parts.push({ text: `\n\n${token}:` }, await readUserImage(source, signal));
    } catch (error) {
      signal.throwIfAborted();
      attached.notes.push(`${token} is sent without the image: ${messageOf(error)}`);
    }
  }
  return attached;
}
