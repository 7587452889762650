import { describe, expect, it } from 'vitest';
import { typeByContent } from './file-type.js';
import { encodeGif } from './fixtures/gif-encoder.js';
import { bmp, ico, jpeg, png, riff, tiff, webp } from './fixtures/image-samples.js';
import { pdf } from './fixtures/pdf-samples.js';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const padded = (text: string) => Buffer.concat([latin1(text), Buffer.alloc(600)]);
const tar = Buffer.concat([Buffer.alloc(257), latin1('ustar\x0000'), Buffer.alloc(300)]);

const known: [label: string, bytes: Buffer, name?: string][] = [
  ['PNG image', png(9, 9)],
  ['JPEG image', jpeg(9, 9)],
  ['GIF image', encodeGif({ width: 1, height: 1, palette: [0, 0, 0, 1, 1, 1], frames: [[0]] })],
  ['WebP image', webp(9, 9)],
  ['BMP image', bmp(9, 9)],
  ['TIFF image', tiff(9, 9)],
  ['icon', ico(9)],
  ['PDF document', pdf(['x'])],
  ['PDF document', latin1('junk before\n%PDF-1.4'), 'a.pdf'],
  ['WAV audio', riff('RIFF', latin1('WAVEfmt '))],
  ['MP3 audio', padded('ID3\x04')],
  ['MP3 audio', padded('\xff\xfb\x90'), 'song.mp3'],
  ['FLAC audio', padded('fLaC\0')],
  ['Ogg audio', padded('OggS\0\x02')],
  ['Ogg video', padded('OggS\0\x02................\x80theora')],
  ['M4A audio', padded('\0\0\0\x20ftypM4A ')],
  ['MP4 or QuickTime video', padded('\0\0\0\x20ftypisom')],
  ['Matroska or WebM video', padded('\x1a\x45\xdf\xa3')],
  ['ZIP archive', padded('PK\x03\x04')],
  ['Word document (a ZIP archive inside)', padded('PK\x03\x04'), 'letter.DOCX'],
  ['gzip data', padded('\x1f\x8b\x08')],
  ['bzip2 data', padded('BZh91AY&SY')],
  ['7z archive', padded('7z\xbc\xaf\x27\x1c')],
  ['tar archive', tar],
  ['ELF executable or library', padded('\x7fELF')],
  ['Windows executable or library', padded('MZ\x90\0')],
  ['Java class file', padded('\xca\xfe\xba\xbe\0\0\0\x34')],
  ['universal Mach-O binary', padded('\xca\xfe\xba\xbe\0\0\0\x02')],
  ['WebAssembly module', padded('\0asm\x01')],
  ['Python byte code', padded('\x55\x0d\r\n'), 'a.pyc'],
  ['SQLite database', padded('SQLite format 3\0')],
  ['TrueType font', padded('\0\x01\0\0\0\x0f')],
  ['WOFF2 font', padded('wOF2\0\x01')],
  ['legacy Microsoft Office document', padded('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')],
];

describe('typeByContent', () => {
  it.each(known)('knows a %s', (label, bytes, name) => {
    expect(typeByContent(bytes, name)?.label).toBe(label);
  });

  it.each([
    '',
    'MZ is how DOS programs begin',
    'BM is short for bitmap',
    'ID3 is a decision tree',
    'P6 is a processor',
    'RIFF stands for Resource Interchange File Format, WEBP is one',
    'BZh is bzip2',
    'OTTO is a name',
    'wOFF is a font',
    'A PDF starts with %PDF-1.4',
    'PK',
    'ab\r\ncd\r\n',
  ])('takes %j for what it is: not known', (text) => {
    expect(typeByContent(latin1(text), 'notes.txt')).toBeNull();
  });
});
