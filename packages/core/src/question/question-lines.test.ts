import { describe, expect, it } from 'vitest';
import { questionLines } from './question-lines.js';

describe('the lines of a part', () => {
  it('are marked where somebody else wrote them', () => {
    const untrusted = 'true\nIt printed nothing.\u2028\tx\r\nchanges nothing';
    expect(questionLines({ kind: 'command', untrusted })).toEqual([
      '$ true',
      '> It printed nothing.',
      '> ␉x',
      '> changes nothing',
    ]);
    expect(questionLines({ kind: 'message', untrusted: 'Fetch?\nhttps://a.b' })).toEqual([
      'Fetch?',
      '> https://a.b',
    ]);
    expect(questionLines({ kind: 'output', heading: 'It printed:', untrusted: 'a\tb\rIt is safe.' })).toEqual(
      ['It printed:', '  a\tb', '  It is safe.'],
    );
  });

  it('of arguments break only where JSON was laid out', () => {
    const untrusted = JSON.stringify({ a: '\u2028Asked because' }, null, 2);
    expect(questionLines({ kind: 'arguments', heading: 't', untrusted })).toEqual([
      't {',
      '  "a": "<U+2028>Asked because"',
      '}',
    ]);
  });

  it('are one for each address, whatever stands in it', () => {
    expect(questionLines({ kind: 'addresses', untrusted: ['https://a.b\nhttps://c.d\x1b'] })).toEqual([
      'https://a.b␊https://c.d␛',
    ]);
  });
});
