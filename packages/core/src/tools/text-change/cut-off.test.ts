import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { refuseCutOff } from './cut-off.js';

/** A file of forty lines, of which a model sends back eleven with a placeholder among them. */
const whole = Array.from({ length: 40 }, (_, line) => `  step${line}();`).join('\n');
const shortened = (line: string): string =>
  [...Array.from({ length: 5 }, (_, index) => `  step${index}();`), line, '  last();', '}', '', '', ''].join(
    '\n',
  );

/** One in each line, as models write them. */
const placeholders = readFileSync(new URL('./fixtures/placeholders.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

/** They can't be told from comments that people write. */
const missed = ['// unchanged', '// more code here', '<unchanged>'];

const harmless = [
  'const rest = [...existing, ...more];',
  'fn(...args);',
  'return { ...previous, name };',
  '// The rest of the arguments are passed on.',
  '// Remaining bytes are read with the next call.',
  '// Existing files are kept.',
  '// Existing code that calls this must be changed too.',
  '# The rest is silence',
  '// Other methods call this one.',
  'console.log("... done");',
  '// ...and so on for each letter.',
  '// Waits until the rest of the code is here, then parses it.',
  '# See the rest of the documentation at https://example.org',
  'print("loading...")',
  '// unchanged files are skipped',
  'expect(text).toBe("... rest of the file");',
  '- existing users keep their passwords',
  '// TODO: handle the remaining cases',
  'Previous versions of the file stay in the store.',
  '/* ---------- rest of the page ---------- */',
  '  ...rest',
  '...(more > 0 ? [`and {more} more`] : []),',
  '...rest: Predicate<As, Rest>[]',
  ' *     ...rest,',
  '...',
  '// The remainder of the division',
  'const omitted = count - shown;',
  '// omitted when empty',
  'truncated = true;',
  '| truncated | number of lines |',
  '// more tests below',
  'case "rest of the file":',
];

const refused = (text: string, replaced: string | null): string | null =>
  orRefusal({ name: 'content', text, replaced, shown: 'a.ts' });

const orRefusal = (input: Parameters<typeof refuseCutOff>[0]): string | null => {
  try {
    refuseCutOff(input);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describe('a placeholder in place of text that is there', () => {
  it.each(placeholders)('%s', (line) => {
    expect(refused(shortened(line), whole)).toContain(JSON.stringify(line.trim()));
  });

  it('is found in nearly all of its forms', () => {
    const all = [...placeholders, ...missed];
    const hits = all.filter((line) => refused(shortened(line), whole) !== null).length;
    const alarms = harmless.filter((line) => refused(shortened(line), whole) !== null).length;
    console.log(
      `evidence: placeholders: ${hits} of ${all.length} forms refused; of ${harmless.length} lines that only look like one: ${alarms}`,
    );
    expect(hits).toBe(placeholders.length);
  });
});

describe('a line that only looks like one', () => {
  it.each(harmless)('%s', (line) => {
    expect(refused(shortened(line), whole)).toBeNull();
  });
});

it('a placeholder that the file has already may stay', () => {
  const line = '// ... rest of the code unchanged';
  expect(refused(shortened(line), `${whole}\n${line}`)).toBeNull();
});

it('a new file may not end in one, and may have one elsewhere', () => {
  expect(refused('one\n// ... rest of the code unchanged\n', null)).not.toBeNull();
  expect(refused(`// ... rest of the code unchanged\n${whole}`, null)).toBeNull();
});

describe('a placeholder that can mean nothing else', () => {
  /** Comments with dots, as the form that models write most. */
  const certain = placeholders.filter(
    (line) =>
      /^(?:\/\/|#|--|%|\/\*|<!--|\{\/\*).*(?:\.{3}|…)/.test(line) &&
      /rest of|existing code|same as before/.test(line),
  );
  const file = `function a() {\n  one();\n  two();\n}\n\nfunction b() {\n  three();\n}\n`;
  const grown = (line: string) => `function a() {\n  zero();\n  ${line}\n  four();\n  five();\n}`;
  const ways: [way: string, replaced: string, text: (line: string) => string, whole: string][] = [
    ['an edit that grows', 'function a() {', (line) => `${grown(line)}\nfunction c() {`, file],
    ['an edit of the same length', 'one();\n  two();', (line) => `one();\n  ${line}`, file],
    ['a whole file that grows', file, (line) => `${file}\n${grown(line)}\n`, file],
    ['a patch that only adds', '', (line) => `zero();\n${line}`, file],
    ['a cell that grows', 'one()', (line) => `zero()\n${line}\nfour()`, '{"cells":[{"source":["one()"]}]}'],
  ];

  it.each(ways)('is refused in %s', (_, replaced, text, whole) => {
    const input = (line: string) => ({
      name: 'content',
      text: text(line),
      replaced,
      file: () => whole,
      shown: 'a',
    });
    const passed = certain.filter((line) => orRefusal(input(line)) === null);
    console.log(
      `evidence: certain placeholders: ${certain.length - passed.length} of ${certain.length} refused`,
    );
    expect(certain.length).toBeGreaterThan(20);
    expect(passed).toEqual([]);
    // The file has the line, so that it may be moved, and lines that only look like one are nothing to it.
    for (const line of certain)
      expect(orRefusal({ ...input(line), file: () => `${whole}\n${line}` })).toBeNull();
    for (const line of harmless) expect(orRefusal(input(line))).toBeNull();
  });
});

describe('a line that is too long for a placeholder', () => {
  const rest = 'rest of the code unchanged';

  it.each(['-', '= ', '.', '~', '*', '\u2026'])('is passed over, whatever it has of %j', (mark) => {
    const marks = mark.repeat(400);
    for (const line of [`// ${marks} ${rest}`, `// ${rest} x${marks}x`, `// ... ${rest} x${marks}`])
      expect(refused(shortened(line), whole)).toBeNull();
  });

  it('takes no more looking at than a short one', () => {
    for (const mark of ['-', '=', '.', '~', ' ', '*', '-.', '" '])
      expect(refused(shortened(`x${mark.repeat(1_000_000)}x`), whole)).toBeNull();
  });

  it('is measured without its indentation', () => {
    const indented = `${' '.repeat(500)}// ... ${rest}`;
    expect(refused(shortened(indented), whole)).toContain(JSON.stringify(indented.trim()));
  });
});
