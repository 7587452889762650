/** The type of a file, told by its first bytes. Text has no signature: null means "nothing known", not "text". */
export interface FileType {
  family: 'image' | 'pdf' | 'audio' | 'video' | 'archive' | 'other';
  /** Name for the user: "PNG image". */
  label: string;
  mimeType: string;
  /** Shell command that shows the content, `FILE` standing for the path. */
  look?: string;
}

/** Enough bytes for every signature below. */
export const SIGNATURE_BYTES = 560;

interface Signature {
  type: FileType;
  /** Latin-1 bytes at fixed places. */
  at: readonly (readonly [offset: number, bytes: string])[];
  /** Asked where the bytes alone could also begin a text. */
  sure?: (head: Uint8Array, name: string) => boolean;
}

const image = (label: string, mimeType: string): FileType => ({ family: 'image', label, mimeType });
const audio = (label: string, mimeType: string): FileType => ({ family: 'audio', label, mimeType });
const video = (label: string, mimeType: string): FileType => ({
  family: 'video',
  label,
  mimeType,
  look: 'ffprobe FILE',
});
const archive = (label: string, mimeType: string, look: string): FileType => ({
  family: 'archive',
  label,
  mimeType,
  look,
});
const other = (label: string, mimeType = 'application/octet-stream', look?: string): FileType => ({
  family: 'other',
  label,
  mimeType,
  look,
});

const hasNul = (head: Uint8Array, _name: string) => head.includes(0);
const byteAt = (index: number, accepted: (byte: number) => boolean) => (head: Uint8Array) =>
  accepted(head[index] ?? -1);

