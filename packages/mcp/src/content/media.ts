import type { Part } from '@toolwright/machine/base/content.js';
import { quoteServer } from '../contract/failure.js';

/** Media that models take; anything else a server sends as bytes is described, not passed on. */
const signatures: readonly { mimeType: string; at: readonly (readonly [number, string])[] }[] = [
  { mimeType: 'image/png', at: [[0, '\x89PNG\r\n\x1a\n']] },
  { mimeType: 'image/jpeg', at: [[0, '\xff\xd8\xff']] },
  { mimeType: 'image/gif', at: [[0, 'GIF8']] },
  {
    mimeType: 'image/webp',
    at: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  },
  {
    mimeType: 'audio/wav',
    at: [
      [0, 'RIFF'],
      [8, 'WAVE'],
    ],
  },
  { mimeType: 'audio/mpeg', at: [[0, 'ID3']] },
  { mimeType: 'audio/mpeg', at: [[0, '\xff\xfb']] },
  { mimeType: 'audio/mpeg', at: [[0, '\xff\xf3']] },
  { mimeType: 'audio/aac', at: [[0, '\xff\xf1']] },
  { mimeType: 'audio/ogg', at: [[0, 'OggS']] },
  { mimeType: 'audio/flac', at: [[0, 'fLaC']] },
  { mimeType: 'audio/mp4', at: [[4, 'ftypM4A']] },
  { mimeType: 'application/pdf', at: [[0, '%PDF-']] },
];

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

const LARGEST_MEDIA_BYTES = 10 * 1024 * 1024;

/** Looked at before it goes to a model: a wrong type or broken base64 would fail the whole request there. */
export function mediaPart(data: unknown, mimeType: string): Part | { problem: string } {
  const kind = quoteServer(mimeType, 100) || 'unknown type';
  if (typeof data !== 'string' || data === '') return { problem: `${kind} without data` };
  const text = data.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/');
  const bytes = Math.floor((text.replace(/=+$/, '').length * 3) / 4);
  if (!BASE64.test(text)) return { problem: `${kind} that is not base64` };
  if (bytes > LARGEST_MEDIA_BYTES)
    return { problem: `${kind} of ${megabytes(bytes)}, more than ${megabytes(LARGEST_MEDIA_BYTES)}` };
  const found = typeOf(Buffer.from(text.slice(0, 64), 'base64'));
  if (found === null)
    return { problem: `${kind} of ${bytes} bytes, whose content is not of a kind models take` };
  return { inlineData: { mimeType: found, data: padded(text) } };
}

function typeOf(head: Buffer): string | null {
  const text = head.toString('latin1');
  const fits = signatures.find(({ at }) => at.every(([offset, bytes]) => text.startsWith(bytes, offset)));
  return fits?.mimeType ?? null;
}

function padded(base64: string): string {
  const bare = base64.replace(/=+$/, '');
  return bare.padEnd(Math.ceil(bare.length / 4) * 4, '=');
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 102.4) / 10} MB`;
}
