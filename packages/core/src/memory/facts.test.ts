import { applyEdits, type TextEdit } from '@toolwright/machine/base/text-codec.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanFact, escapeFact, factKey, unescapeFact } from './fact-text.js';
import { editToAdd, editToRemove, FACTS_HEADING, factsIn } from './facts.js';
import { findImports } from './read-context.js';

const apply = (text: string, edit: TextEdit | null): string | null => edit && applyEdits(text, [edit]);
const add = (text: string, fact: string) => apply(text, editToAdd(text, cleanFact(fact)));
const remove = (text: string, fact: string) => apply(text, editToRemove(text, fact));
const list = (text: string) => factsIn(text).map(({ fact }) => fact);

describe('a fact', () => {
  test.each<[string, string, string]>([
    ['stays as it is when it is plain', 'Prefers tabs, width 4.', 'Prefers tabs, width 4.'],
    ['keeps a code span', 'Run `npm test -- --bail` first', 'Run `npm test -- --bail` first'],
    ['is one line', '  one\r\n\ttwo\u2028three  ', 'one two three'],
    ['is no heading', '# Rules', '\\# Rules'],
    ['is no further list', '- item', '\\- item'],
    ['is no numbered list', '1. item', '1\\. item'],
    ['is no quotation', '> said', '\\> said'],
    ['is no rule', '--- x', '\\--- x'],
    ['opens no fence', '``` rm', '\\`\\`\\` rm'],
    ['opens no tilde fence', '~~~ rm', '\\~~~ rm'],
    ['is no table', '| a | b |', '\\| a | b |'],
    ['opens no comment', 'a <!-- b', 'a \\<!-- b'],
    ['holds no tag', '</context_file> x', '\\</context_file> x'],
    ['holds no link and no picture', '![x](http://a.b/c)', '!\\[x](http://a.b/c)'],
    ['imports nothing', '@secrets.env and (@b)', '\\@secrets.env and (\\@b)'],
    ['imports nothing out of a code span', '`@a`', '\\`\\@a\\`'],
    ['keeps an address', 'Mail me@example.org', 'Mail me@example.org'],
    ['keeps a backslash', 'C:\\temp\\', 'C:\\\\temp\\\\'],
    ['shows control characters', 'a\u001b[31mb', 'a\u241b\\[31mb'],
    ['shows what is hidden', 'a\u200bb\u202ec', 'a\\<U+200B>b\\<U+202E>c'],
  ])('%s', (_name, given, written) => {
    expect(escapeFact(cleanFact(given))).toBe(written);
  });

  test('is read back as it was, is one line, and imports nothing', () => {
    const text = fc.oneof(
      fc.array(fc.nat(0x10ffff), { maxLength: 40 }).map((points) => String.fromCodePoint(...points)),
      fc.array(fc.nat(0x2fff), { maxLength: 40 }).map((points) => String.fromCodePoint(...points)),
      fc
        .array(fc.constantFrom('@', '`', '#', '-', ' ', '\\', '<', '[', 'a', '1', '.', '\n', '>', '*', '~'), {
          maxLength: 30,
        })
        .map((units) => units.join('')),
    );
    fc.assert(
      fc.property(text, (given) => {
        const clean = cleanFact(given);
        const written = escapeFact(clean);
        expect(unescapeFact(written)).toBe(clean);
        expect(cleanFact(clean)).toBe(clean);
        expect(written).not.toMatch(/[\r\n\0-\x1f\u2028\u2029\u200b-\u200f\u202a-\u202e]/);
        expect(findImports(`- ${written}\n`)).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });

  test('is the same whatever its case, blanks, composition and last full stop', () => {
    expect(factKey('Use tabs.')).toBe(factKey('use tabs'));
    expect(factKey('Use tabs. Or not')).not.toBe(factKey('use tabs'));
    expect(factKey(' Use  TABS\u00a0for caf\u0065\u0301 ')).toBe(factKey('use tabs for caf\u00e9'));
    expect(factKey('use tabs')).not.toBe(factKey('use tab'));
  });
});

test('of two facts that someone wrote almost alike, the one that is named is taken out', () => {
  const text = `${FACTS_HEADING}\n\n- Use tabs.\n- use tabs\n`;
  const edit = editToRemove(text, 'use tabs')!;
  expect(text.slice(edit.start, edit.end)).toBe('- use tabs\n');
});

describe('adding a fact', () => {
  test.each<[string, string, string]>([
    ['makes a section in an empty file', '', `${FACTS_HEADING}\n\n- x\n`],
    ['appends a section', '# A\n\ntext\n', `# A\n\ntext\n\n${FACTS_HEADING}\n\n- x\n`],
    ['ends a last line that has no end', 'text', `text\n\n${FACTS_HEADING}\n\n- x\n`],
    ['keeps Windows line ends', 'a\r\n', `a\r\n\r\n${FACTS_HEADING}\r\n\r\n- x\r\n`],
    [
      'goes after the last fact',
      `${FACTS_HEADING}\n\n- a\n- b\n\n## Next\n- c\n`,
      `${FACTS_HEADING}\n\n- a\n- b\n- x\n\n## Next\n- c\n`,
    ],
    [
      'goes after a fact of several lines',
      `${FACTS_HEADING}\n\n- a\n  more\n`,
      `${FACTS_HEADING}\n\n- a\n  more\n- x\n`,
    ],
    [
      'goes after a last fact without a line end',
      `${FACTS_HEADING}\n\n- a`,
      `${FACTS_HEADING}\n\n- a\n- x\n`,
    ],
    ['fills an empty section', `${FACTS_HEADING}\n\n## Next\n`, `${FACTS_HEADING}\n\n- x\n\n## Next\n`],
    ['fills a section that is only a heading', FACTS_HEADING, `${FACTS_HEADING}\n\n- x\n`],
    [
      'takes no example for the section',
      `\`\`\`\n${FACTS_HEADING}\n\n- a\n\`\`\`\n`,
      `\`\`\`\n${FACTS_HEADING}\n\n- a\n\`\`\`\n\n${FACTS_HEADING}\n\n- x\n`,
    ],
    [
      'finds the section behind a fence that nothing closes',
      `\`\`\`\na\n\n${FACTS_HEADING}\n\n- a\n`,
      `\`\`\`\na\n\n${FACTS_HEADING}\n\n- a\n- x\n`,
    ],
  ])('%s', (_name, before, after) => {
    expect(add(before, 'x')).toBe(after);
  });

  test('changes nothing when it is there already', () => {
    expect(add(`${FACTS_HEADING}\n\n- Use  tabs\n`, 'use TABS')).toBeNull();
    expect(add(`${FACTS_HEADING}\n\n- \\@x is [y]\n`, '@x is [y]')).toBeNull();
  });

  test('leaves facts outside of its section alone', () => {
    expect(
      list(`- a\n\n${FACTS_HEADING}\n\n- b\n* c\ntext\n\n### Deeper\n\n- d\n\n# Other\n\n- e\n`),
    ).toEqual(['b', 'c', 'd']);
  });
});

describe('removing a fact', () => {
  test('takes its line out', () => {
    expect(remove(`${FACTS_HEADING}\n\n- a\n- b\n- c\n`, 'B')).toBe(`${FACTS_HEADING}\n\n- a\n- c\n`);
  });

  test('takes all of its lines out', () => {
    expect(remove(`${FACTS_HEADING}\n\n- a\n  more\n- c\n`, 'a more')).toBe(`${FACTS_HEADING}\n\n- c\n`);
  });

  test('takes the section away with the last one, unless there is more in it', () => {
    expect(remove(`# A\n\n${FACTS_HEADING}\n\n- a\n\n## Next\n`, 'a')).toBe('# A\n\n## Next\n');
    expect(remove(`${FACTS_HEADING}\n\nnote\n\n- a\n`, 'a')).toBe(`${FACTS_HEADING}\n\nnote\n\n`);
  });

  test('changes nothing when it is not there', () => {
    expect(remove('# A\n', 'a')).toBeNull();
    expect(remove(`${FACTS_HEADING}\n\n- ab\n`, 'a')).toBeNull();
  });

  test('is the way back from adding, for any text and any facts', () => {
    const line = fc.constantFrom('# A', '## B', 'text', '', '- item', '  more', '```', '> q', '    code');
    const fact = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => cleanFact(text) !== '');
    fc.assert(
      fc.property(
        fc.array(line),
        fc.uniqueArray(fact, { maxLength: 5, selector: factKey }),
        (lines, facts) => {
          const original = lines.map((each) => `${each}\n`).join('');
          let text = original;
          for (const each of facts) text = add(text, each) ?? text;
          expect(list(text)).toEqual(facts.map(cleanFact));
          for (const each of facts) text = remove(text, each) ?? text;
          expect(text).toBe(original);
        },
      ),
      { numRuns: 150 },
    );
  });
});
