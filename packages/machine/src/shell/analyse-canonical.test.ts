import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyseCommand } from './analyse.js';
import { readLines } from './fixtures/read-lines.js';
import { quote } from './shell-word.js';

const context = { directory: '/work/app', roots: ['/work/app'], home: '/home/me' };
const analyse = (command: string) => analyseCommand(command, context);

/** Words a model might write: letters, blanks and every character that means something to a shell. */
const word = fc.string({
  unit: fc.constantFrom(...'abc019 \t\n$`"\'\\!*?[]{}()<>|&;#~=-+%^,./:@éß漢'),
  maxLength: 12,
});

describe('a line written again', () => {
  it('means the same to the analysis, and is then written the same', async () => {
    for (const { command } of readLines('everyday.txt')) {
      const first = await analyse(command);
      const second = await analyse(first.canonical ?? '');
      expect(second).toEqual(first);
    }
  });

  it('leaves no literal word without quotes', async () => {
    expect((await analyse('ls -la a*b "x"y')).canonical).toBe(`'ls' '-la' 'a'*'b' 'xy'`);
    expect((await analyse('echo \\if ~ # note')).canonical).toBe(`'echo' 'if' '/home/me'`);
    expect((await analyse("rg 'it'\\''s'")).canonical).toBe(`'rg' 'it'\\''s'`);
  });

  it('keeps every word as it was, whatever it consists of', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 5 }), async (words) => {
        const line = ['echo', ...words].map(quote).join(' ');
        const { commands, canonical } = await analyse(line);
        expect(commands).toEqual([['echo', ...words]]);
        expect(canonical).toBe(line);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps words that were quoted in other ways', async () => {
    const doubleQuoted = (text: string) => `"${text.replace(/[$`"\\]/g, '\\$&')}"`;
    const escaped = (text: string) =>
      text.replace(/[^A-Za-z0-9\n]/g, '\\$&').replaceAll('\n', "'\n'") || "''";
    const ansi = (text: string) => `$'${text.replace(/['\\]/g, '\\$&').replaceAll('\n', '\\n')}'`;
    const spelling = fc.constantFrom(doubleQuoted, escaped, ansi, quote);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(word, spelling), { maxLength: 4 }), async (words) => {
        const { commands, canonical } = await analyse(
          ['echo', ...words.map(([text, spell]) => spell(text))].join(' '),
        );
        const plain = words.map(([text]) => text);
        expect(commands).toEqual([['echo', ...plain]]);
        expect(canonical).toBe(['echo', ...plain].map(quote).join(' '));
      }),
      { numRuns: 300 },
    );
  });

  it('random text never breaks the analysis, and what it proves it writes in full', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(word, fc.constantFrom('ls', 'echo', '$(', ')', '"', '&&', '|', ';', ' ')), {
          maxLength: 12,
        }),
        async (parts) => {
          const { readOnly, canonical, doubts, commands } = await analyse(parts.join(''));
          expect(readOnly).toBe(doubts.length === 0);
          expect(canonical !== null).toBe(readOnly);
          if (readOnly) expect((await analyse(canonical ?? '')).commands).toEqual(commands);
        },
      ),
      { numRuns: 400 },
    );
  });
});
