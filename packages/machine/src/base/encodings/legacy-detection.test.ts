import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { guessEncoding } from './legacy-detection.js';

const c = (comment: string) => `// ${comment}\nint main() {\n  return 0;\n}\n`;

const samples: [encoding: string, text: string][] = [
  ['gbk', c('初始化配置')],
  ['gbk', 'print("你好")\n'],
  ['gbk', '中华人民共和国位于亚洲东部，太平洋西岸。这是一个测试文件，用来检查编码检测的质量。\n'],
  ['gbk', c('计算两个向量的点积，返回浮点数')],
  ['gbk', c('打开串口失败时重试三次')],
  ['gb18030', c('龙㐂𠮷：这个字要四个字节，测试一下')],
  ['shift_jis', c('設定を初期化する')],
  ['shift_jis', 'print("こんにちは")\n'],
  ['shift_jis', c('コメント')],
  ['shift_jis', c('表示中のエラーを消す。ソース')],
  ['euc-jp', c('設定を初期化する')],
  ['euc-jp', 'print("こんにちは")\n'],
  ['euc-jp', c('コメント')],
  ['euc-kr', c('설정을 초기화합니다')],
  ['euc-kr', c('파일을 읽어서 결과를 반환한다')],
  ['big5', c('初始化設定，這是測試')],
  ['big5', c('讀取檔案並檢查錯誤')],
  ['iso-8859-1', c('Café crème déjà vu à la plage')],
  ['iso-8859-1', c('café')],
  ['iso-8859-1', c('Größe ändern für Müller')],
  ['iso-8859-1', c('Configuración del niño en España')],
  ['iso-8859-1', 'temp = 20°C\n'],
  ['iso-8859-1', '© 2020 Müller\n'],
  ['iso-8859-1', 'range = ±5 µm\n'],
  ['windows-1252', c('price 5€ – “quoted” © 2020')],
  ['windows-1251', c('Инициализация настроек программы')],
  ['windows-1251', c('привет')],
  ['windows-1251', c('ПРИВЕТ ВСЕМ, НАСТРОЙКА')],
  ['koi8-r', c('Инициализация настроек программы')],
  ['koi8-r', c('привет')],
  ['iso-8859-7', c('Αρχικοποίηση ρυθμίσεων του προγράμματος και της εφαρμογής')],
];

test.each(samples)('%s is recognised in %j', async (encoding, text) => {
  const bytes = iconv.encode(text, encoding);
  expect(iconv.decode(bytes, encoding)).toBe(text);
  expect(await guessEncoding(bytes)).toBe(encoding);
});
