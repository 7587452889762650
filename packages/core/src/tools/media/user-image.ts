import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Part } from '@toolwright/machine/base/content.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { inlinePart } from '../read/file-reading.js';
import { typeByContent } from './file-type.js';
import { MAX_IMAGE_FILE_BYTES, prepareImage } from './image.js';

/** An image that the user gave with a prompt: dropped on the terminal, or from the clipboard. */
export type UserImage = { path: string } | { bytes: Uint8Array };

/** The image as a part of the prompt. The user named the file, so it may lie anywhere. */
export async function readUserImage(image: UserImage, signal: AbortSignal): Promise<Part> {
  const bytes = 'bytes' in image ? image.bytes : await bytesAt(image.path);
  const name = 'path' in image ? image.path : 'clipboard.png';
  const type = typeByContent(bytes, name);
  if (type?.family !== 'image') throw new ToolError('invalid_params', `${name} is not an image.`);
  const prepared = await prepareImage(bytes, type, signal);
  return inlinePart(prepared.mimeType, prepared.bytes);
}

async function bytesAt(path: string): Promise<Uint8Array> {
  const absolute = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
  const bytes = await readSmallFile(absolute, MAX_IMAGE_FILE_BYTES);
  if (bytes === null) throw new ToolError('not_found', `${path} does not exist.`);
  return bytes;
}
