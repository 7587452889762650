import type { Blob } from '@toolwright/machine/base/content.js';
import type { ModelCapabilities } from '../model.js';

export type MediaKind = 'image' | 'pdf' | 'audio' | 'text' | 'other';

export function mediaKind(mimeType = ''): MediaKind {
  const type = mimeType.toLowerCase();
  if (type.startsWith('image/')) return 'image';
  if (type === 'application/pdf') return 'pdf';
  if (type.startsWith('audio/')) return 'audio';
  if (type.startsWith('text/') || type === 'application/json') return 'text';
  return 'other';
}

export function canTake(kind: MediaKind, capabilities: ModelCapabilities): boolean {
  switch (kind) {
    case 'image':
      return capabilities.images;
    case 'pdf':
      return capabilities.pdf;
    case 'audio':
      return capabilities.audio;
    default:
      return false;
  }
}

const wording: Record<Exclude<MediaKind, 'text'>, string> = {
  image: 'this model does not take images',
  pdf: 'this model does not take PDF files',
  audio: 'this model does not take audio',
  other: "this kind of data can't be sent to a model",
};

/** Text in place of media that the model can't take. */
export function mediaNote(blob: Blob): string {
  const kind = mediaKind(blob.mimeType);
  const name = blob.displayName === undefined ? '' : ` ${blob.displayName}`;
  const size = blob.data === undefined ? '' : `, ${Math.ceil((blob.data.length * 3) / 4 / 1024)} KB`;
  return `[${blob.mimeType ?? 'data'}${name}${size}: left out, ${wording[kind === 'text' ? 'other' : kind]}]`;
}

export function decodedText(blob: Blob): string {
  return Buffer.from(blob.data ?? '', 'base64').toString('utf8');
}

export function dataUrl(blob: Blob): string {
  return `data:${blob.mimeType ?? 'application/octet-stream'};base64,${blob.data ?? ''}`;
}
