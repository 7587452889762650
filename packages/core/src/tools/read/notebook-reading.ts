import { plural } from '@toolwright/machine/base/amounts.js';
import type { Part } from '@toolwright/machine/base/content.js';
import { isToolError } from '@toolwright/machine/base/errors.js';
import { typeByContent } from '../media/file-type.js';
import { prepareImage } from '../media/image.js';
import { type ContentRequest, type FileReading, inlinePart } from './file-reading.js';
import { type NotebookPiece, parseNotebook } from './notebook.js';

const MAX_IMAGES = 10;

/** A notebook as cells, as many as fit; null when the text is no notebook. */
export async function readNotebook(text: string, request: ContentRequest): Promise<FileReading | null> {
  const notebook = parseNotebook(text);
  if (!notebook) return null;
  const total = notebook.cells.length;
  const summary = `notebook of ${plural(total, 'cell')} (${notebook.language})`;
  const pieces: NotebookPiece[] = [{ text: `[${request.shown}: ${summary}]` }];
  let bytes = 0;
  let shown = 0;
  for (const cell of notebook.cells) {
    bytes += cell.reduce((sum, piece) => sum + ('text' in piece ? Buffer.byteLength(piece.text) + 2 : 0), 0);
    if (bytes > request.maxBytes) break;
    pieces.push(...cell);
    shown += 1;
  }
  if (shown < total) {
    pieces.push({
      text: `[Cells ${shown + 1}-${total} do not fit. Give an offset to read the notebook as plain JSON text.]`,
    });
  }
  return { kind: 'text', parts: await toParts(pieces, request.signal), summary };
}

async function toParts(pieces: readonly NotebookPiece[], signal: AbortSignal): Promise<Part[]> {
  const parts: Part[] = [];
  let images = 0;
  for (const piece of pieces) {
    if ('mimeType' in piece) images += 1;
    const part = 'text' in piece ? { text: piece.text } : await imagePart(piece.base64, images, signal);
    const last = parts.at(-1);
    if (part.text !== undefined && last?.text !== undefined) last.text += `\n\n${part.text}`;
    else parts.push(part);
  }
  return parts;
}

/** An image that can't be shown is a line of text, not a reason to hide the other cells. */
async function imagePart(base64: string, number: number, signal: AbortSignal): Promise<Part> {
  if (number > MAX_IMAGES) return { text: `[Image output not shown: only the first ${MAX_IMAGES} are.]` };
  const bytes = Buffer.from(base64, 'base64');
  const type = typeByContent(bytes);
  if (type?.family !== 'image') return { text: '[Image output not shown: its data is damaged.]' };
  try {
    const image = await prepareImage(bytes, type, signal);
    return inlinePart(image.mimeType, image.bytes);
  } catch (error) {
    if (isToolError(error)) return { text: `[Image output not shown: ${error.message}]` };
    throw error;
  }
}
