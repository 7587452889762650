import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { decodePage, headerCharset } from './page-charset.js';

const encoded = (text: string, charset: string) => new Uint8Array(iconv.encode(text, charset));
const html = (charset: string, text: string) => encoded(`<meta charset="${charset}"><p>${text}</p>`, charset);

describe('the charset of a page', () => {
  const cases: [name: string, bytes: Uint8Array, contentType: string, charset: string, text: string][] = [
    ['the header', encoded('Привет', 'koi8-r'), 'text/html; charset=KOI8-R', 'koi8-r', 'Привет'],
    [
      'a quoted header',
      encoded('Łódź', 'iso-8859-2'),
      'text/html;charset="iso-8859-2"',
      'iso-8859-2',
      'Łódź',
    ],
    [
      'the header over the page',
      html('utf-8', 'é'),
      'text/html; charset=utf-8',
      'utf-8',
      '<meta charset="utf-8"><p>é</p>',
    ],
    ['a mark over the header', encoded('\ufeffя', 'utf-8'), 'text/html; charset=latin1', 'utf-8', 'я'],
    ['a mark of UTF-16', encoded('\ufeff雨', 'utf-16le'), 'text/html', 'utf-16le', '雨'],
    ['the other UTF-16', encoded('\ufeff雨', 'utf-16be'), '', 'utf-16be', '雨'],
    [
      'meta charset',
      html('shift_jis', '雨の日'),
      'text/html',
      'shift_jis',
      '<meta charset="shift_jis"><p>雨の日</p>',
    ],
    [
      'meta http-equiv',
      encoded('<meta http-equiv=Content-Type content="text/html; charset=gb2312">中文', 'gbk'),
      '',
      'gbk',
      '<meta http-equiv=Content-Type content="text/html; charset=gb2312">中文',
    ],
    [
      'a meta in a comment is none',
      encoded('<!-- <meta charset=koi8-r> -->é', 'utf-8'),
      '',
      'utf-8',
      '<!-- <meta charset=koi8-r> -->é',
    ],
    [
      'an XML declaration',
      encoded('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>', 'latin1'),
      '',
      'windows-1252',
      '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>',
    ],
    [
      'meta that lies about UTF-16',
      encoded('<meta charset=utf-16>é', 'utf-8'),
      '',
      'utf-8',
      '<meta charset=utf-16>é',
    ],
    ['nothing said, UTF-8', encoded('naïve', 'utf-8'), 'text/html', 'utf-8', 'naïve'],
    [
      'nothing said, Russian',
      encoded('Русский текст в старой кодировке, страница без объявления.', 'win1251'),
      '',
      'windows-1251',
      'Русский текст в старой кодировке, страница без объявления.',
    ],
    ['a name nobody knows', encoded('plain', 'utf-8'), 'text/html; charset=klingon', 'utf-8', 'plain'],
    [
      'quotes of windows-1252 called Latin-1',
      encoded('“€5” – it’s', 'win1252'),
      'text/html; charset=iso-8859-1',
      'windows-1252',
      '“€5” – it’s',
    ],
    ['big5', encoded('繁體', 'big5'), 'text/plain; charset=Big5', 'big5', '繁體'],
    ['euc-kr', encoded('한국어', 'euc-kr'), 'text/plain; charset=EUC-KR', 'euc-kr', '한국어'],
    ['euc-jp', encoded('日本', 'euc-jp'), 'text/plain; charset=EUC-JP', 'euc-jp', '日本'],
    ['nothing at all', new Uint8Array(), '', 'utf-8', ''],
  ];
  it.each(cases)('is found: %s', async (_name, bytes, contentType, charset, text) => {
    expect(await decodePage(bytes, contentType)).toEqual({ charset, text });
  });

  it('keeps characters that lie across the border of two slices', async () => {
    const text = `x${'雨'.repeat(200_000)}`;
    expect((await decodePage(new TextEncoder().encode(text), 'text/html; charset=utf-8')).text).toBe(text);
  });
});

it('the search for the charset reads the charset parameter in the ways servers write it', () => {
  expect(headerCharset('text/html; charset = "UTF-8" ; x=y')).toBe('UTF-8');
  expect(headerCharset("text/html;CHARSET='latin1'")).toBe('latin1');
  expect(headerCharset('text/html')).toBeNull();
});