const signatures: readonly Signature[] = [
  { type: image('PNG image', 'image/png'), at: [[0, '\x89PNG\r\n\x1a\n']] },
  { type: image('JPEG image', 'image/jpeg'), at: [[0, '\xff\xd8\xff']] },
  { type: image('GIF image', 'image/gif'), at: [[0, 'GIF87a']] },
  { type: image('GIF image', 'image/gif'), at: [[0, 'GIF89a']] },
  {
    type: image('WebP image', 'image/webp'),
    at: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  },
  {
    type: image('BMP image', 'image/bmp'),
    at: [
      [0, 'BM'],
      [6, '\0\0\0\0'],
    ],
  },
  { type: image('TIFF image', 'image/tiff'), at: [[0, 'II*\0']] },
  { type: image('TIFF image', 'image/tiff'), at: [[0, 'MM\0*']] },
  {
    type: image('icon', 'image/x-icon'),
    at: [[0, '\0\0\x01\0']],
    sure: (head) => (head[4] ?? 0) > 0 && head[5] === 0 && head[9] === 0,
  },
  { type: image('PPM image', 'image/x-portable-pixmap'), at: [[0, 'P6']], sure: hasNul },
  { type: image('PGM image', 'image/x-portable-graymap'), at: [[0, 'P5']], sure: hasNul },
  { type: image('AVIF image', 'image/avif'), at: [[4, 'ftypavi']] },
  { type: image('HEIF image', 'image/heif'), at: [[4, 'ftyphei']] },
  { type: image('HEIF image', 'image/heif'), at: [[4, 'ftypmif1']] },
  { type: image('JPEG XL image', 'image/jxl'), at: [[0, '\0\0\0\x0cJXL ']] },
  { type: image('JPEG XL image', 'image/jxl'), at: [[0, '\xff\x0a']] },
  { type: image('JPEG 2000 image', 'image/jp2'), at: [[0, '\0\0\0\x0cjP  ']] },
  { type: image('Photoshop document', 'image/vnd.adobe.photoshop'), at: [[0, '8BPS\0']] },

  { type: { family: 'pdf', label: 'PDF document', mimeType: 'application/pdf' }, at: [[0, '%PDF-']] },

  {
    type: audio('WAV audio', 'audio/wav'),
    at: [
      [0, 'RIFF'],
      [8, 'WAVE'],
    ],
  },
  { type: audio('MP3 audio', 'audio/mpeg'), at: [[0, 'ID3']], sure: byteAt(3, (byte) => byte < 16) },
  { type: audio('FLAC audio', 'audio/flac'), at: [[0, 'fLaC\0']] },
  { type: audio('Ogg audio', 'audio/ogg'), at: [[0, 'OggS\0']], sure: (head) => !contains(head, 'theora') },
  { type: audio('M4A audio', 'audio/mp4'), at: [[4, 'ftypM4A ']] },
  { type: audio('M4A audio', 'audio/mp4'), at: [[4, 'ftypM4B ']] },
  {
    type: audio('AIFF audio', 'audio/aiff'),
    at: [
      [0, 'FORM'],
      [8, 'AIF'],
    ],
  },
  { type: audio('MIDI file', 'audio/midi'), at: [[0, 'MThd\0\0\0\x06']] },

  { type: video('Ogg video', 'video/ogg'), at: [[0, 'OggS\0']] },
  { type: video('MP4 or QuickTime video', 'video/mp4'), at: [[4, 'ftyp']], sure: hasNul },
  { type: video('QuickTime video', 'video/quicktime'), at: [[4, 'moov']], sure: hasNul },
  { type: video('Matroska or WebM video', 'video/x-matroska'), at: [[0, '\x1a\x45\xdf\xa3']] },
  {
    type: video('AVI video', 'video/x-msvideo'),
    at: [
      [0, 'RIFF'],
      [8, 'AVI '],
    ],
  },
  { type: video('Flash video', 'video/x-flv'), at: [[0, 'FLV\x01']] },
  { type: video('MPEG video', 'video/mpeg'), at: [[0, '\0\0\x01\xba']] },

  { type: archive('ZIP archive', 'application/zip', 'unzip -l FILE'), at: [[0, 'PK\x03\x04']] },
  { type: archive('empty ZIP archive', 'application/zip', 'unzip -l FILE'), at: [[0, 'PK\x05\x06']] },
  { type: archive('gzip data', 'application/gzip', 'zcat FILE | head -c 4000'), at: [[0, '\x1f\x8b\x08']] },
  { type: archive('xz data', 'application/x-xz', 'xzcat FILE | head -c 4000'), at: [[0, '\xfd7zXZ\0']] },
  {
    type: archive('zstd data', 'application/zstd', 'zstdcat FILE | head -c 4000'),
    at: [[0, '\x28\xb5\x2f\xfd']],
  },
  {
    type: archive('bzip2 data', 'application/x-bzip2', 'bzcat FILE | head -c 4000'),
    at: [
      [0, 'BZh'],
      [4, '1AY&SY'],
    ],
  },
  {
    type: archive('7z archive', 'application/x-7z-compressed', '7z l FILE'),
    at: [[0, '7z\xbc\xaf\x27\x1c']],
  },
  { type: archive('RAR archive', 'application/vnd.rar', 'unrar l FILE'), at: [[0, 'Rar!\x1a\x07']] },
  { type: archive('tar archive', 'application/x-tar', 'tar -tf FILE'), at: [[257, 'ustar']], sure: hasNul },
  {
    type: archive('ar archive or static library', 'application/x-archive', 'ar t FILE'),
    at: [[0, '!<arch>\n']],
  },
  {
    type: archive('Debian package', 'application/vnd.debian.binary-package', 'dpkg -c FILE'),
    at: [[0, '!<arch>\ndebian-binary']],
  },

  { type: other('ELF executable or library', 'application/x-elf', 'readelf -h FILE'), at: [[0, '\x7fELF']] },
  {
    type: other('Windows executable or library', 'application/vnd.microsoft.portable-executable'),
    at: [[0, 'MZ']],
    sure: hasNul,
  },
  { type: other('Mach-O executable or library', 'application/x-mach-binary'), at: [[0, '\xcf\xfa\xed\xfe']] },
  { type: other('Mach-O executable or library', 'application/x-mach-binary'), at: [[0, '\xce\xfa\xed\xfe']] },
  {
    type: other('universal Mach-O binary', 'application/x-mach-binary'),
    at: [[0, '\xca\xfe\xba\xbe\0\0\0']],
    sure: byteAt(7, (byte) => byte < 20),
  },
  { type: other('Java class file', 'application/java-vm', 'javap -p FILE'), at: [[0, '\xca\xfe\xba\xbe']] },
  { type: other('WebAssembly module', 'application/wasm', 'wasm-objdump -x FILE'), at: [[0, '\0asm']] },
  {
    type: other('Python byte code', 'application/x-python-code'),
    at: [[2, '\r\n']],
    sure: (head, name) => hasNul(head, name) && /\.py[co]$/i.test(name),
  },
  {
    type: other('SQLite database', 'application/vnd.sqlite3', 'sqlite3 -readonly FILE .schema'),
    at: [[0, 'SQLite format 3\0']],
  },
  {
    type: other('legacy Microsoft Office document', 'application/x-ole-storage'),
    at: [[0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1']],
  },
  {
    type: other('TrueType font', 'font/ttf'),
    at: [[0, '\0\x01\0\0']],
    sure: byteAt(4, (byte) => byte === 0),
  },
  { type: other('OpenType font', 'font/otf'), at: [[0, 'OTTO\0']] },
  { type: other('WOFF font', 'font/woff'), at: [[0, 'wOFF']], sure: hasNul },
  { type: other('WOFF2 font', 'font/woff2'), at: [[0, 'wOF2']], sure: hasNul },
  { type: other('Parquet file', 'application/vnd.apache.parquet'), at: [[0, 'PAR1\x15']] },
  {
    type: other('git pack file', 'application/x-git-packfile', 'git verify-pack -v FILE'),
    at: [[0, 'PACK\0']],
  },
  { type: other('git index', 'application/x-git-index', 'git ls-files --stage'), at: [[0, 'DIRC\0']] },
  { type: other('NumPy array', 'application/x-npy'), at: [[0, '\x93NUMPY']] },
  { type: other('HDF5 file', 'application/x-hdf5', 'h5ls -r FILE'), at: [[0, '\x89HDF\r\n\x1a\n']] },
  { type: other('LLVM bitcode', 'application/x-llvm'), at: [[0, 'BC\xc0\xde']] },
];

/** Formats that are a ZIP file inside. */
const zipNames: Record<string, string> = {
  docx: 'Word document',
  xlsx: 'Excel workbook',
  pptx: 'PowerPoint presentation',
  odt: 'OpenDocument text',
  ods: 'OpenDocument spreadsheet',
  epub: 'EPUB book',
  jar: 'Java archive',
  apk: 'Android package',
  whl: 'Python wheel',
  vsix: 'editor extension',
  ipa: 'iOS package',
};

export function typeByContent(head: Uint8Array, name = ''): FileType | null {
  const found = signatures.find(
    ({ at, sure }) =>
      at.every(([offset, bytes]) => holds(head, offset, bytes)) && (sure?.(head, name) ?? true),
  );
  if (found) return found.type.mimeType === 'application/zip' ? zipType(found.type, name) : found.type;
  if (/\.pdf$/i.test(name) && contains(head, '%PDF-')) {
    return { family: 'pdf', label: 'PDF document', mimeType: 'application/pdf' };
  }
  if (/\.mp3$/i.test(name) && head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0) {
    return audio('MP3 audio', 'audio/mpeg');
  }
  return null;
}

function zipType(type: FileType, name: string): FileType {
  const label = zipNames[/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''];
  return label === undefined ? type : { ...type, label: `${label} (a ZIP archive inside)` };
}

function holds(head: Uint8Array, offset: number, bytes: string): boolean {
  if (head.length < offset + bytes.length) return false;
  for (let index = 0; index < bytes.length; index += 1) {
    if (head[offset + index] !== bytes.charCodeAt(index)) return false;
  }
  return true;
}

function contains(head: Uint8Array, text: string): boolean {
  return Buffer.from(head.buffer, head.byteOffset, head.byteLength).includes(text, 0, 'latin1');
}
