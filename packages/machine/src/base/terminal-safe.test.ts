import { expect, it } from 'vitest';
import { createTerminalSafe, terminalSafe, terminalSafeJson, terminalSafeLine } from './terminal-safe.js';

const attacks: [string, string][] = [
  ['colour', '\x1b[31mred\x1b[0m'],
  ['cursor movement', 'a\x1b[2A\x1b[Kb'],
  ['clear screen', '\x1b[2J\x1b[H'],
  ['window title (OSC)', '\x1b]0;title\x07'],
  ['hyperlink (OSC 8)', '\x1b]8;;http://evil.example\x1b\\text\x1b]8;;\x1b\\'],
  ['clipboard (OSC 52)', '\x1b]52;c;ZXZpbA==\x07'],
  ['device control (DCS)', '\x1bP+q544e\x1b\\'],
  ['application command (APC)', '\x1b_Gf=100;AAAA\x1b\\'],
  ['privacy message (PM)', '\x1b^x\x1b\\'],
  ['start of string (SOS)', '\x1bXx\x1b\\'],
  ['one-byte CSI', '\x9b31mred'],
  ['one-byte OSC', '\x9d0;title\x9c'],
  ['device status report', '\x1b[6n'],
  ['alternate screen', '\x1b[?1049h'],
  ['bracketed paste end', '\x1b[201~rm -rf /'],
  ['reset', '\x1bc'],
  ['character set', '\x1b(0'],
  ['backspaces over text', 'safe\b\b\b\bevil'],
  ['carriage return over text', 'rm -rf /\rls       '],
  ['bell and vertical tab', '\x07\v\f'],
  ['NUL and DEL', '\0\x7f'],
  ['right-to-left override', 'a\u202egpj.exe'],
  ['isolates', '\u2066hidden\u2069'],
  ['zero-width space and joiners', 'a\u200bb\u200cc\u200dd\ufeff'],
  ['tag characters', 'x\u{e0041}\u{e0042}y'],
  ['line and paragraph separators', 'a\u2028b\u2029c'],
  ['Hangul filler', 'a\u3164b'],
  ['soft hyphen', 'pass\u00adword'],
  ['stray variation selectors', 'a\ufe0fb\ufe00\ufe0e'],
];

const forbidden =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff]|[\ufe00-\ufe0f]|[\u{e0000}-\u{e0fff}]/u;

it.each(attacks)('text for a terminal makes %s visible, whole and cut at every place', (_name, attack) => {
  const whole = terminalSafe(attack);
  expect(whole).not.toMatch(forbidden);
  for (let cut = 0; cut <= attack.length; cut++) {
    const safe = createTerminalSafe();
    const joined = safe.write(attack.slice(0, cut)) + safe.write(attack.slice(cut)) + safe.end();
    expect(joined).toBe(whole);
  }
});

it('text for a terminal shows which character it was', () => {
  expect(terminalSafe('\x1b[31m\b\u202e\u{e0041}')).toBe('␛[31m␈<U+202E><U+E0041>');
});

it('text for a terminal makes the ends of lines visible too where all must stay on one', () => {
  expect(terminalSafeLine('a\tb\r\nc\u001b[1m')).toBe('a␉b␊c␛[1m');
});

it('text for a terminal leaves ordinary text of any language alone', () => {
  const text = 'a\tb\nGrüße, 你好, こんにちは, שלום, مرحبا, 👍🏽 e\u0301 ✓ ❤️ 1️⃣ ⚠︎';
  expect(terminalSafe(text)).toBe(text);
});

it.each([
  ['a family', '👨\u200d👩\u200d👧\u200d👦'],
  ['a couple with a heart', '👩\u200d❤️\u200d👨'],
  ['a profession with a colour of skin', '👩🏽\u200d💻'],
  ['a Persian word', 'می\u200cخواهم'],
  ['an Indic conjunct', 'क्\u200dष'],
  ['a Malayalam word', 'അവന്\u200dറെ'],
])('joiners are text where they join letters that need them: %s', (_what, text) => {
  expect(terminalSafe(`a ${text} b`)).toBe(`a ${text} b`);
  for (let cut = 0; cut <= text.length; cut++) {
    const safe = createTerminalSafe();
    expect(safe.write(text.slice(0, cut)) + safe.write(text.slice(cut)) + safe.end()).toBe(text);
  }
});

it.each([
  ['between Latin letters', 'pass\u200dword', 'pass<U+200D>word'],
  ['two in a row', '👨\u200d\u200d👩', '👨<U+200D><U+200D>👩'],
  ['at an end', 'می\u200c ', 'می<U+200C> '],
  ['between a picture and a letter', '👍\u200da', '👍<U+200D>a'],
  ['the wrong one', 'می\u200dخ', 'می<U+200D>خ'],
  ['with a stand-in', '\ufdd2a\u200db', '\ufffda<U+200D>b'],
])('joiners are shown where they join nothing: %s', (_what, text, shown) => {
  expect(terminalSafe(text)).toBe(shown);
});

it('text for a terminal takes a Windows line end as a line end, also when it is cut in two', () => {
  expect(terminalSafe('a\r\nb')).toBe('a\nb');
  const safe = createTerminalSafe();
  expect(safe.write('a\r') + safe.write('\nb') + safe.end()).toBe('a\nb');
});

it('JSON for a terminal holds nothing that it would obey or hide, and means the same', () => {
  const value = { 'a\x9b31m': ['\u202eevil', '\x1b]0;x\x07', '\u{e0041}\ufe0fx\u200b', 'plain ❤️\n'] };
  const text = terminalSafeJson(value, 2);
  expect(text).toContain('"a\\u009b31m"');
  expect(text).toContain('plain ❤️');
  expect(text).not.toMatch(/[\x7f-\x9f\u200b\u202e]|\u{e0041}/u);
  expect(JSON.parse(text)).toEqual(value);
});
