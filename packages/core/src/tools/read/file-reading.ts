import type { Part } from '@toolwright/machine/base/content.js';
import type { SeenFiles } from '../text-change/seen-files.js';
import type { ScriptValue } from '../tools.js';

export interface ContentRequest {
  /** Absolute path of a file. */
  path: string;
  /** Name of the file in messages. */
  shown: string;
  offset?: number | undefined;
  limit?: number | undefined;
  /** Pages of a PDF: "1-5,8". */
  pages?: string | undefined;
  /** Text beyond this is left for another call. */
  maxBytes: number;
  /** The model takes PDF files as they are. */
  pdfAsFile?: boolean | undefined;
  /** False: images, PDF and audio are only named, not read. */
  withMedia?: boolean | undefined;
  /** Size of the file, where it is known already. */
  size?: number | undefined;
  signal: AbortSignal;
}

export interface FileReading {
  kind: 'text' | 'media' | 'binary';
  /** Content for the model. */
  parts: Part[];
  /** The text alone: all of it unless a part was asked for. */
  forScript?: ScriptValue;
  /** The part that was read, for the user: "lines 1-200 of 500". */
  summary: string;
  /** The version of the file that was read. Its hash and bytes are known when all of it was in memory. */
  version?: { realPath: string; hash?: string; bytes?: Uint8Array };
}

/** Tells whoever keeps count that the model was shown a file. One line about a binary is not seeing it. */
export function noteSeen(reading: FileReading, seen: Pick<SeenFiles, 'saw'> | undefined): void {
  if (!seen || !reading.version || reading.kind === 'binary') return;
  const { realPath, ...version } = reading.version;
  seen.saw(realPath, version);
}

export function inlinePart(mimeType: string, bytes: Uint8Array): Part {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return { inlineData: { mimeType, data } };
}
