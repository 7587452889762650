import { deflateRawSync } from 'node:zlib';

export interface MadeEntry {
  path: string;
  text: string;
  mode?: number;
  /** The type in a tar header. */
  type?: string;
  /** A lie about the size. */
  saysBytes?: number;
}

const REGULAR = 0o100644;

/** A zip archive as Unix programs write it. */
export function makeZip(entries: readonly MadeEntry[], { isPacked = true } = {}): Buffer {
  const locals: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const { path, text, mode = REGULAR, saysBytes } of entries) {
    const name = Buffer.from(path);
    const packed = isPacked ? deflateRawSync(Buffer.from(text)) : Buffer.from(text);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(isPacked ? 8 : 0, 8);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt8(3, 5);
    entry.writeUInt16LE(isPacked ? 8 : 0, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(saysBytes ?? text.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(((mode > 0o7777 ? mode : REGULAR | mode) << 16) >>> 0, 38);
    entry.writeUInt32LE(at, 42);
    locals.push(local, name, packed);
    list.push(entry, name);
    at += 30 + name.length + packed.length;
  }
  const central = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, central, end]);
}

/** A tar archive with ustar headers. */
export function makeTar(entries: readonly MadeEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, text, mode = 0o644, type = '0' }) => {
    const content = type === '0' ? Buffer.from(text) : Buffer.alloc(0);
    const header = Buffer.alloc(512);
    header.write(path, 0, 100);
    header.write((mode & 0o7777).toString(8).padStart(7, '0'), 100);
    header.write(content.length.toString(8).padStart(11, '0'), 124);
    header.write(type, 156);
    header.write('ustar\u000000', 257);
    header.fill(' ', 148, 156);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
    return [header, content, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
