/** Facts from an image's container, read without decoding a pixel. */
export interface ImageStructure {
  frames: number;
  /** Offset of the pixel data, when the format tells. */
  headerBytes?: number;
  /** Why the file can't be a whole image. */
  problem?: string;
}

export function imageStructure(mimeType: string, bytes: Uint8Array): ImageStructure {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (mimeType) {
    case 'image/png':
      return pngStructure(bytes, view);
    case 'image/jpeg':
      return jpegStructure(bytes, view);
    case 'image/webp':
      return webpStructure(bytes, view);
    default:
      return { frames: 1 };
  }
}

const cutOff: ImageStructure = { frames: 0, problem: 'it is cut off: the data ends too early' };

function pngStructure(bytes: Uint8Array, view: DataView): ImageStructure {
  let position = 8;
  let frames = 1;
  let hasData = false;
  while (position + 12 <= bytes.length) {
    const length = view.getUint32(position);
    const type = tag(bytes, position + 4);
    if (position + 12 + length > bytes.length) return cutOff;
    if (type === 'acTL' && length >= 8) frames = Math.max(1, view.getUint32(position + 8));
    if (type === 'IDAT') hasData = true;
    if (type === 'IEND') return hasData ? { frames } : { frames: 0, problem: 'it holds no image data' };
    position += 12 + length;
  }
  return cutOff;
}

function jpegStructure(bytes: Uint8Array, view: DataView): ImageStructure {
  let position = 2;
  while (position + 4 <= bytes.length) {
    if (bytes[position] !== 0xff) return { frames: 0, problem: 'its segments are damaged' };
    const marker = bytes[position + 1];
    if (marker === 0xff) {
      position += 1;
      continue;
    }
    if (marker === 0xda) {
      return endsWithMarker(bytes, position) ? { frames: 1, headerBytes: position } : cutOff;
    }
    const length = view.getUint16(position + 2);
    if (length < 2) return { frames: 0, problem: 'its segments are damaged' };
    position += 2 + length;
  }
  return cutOff;
}

function endsWithMarker(bytes: Uint8Array, from: number): boolean {
  for (let index = bytes.length - 2; index >= from; index -= 1) {
    if (bytes[index] === 0xff && bytes[index + 1] === 0xd9) return true;
  }
  return false;
}

function webpStructure(bytes: Uint8Array, view: DataView): ImageStructure {
  if (bytes.length < 20 || view.getUint32(4, true) + 8 > bytes.length) return cutOff;
  let position = 12;
  let frames = 0;
  let hasImage = false;
  while (position + 8 <= bytes.length) {
    const type = tag(bytes, position);
    const length = view.getUint32(position + 4, true);
    if (position + 8 + length > bytes.length) return cutOff;
    if (type === 'ANMF') frames += 1;
    if (type === 'VP8 ' || type === 'VP8L') hasImage = true;
    position += 8 + length + (length & 1);
  }
  if (!hasImage && frames === 0) return { frames: 0, problem: 'it holds no image data' };
  return { frames: Math.max(1, frames) };
}

function tag(bytes: Uint8Array, offset: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + 4));
}
