import { type LegacyUnit, sampleUnits } from './legacy-encodings.js';

/**
 * Detects legacy encodings. Source files are mostly ASCII with a few words of another script, too little for a
 * statistical detector, so East Asian encodings are judged by how common the decoded characters are.
 */

const SAMPLE_BYTES = 32_768;

const simplified =
  '的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日者意无力它与长把机第此已工使情明性知全关点正外将两高间由问最重并物手应向头文体相见被利什等或新制身果加回特代内信表化老给世位次度门任常先通原提立及比员解水名真处走各入几口认条平系气题更别打变总何电数安少报结反受目量再建务做接必件计管期直资命指统区保至形空决始终初末字符串错误参值返回类型置配默认读写取删添调试测码编译注释调用设备版本列表循环异常检查输出对象接口函示例请求响应';
const traditional =
  '的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心本前開但因只從想實日者意無力它與長把機第此已工使情明性知全關點正外將兩高間由問最重並物手應向頭文體相見被利什等或新制身果加回特代內信表化老給世位次度門任常先通原提立及比員解水名真處走各入幾口認條平系氣題更別打變總何電數安少報結反受目量再建務做接必件計管期直資命指統區保至形空決始終初末字串錯誤參值返類型置配預設讀寫取刪添調試測碼編譯註釋檔案設備版列表循環異常檢查輸出對象介面函示例請求回應';
const korean =
  '이다는을의에가하고지로기사리를은도한어자대해인시아나들그서정것부보으수전스게라장과일만상여구원주성안위우무명설초화합니있습없되된않파열값반환함변추제생때문저용동작확입출력오류형록경데터진행요청응답모든각같바면처음까세';

interface Candidate {
  encoding: string;
  /** The frequency of a two-byte character, from 0 to 1. */
  rate(lead: number, trail: number, text: string): number;
}

function within(value: number, low: number, high: number): boolean {
  return value >= low && value <= high;
}

const candidates: Candidate[] = [
  {
    encoding: 'gb18030',
    rate(lead, trail, text) {
      if (simplified.includes(text)) return 1;
      if (trail < 0xa1) return 0;
      if (lead === 0xa1 || lead === 0xa3) return 0.7;
      return within(lead, 0xb0, 0xd7) ? 0.5 : 0.1;
    },
  },
  {
    encoding: 'shift_jis',
    rate(lead, trail) {
      if ((lead === 0x82 && trail >= 0x9f) || (lead === 0x83 && trail <= 0x96)) return 1;
      if (lead === 0x81) return 0.7;
      if (within(lead, 0xa1, 0xdf)) return 0.3;
      return within(lead, 0x88, 0x97) ? 0.6 : 0.1;
    },
  },
  {
    encoding: 'euc-jp',
    rate(lead) {
      if (lead === 0xa4 || lead === 0xa5) return 1;
      if (lead === 0xa1) return 0.7;
      return within(lead, 0xb0, 0xcf) ? 0.5 : 0.1;
    },
  },
  {
    encoding: 'big5',
    rate(lead, _trail, text) {
      if (traditional.includes(text)) return 1;
      if (lead === 0xa1) return 0.7;
      return within(lead, 0xa4, 0xc6) ? 0.4 : 0.1;
    },
  },
  {
    encoding: 'euc-kr',
    rate(lead, trail, text) {
      if (korean.includes(text)) return 1;
      return within(lead, 0xb0, 0xc8) && trail >= 0xa1 ? 0.55 : 0.1;
    },
  },
];

export async function guessEncoding(bytes: Uint8Array): Promise<string> {
  const sample = foreignLines(bytes);
  let best = { encoding: '', rating: 0 };
  for (const candidate of candidates) {
    const rating = rate(await sampleUnits(sample, candidate.encoding), candidate, sample);
    if (rating > best.rating) best = { encoding: candidate.encoding, rating };
  }
  const alphabet = best.rating < 0.65 ? await guessAlphabet(sample) : null;
  const eastAsian =
    best.rating >= 0.45 && !(alphabet && alphabet.confidence >= 40 && !isLatin(alphabet.encoding));
  if (!alphabet || eastAsian) return best.encoding === 'gb18030' ? gbVariant(bytes) : best.encoding;
  return alphabet.encoding;
}

/** A file without four-byte characters counts as plain GBK: other programs that read it may know nothing more. */
async function gbVariant(bytes: Uint8Array): Promise<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const units = await sampleUnits(buffer, 'gb18030');
  return units.some((unit) => unit.length === 4 && buffer[unit.offset]! >= 0x80) ? 'gb18030' : 'gbk';
}

function rate(units: LegacyUnit[], candidate: Candidate, sample: Buffer): number {
  let [count, malformed, total] = [0, 0, 0];
  for (const unit of units) {
    const lead = sample[unit.offset]!;
    if (lead < 0x80) continue;
    count++;
    if (unit.text === '\uFFFD') malformed++;
    else total += candidate.rate(lead, unit.length > 1 ? sample[unit.offset + 1]! : 0, unit.text);
  }
  // The last unit of the sample may be cut off.
  return count === 0 || (malformed > 1 && malformed * 50 > count) ? 0 : total / count;
}

async function guessAlphabet(sample: Buffer): Promise<{ encoding: string; confidence: number }> {
  // The default export, because a bundle gives nothing else of a CommonJS package.
  const { default: chardet } = await import('chardet');
  const words = foreignWords(sample);
  const known = /^(ISO-8859-\d+|windows-125\d|KOI8-R)$/;
  const match = chardet.analyse(words).find((candidate) => known.test(candidate.name));
  const encoding = match?.name.toLowerCase() ?? 'iso-8859-1';
  const confidence = match?.confidence ?? 0;
  const usesC1 = sample.some((byte) => byte >= 0x80 && byte < 0xa0);
  if (!isLatin(encoding)) return { encoding, confidence };
  const western = usesC1 ? 'windows-1252' : 'iso-8859-1';
  return { encoding: confidence < 30 || encoding.endsWith('8859-1') ? western : encoding, confidence };
}

function isLatin(encoding: string): boolean {
  return /^(iso-8859-(1|2|9|15)|windows-125[02478])$/.test(encoding);
}

/** The lines that hold anything but ASCII, up to SAMPLE_BYTES. */
function foreignLines(bytes: Uint8Array): Buffer {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (let start = 0; start < bytes.length && size < SAMPLE_BYTES; ) {
    const newline = bytes.indexOf(0x0a, start);
    const end = Math.min(newline === -1 ? bytes.length : newline + 1, start + SAMPLE_BYTES);
    const line = bytes.subarray(start, end);
    if (line.some((byte) => byte >= 0x80)) {
      pieces.push(line);
      size += line.length;
    }
    start = end;
  }
  return Buffer.concat(pieces);
}

/** Only the words with a letter beyond ASCII: English and code around them would look like Latin-1. */
function foreignWords(sample: Buffer): Buffer {
  const words = sample.toString('latin1').match(/[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*/g) ?? [];
  return Buffer.from(words.join(' '), 'latin1');
}
