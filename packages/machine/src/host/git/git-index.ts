const FIXED_BYTES = 62;
const MODE_AT = 24;
const FLAGS_AT = 60;
const EXTENDED = 0x4000;
const LINK_MODE = 0o160000;
const linkBytes = Buffer.from([0, 0, 0xe0, 0]);

/**
 * The paths of other repositories that an index names, in its work tree: git enters them with their own configuration.
 * Throws for an unknown kind of index.
 */
export function linksInIndex(index: Buffer): string[] {
  // The bytes of such an entry's mode are rare: most indexes need not be parsed.
  if (!index.includes(linkBytes)) return [];
  return [...entriesOf(index)].filter(({ mode }) => mode === LINK_MODE).map(({ name }) => name);
}

/** The paths that git tracks, in the work tree. Throws for an unknown kind of index. */
export function namesInIndex(index: Buffer): string[] {
  return [...entriesOf(index)].map(({ name }) => name);
}

function* entriesOf(index: Buffer): Generator<{ mode: number; name: string }> {
  const version = index.readUInt32BE(4);
  if (index.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4)
    throw new Error('an index of an unknown kind');
  let name: Buffer = Buffer.alloc(0);
  let at = 12;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const isExtended = version > 2 && (index.readUInt16BE(at + FLAGS_AT) & EXTENDED) !== 0;
    const begin = at + FIXED_BYTES + (isExtended ? 2 : 0);
    const { kept, from } = version === 4 ? sharedPart(index, begin, name.length) : { kept: 0, from: begin };
    const end = index.indexOf(0, from);
    if (end === -1) throw new Error('an index that is cut off');
    name = Buffer.concat([name.subarray(0, kept), index.subarray(from, end)]);
    yield { mode: index.readUInt32BE(at + MODE_AT), name: name.toString() };
    // Entries are padded to a multiple of eight with at least one zero; in version 4 they are not.
    at = version === 4 ? end + 1 : at + (Math.floor((end - at) / 8) + 1) * 8;
  }
}

/** The length of the previous name that this one reuses: all but a number of bytes, which is stored with variable width. */
function sharedPart(index: Buffer, begin: number, length: number): { kept: number; from: number } {
  let from = begin;
  let byte = index.readUInt8(from++);
  let dropped = byte & 127;
  while (byte & 128) {
    byte = index.readUInt8(from++);
    dropped = (dropped + 1) * 128 + (byte & 127);
  }
  return { kept: length - dropped, from };
}
