import { formatBytes, plural } from '@toolwright/machine/base/amounts.js';
import type { Part } from '@toolwright/machine/base/content.js';
import { isToolError } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject, jsonObjectIn } from '@toolwright/machine/base/json.js';
import { type Bounds, headAndTail } from '@toolwright/machine/base/truncate.js';
import { typeByContent } from '../media/file-type.js';
import { prepareImage } from '../media/image.js';
import { type ContentRequest, type FileReading, inlinePart } from './file-reading.js';

/** A piece to show: text, or an image that a cell put out. */
export type NotebookPiece = { text: string } | { mimeType: string; base64: string };

export interface Notebook {
  language: string;
  /** A list of pieces per cell, in order. */
  cells: NotebookPiece[][];
}

const OUTPUT_BOUNDS: Bounds = { maxBytes: 8 * 1024, maxLines: 200 };
const ESCAPE_SEQUENCE = /\x1b\[[0-9;?]*[A-Za-z]/g;
const textTypes = ['text/markdown', 'text/plain', 'application/json', 'text/latex'];
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** A Jupyter notebook (format 3 or 4) as cells; null when the text is none. */
export function parseNotebook(text: string): Notebook | null {
  const root = jsonObjectIn(text);
  if (!root) return null;
  const cells = cellsOf(root);
  if (!cells) return null;
  const metadata = objectAt(root, 'metadata');
  const language =
    stringAt(objectAt(metadata, 'language_info'), 'name') ??
    stringAt(objectAt(metadata, 'kernelspec'), 'language') ??
    'unknown language';
  return { language, cells: cells.map((cell, index) => showCell(cell, index + 1)) };
}

function cellsOf(root: JsonObject): JsonObject[] | null {
  const sheets = root['worksheets'];
  const lists = Array.isArray(sheets)
    ? sheets.filter(isJsonObject).map((sheet) => sheet['cells'])
    : [root['cells']];
  return lists.every(Array.isArray) ? lists.flat().filter(isJsonObject) : null;
}

function showCell(cell: JsonObject, number: number): NotebookPiece[] {
  const kind = stringAt(cell, 'cell_type') ?? 'cell';
  const run = cell['execution_count'] ?? cell['prompt_number'];
  const title = `--- cell ${number}: ${kind}${typeof run === 'number' ? `, run ${run}` : ''} ---`;
  const source = joined(cell['source'] ?? cell['input']);
  const outputs = Array.isArray(cell['outputs']) ? cell['outputs'].filter(isJsonObject) : [];
  return [{ text: `${title}\n${source}` }, ...outputs.flatMap(showOutput)];
}

function showOutput(output: JsonObject): NotebookPiece[] {
  switch (output['output_type']) {
    case 'stream':
      return [outputText(stringAt(output, 'name') ?? 'output', joined(output['text']))];
    case 'error':
    case 'pyerr': {
      const traceback = Array.isArray(output['traceback']) ? output['traceback'].map(String).join('\n') : '';
      const summary = `${stringAt(output, 'ename') ?? 'error'}: ${stringAt(output, 'evalue') ?? ''}`;
      return [outputText('error', traceback === '' ? summary : traceback)];
    }
    default:
      return showData(objectAt(output, 'data') ?? output);
  }
}

function showData(data: JsonObject): NotebookPiece[] {
  const image = imageTypes.find((type) => joined(data[type]) !== '');
  if (image) return [{ mimeType: image, base64: joined(data[image]).replace(/\s+/g, '') }];
  const text = textTypes.find((type) => data[type] !== undefined);
  if (text) return [outputText('output', joined(data[text]))];
  const other = Object.keys(data).find((key) => key.includes('/'));
  if (other === undefined) return [];
  return [
    outputText('output', `[${other}, ${formatBytes(Buffer.byteLength(joined(data[other])))}, not shown]`),
  ];
}

function outputText(title: string, text: string): NotebookPiece {
  const bounded = headAndTail(text.replace(ESCAPE_SEQUENCE, ''), OUTPUT_BOUNDS, { keepErrors: true });
  const size = bounded.truncated ? ` (${bounded.shown} of ${plural(bounded.totalLines, 'line')})` : '';
  return { text: `--- ${title}${size} ---\n${bounded.text}` };
}

/** Notebook text is a string or a list of lines that carry their own line ends; JSON output is an object. */
function joined(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(String).join('');
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function objectAt(object: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = object?.[key];
  return isJsonObject(value) ? value : undefined;
}

function stringAt(object: JsonObject | undefined, key: string): string | undefined {
  const value = object?.[key];
  return typeof value === 'string' ? value : undefined;
}

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
