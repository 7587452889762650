import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { fillTemplate, type Segment } from './template.js';

const markdown = { isToml: false, typed: '/x' };
const toml = { isToml: true, typed: '/x' };
const shown = (segments: Segment[]): string =>
  segments.map((each) => (each.kind === 'text' ? each.text : `<${each.command}>`)).join('');

const cases: [string, string, string, typeof toml, string][] = [
  ['all that was typed', 'Fix $ARGUMENTS now', 'a "b c"', markdown, 'Fix a "b c" now'],
  ['single words, quotes keep them together', '$1, $2, $3', 'a "b c"', markdown, 'a, b c, '],
  ['an amount of dollars left alone', '$10 and $ARGUMENTSX', '', markdown, '$10 and $ARGUMENTSX'],
  ['what has no place, at the end', 'Review', 'src/a.ts', markdown, 'Review\n\nARGUMENTS: src/a.ts'],
  ['what has no place, as typed, in TOML', 'Review', 'src/a.ts', toml, 'Review\n\n/x src/a.ts'],
  ['the marks of TOML', 'a {{args}} $1', 'b', toml, 'a b $1'],
  ['the marks of both in Markdown', '{{args}} !{ls {{args}}} !`ls $1`', 'b', markdown, "b <ls 'b'> <ls 'b'>"],
  ['no Markdown command in TOML', 'a !`ls`', '', toml, 'a !`ls`'],
  ['braces that match', "!{awk '{print $1}' x} rest", '', toml, "<awk '{print $1}' x> rest"],
  ['an open brace as text', 'a !{ls', '', toml, 'a !{ls'],
  [
    'words one by one in $ARGUMENTS',
    '!`git add $ARGUMENTS`',
    'a "b c" d;e',
    markdown,
    "<git add 'a' 'b c' 'd;e'>",
  ],
  ['one word in {{args}}', '!{grep {{args}} .}', 'a b', toml, "<grep 'a b' .>"],
];

it.each(cases)('a template puts in %s', (_name, template, typed, kind, expected) => {
  expect(shown(fillTemplate(template, typed, kind))).toBe(expected);
});

it('never takes what was typed for a command', () => {
  const segments = fillTemplate('Say $ARGUMENTS', '!`touch /tmp/x` !{id}', markdown);
  expect(segments.every(({ kind }) => kind === 'text')).toBe(true);
});

describe('what was typed reaches the shell as it is', () => {
  const hostile = [
    'a b',
    `it's`,
    '"; touch x; "',
    '$(id)',
    '`id`',
    '$HOME',
    'a\\',
    '*',
    '!x',
    '-n',
    `'"'"'`,
    '\n;id',
  ];
  const templates = [
    'printf %s {{args}}',
    'printf %s "{{args}}"',
    "printf %s '{{args}}'",
    'printf "%s" {{args}}',
  ];

  it.each(templates)('in %s', (template) => {
    for (const typed of hostile) {
      const [segment] = fillTemplate(`!{${template}}`, typed, toml);
      const command = segment?.kind === 'command' ? segment.command : '';
      expect(execFileSync('bash', ['-c', command], { encoding: 'utf8' })).toBe(typed);
    }
  });

  it.each([
    'echo "$(cat {{args}})"',
    'echo `cat {{args}}`',
    'cat <<E\n{{args}}\nE',
    "echo # it's\ncat {{args}}",
  ])('or not at all: %s', (template) => {
    expect(shown(fillTemplate(`!{${template}}`, 'src/a.ts', toml))).toContain('src/a.ts');
    for (const typed of ['$(id)', 'a;b', '`id`', '-rf', 'a\nb', `'`])
      expect(() => fillTemplate(`!{${template}}`, typed, toml)).toThrow(
        /can't be put safely into the command/,
      );
  });
});
