import { describe, expect, it } from 'vitest';
import type { Key } from '../app/key.js';
import { createKeyDecoder, type TerminalReport } from './keys.js';

const text = (typed: string): Key => ({ name: 'text', text: typed });

const table: [string, Key[]][] = [
  ['abc', [text('abc')]],
  ['日本👍', [text('日本👍')]],
  ['a\rb', [text('a'), { name: 'enter' }, text('b')]],
  ['\n', [{ name: 'newline' }]],
  ['\x1b\r', [{ name: 'newline' }]],
  ['\x1b[13;2u', [{ name: 'newline' }]],
  ['\x1b[27;5;13~', [{ name: 'newline' }]],
  ['\x1b[13u', [{ name: 'enter' }]],
  ['\x1b[27u', [{ name: 'escape' }]],
  ['\x03', [{ name: 'interrupt' }]],
  ['\x04', [{ name: 'end-of-input' }]],
  ['\x7f', [{ name: 'backspace' }]],
  ['\x1b\x7f\x17', [{ name: 'erase-word' }, { name: 'erase-word' }]],
  ['\x1b[A\x1bOB', [{ name: 'up' }, { name: 'down' }]],
  ['\x1b[1;5C\x1bb', [{ name: 'word-right' }, { name: 'word-left' }]],
  ['\x1b[1~\x1b[4~\x1b[3~', [{ name: 'home' }, { name: 'end' }, { name: 'delete' }]],
  ['\x1b[200~one\r\ntwo\rthree\x1b[201~x', [{ name: 'paste', text: 'one\ntwo\nthree' }, text('x')]],
  ['\x1b[200~\x1b[A\x03y\r\x1b[201~', [{ name: 'paste', text: '\x1b[A\x03y\n' }]],
  ['\x1b[200~\x1b[201\x1b[201~', [{ name: 'paste', text: '\x1b[201' }]],
  ['\x1b[<2;1;1M\x1b[?1;2c\x1b[15~a', [text('a')]],
  ['\x00\x1c\x1ex', [text('x')]],
];

it('what a terminal tells by itself is no key, wherever it is cut', () => {
  const bytes = '\x1b[Oa\x1b]11;rgb:ffff/fffa/f000\x1b\\\x1b[I\x1b]11;rgb:1e/1e/1e\x07b\x1b]0;x\x07';
  for (let cut = 0; cut <= bytes.length; cut++) {
    const decoder = createKeyDecoder();
    expect([...decoder.push(bytes.slice(0, cut)), ...decoder.push(bytes.slice(cut))]).toEqual([
      { name: 'focus', isIn: false },
      text('a'),
      { name: 'background', isLight: true },
      { name: 'focus', isIn: true },
      { name: 'background', isLight: false },
      text('b'),
    ]);
  }
});

it('clicks, the wheel and the place of the cursor are no keys, wherever they are cut', () => {
  const bytes = 'a\x1b[<0;12;7M\x1b[<0;13;7m\x1b[<64;1;1M\x1b[<65;2;2M\x1b[<1;3;3M\x1b[24;3Rb';
  for (let cut = 0; cut <= bytes.length; cut++) {
    const decoder = createKeyDecoder();
    expect([...decoder.push(bytes.slice(0, cut)), ...decoder.push(bytes.slice(cut))]).toEqual([
      text('a'),
      { name: 'mouse', what: 'pressed', row: 7, column: 12 },
      { name: 'mouse', what: 'released', row: 7, column: 13 },
      { name: 'mouse', what: 'wheel-up', row: 1, column: 1 },
      { name: 'mouse', what: 'wheel-down', row: 2, column: 2 },
      { name: 'cursor', row: 24 },
      text('b'),
    ]);
  }
});

describe('bytes from a terminal', () => {
  it.each(table)('%j are the keys %j', (bytes, keys) => {
    const decoder = createKeyDecoder();
    expect([...decoder.push(bytes), ...decoder.settle()]).toEqual(keys);
  });

  it.each(table)('%j are the same keys when they come one by one', (bytes, keys) => {
    const decoder = createKeyDecoder();
    const found = [...bytes].flatMap((byte) => decoder.push(byte));
    expect(joined([...found, ...decoder.settle()])).toEqual(joined(keys));
  });

  it('an escape that nothing follows is the key; two are at least one', () => {
    const decoder = createKeyDecoder();
    expect(decoder.push('\x1b')).toEqual([]);
    expect(decoder.isWaiting).toBe(true);
    expect(decoder.settle()).toEqual([{ name: 'escape' }]);
    expect(decoder.isWaiting).toBe(false);
    expect(decoder.push('\x1b\x1b')).toEqual([{ name: 'escape' }]);
    expect(decoder.settle()).toEqual([{ name: 'escape' }]);
  });

  it('a paste that is under way is not taken for an escape', () => {
    const decoder = createKeyDecoder();
    expect(decoder.push('\x1b[200~text\x1b[2')).toEqual([]);
    expect(decoder.isWaiting).toBe(false);
    expect(decoder.settle()).toEqual([]);
    expect(decoder.push('01~')).toEqual([{ name: 'paste', text: 'text' }]);
  });
});

/** Neighbouring texts as one. */
function joined(keys: readonly (Key | TerminalReport)[]): (Key | TerminalReport)[] {
  return keys.reduce<(Key | TerminalReport)[]>((all, key) => {
    const last = all.at(-1);
    if (key.name === 'text' && last?.name === 'text') all[all.length - 1] = text(last.text + key.text);
    else all.push(key);
    return all;
  }, []);
}
