/** The first frame of a GIF, on its canvas, as RGBA; and how many frames there are. */
export interface GifImage {
  width: number;
  height: number;
  pixels: Uint8Array;
  frames: number;
}

interface GifFrame {
  left: number;
  top: number;
  width: number;
  height: number;
  interlaced: boolean;
  palette: Uint8Array;
  transparent: number;
  minimumCodeSize: number;
  data: Uint8Array;
}

const EXTENSION = 0x21;
const DESCRIPTOR = 0x2c;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const MAX_CODE_SIZE = 12;
const MAX_CODES = 1 << MAX_CODE_SIZE;
/** Largest number of pixels of a frame, which may be larger than its canvas. */
const MAX_FRAME_PIXELS = 50_000_000;

/** Null when the bytes are no whole GIF frame. */
export function decodeGif(bytes: Uint8Array): GifImage | null {
  if (bytes.length < 13) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const width = view.getUint16(6, true);
  const height = view.getUint16(8, true);
  if (width === 0 || height === 0) return null;
  const found = readFrames(bytes, view);
  if (!found) return null;
  const pixels = new Uint8Array(width * height * 4);
  return paint(found.first, pixels, { width, height })
    ? { width, height, pixels, frames: found.count }
    : null;
}

function readFrames(bytes: Uint8Array, view: DataView): { first: GifFrame; count: number } | null {
  const packed = bytes[10] ?? 0;
  const globalPalette = paletteAt(bytes, 13, packed);
  let position = 13 + globalPalette.length;
  let transparent = -1;
  let first: GifFrame | null = null;
  let count = 0;
  while (position < bytes.length && bytes[position] !== TRAILER) {
    if (bytes[position] === EXTENSION) {
      const control = bytes[position + 1] === GRAPHIC_CONTROL && ((bytes[position + 3] ?? 0) & 1) === 1;
      if (control && count === 0) transparent = bytes[position + 6] ?? -1;
      const blocks = subBlocks(bytes, position + 2);
      if (!blocks) break;
      position = blocks.end;
      continue;
    }
    if (bytes[position] !== DESCRIPTOR || position + 10 > bytes.length) break;
    const flags = bytes[position + 9] ?? 0;
    const localPalette = paletteAt(bytes, position + 10, flags);
    const dataAt = position + 10 + localPalette.length;
    const blocks = subBlocks(bytes, dataAt + 1);
    if (!blocks) break;
    first ??= {
      left: view.getUint16(position + 1, true),
      top: view.getUint16(position + 3, true),
      width: view.getUint16(position + 5, true),
      height: view.getUint16(position + 7, true),
      interlaced: (flags & 0x40) !== 0,
      palette: localPalette.length > 0 ? localPalette : globalPalette,
      transparent,
      minimumCodeSize: bytes[dataAt] ?? 0,
      data: join(bytes, blocks.ranges),
    };
    count += 1;
    position = blocks.end;
  }
  return first ? { first, count } : null;
}

function paletteAt(bytes: Uint8Array, offset: number, packed: number): Uint8Array {
  return (packed & 0x80) === 0
    ? new Uint8Array(0)
    : bytes.subarray(offset, offset + 3 * 2 ** ((packed & 7) + 1));
}

function subBlocks(bytes: Uint8Array, start: number): { ranges: [number, number][]; end: number } | null {
  const ranges: [number, number][] = [];
  let position = start;
  for (;;) {
    const size = bytes[position];
    if (size === undefined || position + size >= bytes.length) return null;
    if (size === 0) return { ranges, end: position + 1 };
    ranges.push([position + 1, position + 1 + size]);
    position += 1 + size;
  }
}

function join(bytes: Uint8Array, ranges: [number, number][]): Uint8Array {
  const joined = new Uint8Array(ranges.reduce((sum, [start, end]) => sum + end - start, 0));
  let offset = 0;
  for (const [start, end] of ranges) {
    joined.set(bytes.subarray(start, end), offset);
    offset += end - start;
  }
  return joined;
}

function paint(frame: GifFrame, pixels: Uint8Array, canvas: { width: number; height: number }): boolean {
  if (frame.width * frame.height > MAX_FRAME_PIXELS) return false;
  const indexes = decompress(frame.data, frame.minimumCodeSize, frame.width * frame.height);
  if (!indexes) return false;
  const rows = rowOrder(frame);
  for (let row = 0; row < frame.height; row += 1) {
    const y = frame.top + rows(row);
    if (y >= canvas.height) continue;
    for (let column = 0; column < frame.width && frame.left + column < canvas.width; column += 1) {
      const color = indexes[row * frame.width + column]!;
      if (color === frame.transparent) continue;
      const target = (y * canvas.width + frame.left + column) * 4;
      pixels.set(frame.palette.subarray(color * 3, color * 3 + 3), target);
      pixels[target + 3] = 255;
    }
  }
  return true;
}

/** An interlaced frame stores every eighth row first, then the rows between, in four passes. */
function rowOrder({ height, interlaced }: GifFrame): (row: number) => number {
  if (!interlaced) return (row) => row;
  const order: number[] = [];
  for (const [start, step] of [
    [0, 8],
    [4, 8],
    [2, 4],
    [1, 2],
  ] as const) {
    for (let row = start; row < height; row += step) order.push(row);
  }
  return (row) => order[row] ?? row;
}

/** GIF's variable-width LZW. Null when the stream is broken or ends before every pixel is known. */
function decompress(data: Uint8Array, minimumCodeSize: number, length: number): Uint8Array | null {
  if (minimumCodeSize < 1 || minimumCodeSize > 8) return null;
  const clear = 1 << minimumCodeSize;
  const nextCode = codeReader(data);
  const prefix = new Int16Array(MAX_CODES);
  const suffix = new Uint8Array(MAX_CODES);
  const output = new Uint8Array(length);
  let size = minimumCodeSize + 1;
  let next = clear + 2;
  let previous = -1;
  let written = 0;
  while (written < length) {
    const code = nextCode(size);
    if (code === clear) {
      size = minimumCodeSize + 1;
      next = clear + 2;
      previous = -1;
      continue;
    }
    const isNew = code === next && previous !== -1;
    if (code === -1 || code === clear + 1 || (code >= next && !isNew)) return null;
    const sequence = expand(isNew ? previous : code, { clear, prefix, suffix });
    if (isNew) sequence.push(sequence[0]!);
    if (previous !== -1 && next < MAX_CODES) {
      prefix[next] = previous;
      suffix[next] = sequence[0]!;
      next += 1;
      if (next === 1 << size && size < MAX_CODE_SIZE) size += 1;
    }
    previous = code;
    output.set(sequence.slice(0, length - written), written);
    written += sequence.length;
  }
  return output;
}

/** Codes of a given number of bits, lowest bit first; -1 at the end. */
function codeReader(data: Uint8Array): (size: number) => number {
  let bits = 0;
  let held = 0;
  let position = 0;
  return (size) => {
    while (held < size) {
      if (position >= data.length) return -1;
      bits |= data[position]! << held;
      position += 1;
      held += 8;
    }
    const code = bits & ((1 << size) - 1);
    bits >>>= size;
    held -= size;
    return code;
  };
}

/** The palette indexes a code stands for. */
function expand(
  code: number,
  { clear, prefix, suffix }: { clear: number; prefix: Int16Array; suffix: Uint8Array },
): number[] {
  const sequence: number[] = [];
  let walk = code;
  while (walk >= clear) {
    sequence.push(suffix[walk]!);
    walk = prefix[walk]!;
  }
  sequence.push(walk);
  return sequence.reverse();
}
