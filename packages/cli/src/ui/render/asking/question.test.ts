import { describe, expect, it } from 'vitest';
import { newQuestion, type OpenQuestion } from '../../../app/asking/open-question.js';
import type { Question } from '../../../app/question.js';
import { safe } from '../../../app/safe-text.js';
import { initialState } from '../../../app/state.js';
import { type Appearance, textOfLine, widthOf } from '../line.js';
import { renderLive } from '../live.js';
import { measureQuestion, renderOpenQuestion, renderQuestion } from './question.js';

const appearance: Appearance = { color: false, unicode: true, linear: false };

function diffOf(count: number) {
  const lines = Array.from({ length: count }, (_, index) => `+line ${index + 1}\n`).join('');
  const unified = safe(`--- a.ts\n+++ a.ts\n@@ -0,0 +1,${count} @@\n${lines}`);
  return [{ path: safe('a.ts'), change: safe('create'), unified, added: count, removed: 0 }];
}

const question: Question = {
  title: safe('Create a.ts +2 -0 (1 of 3)'),
  warnings: [safe('! It runs later.')],
  facts: [safe('Asked because a rule says so.')],
  diff: diffOf(2),
  choices: [
    { key: 'y', label: safe('yes'), agrees: true },
    { key: 'a', label: safe('always…'), opensAlways: true },
    { key: 'e', label: safe('edit') },
    { key: 'n', label: safe('no'), asksFor: safe('No, because') },
  ],
  always: [{ session: 'a1', saved: 's1', label: safe('changes to a.ts'), rule: safe('Edit(a.ts)') }],
  refusal: 'n',
};

function shown(
  asked: Question,
  { columns = 60, rows = 24, ...more }: Partial<OpenQuestion> & { columns?: number; rows?: number } = {},
) {
  const place = { screen: { columns, rows }, appearance };
  const size = measureQuestion(asked, place);
  const open: OpenQuestion = { ...newQuestion(1, asked), isOpen: true, size, ...more };
  const { lines, cursor } = renderOpenQuestion(open, place);
  return { lines: lines.map(textOfLine), cursor };
}

describe('a question', () => {
  it('shows warnings, then the change with its line numbers, then facts and the answers in one row', () => {
    expect(shown(question).lines).toEqual([
      '',
      '? Create a.ts +2 -0 (1 of 3)',
      '  ! It runs later.',
      '  1 + line 1',
      '  2 + line 2',
      '  Asked because a rule says so.',
      '',
      '  y yes   a always…   e edit   n no',
    ]);
  });

  it('breaks a long line of text between words, as far in as it began', () => {
    const text = safe(
      'These would run:\n  ./find-tools.sh   (tools.toolDiscoveryCommand in settings.json:1)',
    );
    const { lines } = shown({ ...question, warnings: [], diff: undefined, text }, { columns: 40 });
    expect(lines.slice(2, 5)).toEqual([
      '  These would run:',
      '    ./find-tools.sh   ',
      '    (tools.toolDiscoveryCommand in ',
    ]);
  });

  it('shows a command before what it changed, and what it printed after that; several files are named', () => {
    const files = [...diffOf(1), { ...diffOf(1)[0]!, path: safe('b.ts') }];
    const command = { ...question, command: safe('$ make'), text: safe('It printed:\n  ok'), diff: files };
    expect(renderQuestion(command, 60).map(textOfLine)).toEqual([
      '? Create a.ts +2 -0 (1 of 3)',
      '  ! It runs later.',
      '  $ make',
      '  create a.ts +1 -0',
      '  1 + line 1',
      '  create b.ts +1 -0',
      '  1 + line 1',
      '  ',
      '  It printed:',
      '    ok',
      '  Asked because a rule says so.',
    ]);
  });

  it('keeps the counts of its title in one line', () => {
    const title = safe('Keep the changes? Run a command +1 -1 (1 of 2)');
    expect(shown({ ...question, title }, { columns: 38 }).lines.slice(1, 3)).toEqual([
      '? Keep the changes? Run a command',
      '  +1 -1 (1 of 2)',
    ]);
  });

  it('shows no answers before it is open', () => {
    expect(shown(question, { isOpen: false }).lines.at(-1)).toBe('  Asked because a rule says so.');
  });

  it.each([
    [80, 24, 10],
    [40, 20, 10],
    [120, 40, 25],
  ])('fits %ix%i with %i lines of a long change or more, and its answers', (columns, rows, least) => {
    const { lines } = shown({ ...question, diff: diffOf(500) }, { columns, rows });
    expect(lines.length).toBeLessThan(rows);
    expect(lines.filter((row) => /^ +\d+ \+ line/.test(row)).length).toBeGreaterThanOrEqual(least);
    expect(lines[0]).toMatch(/^\? Create a\.ts/);
    expect(lines.at(-1)).toContain('y yes');
    expect(lines.at(-3)).toMatch(/^ {2}\d+ more lines, 1-\d+ of 501/);
    for (const row of lines) expect(widthOf(row)).toBeLessThan(columns);
  });

  it.each([
    [
      'facts and a long command',
      Array.from({ length: 4 }, () => safe('A fact.')),
      '$ one\n  two\n'.repeat(4),
    ],
    ['long facts', Array.from({ length: 4 }, () => safe('A fact. '.repeat(30))), '$ make'],
    ['a long command', [], '$ one\n  two\n'.repeat(20)],
  ])('shows ten lines of a change beside %s, which can be scrolled to', (_what, facts, command) => {
    const wordy = { ...question, facts, command: safe(command.trimEnd()), diff: diffOf(100) };
    const first = shown(wordy, { columns: 80, rows: 24 }).lines;
    expect(first.length).toBeLessThan(24);
    expect(first.filter((row) => /^ +\d+ \+ line/.test(row)).length).toBeGreaterThanOrEqual(10);
    expect(first[1]).toBe('  ! It runs later.');
    const all = Array.from({ length: 200 }, (_, scroll) =>
      shown(wordy, { columns: 80, rows: 24, scroll }).lines.join('\n'),
    ).join('\n');
    for (const text of [
      '+ line 100',
      ...(facts.length > 0 ? ['A fact.'] : []),
      `  ${command.split('\n', 1)[0]}`,
    ])
      expect(all).toContain(text);
  });

  it('scrolls to its end, and is never taller than the screen, whatever it holds', () => {
    const long = { ...question, diff: diffOf(100) };
    expect(shown(long, { scroll: 1_000 }).lines.at(-3)).toMatch(/^ {2}the end, \d+-101 of 101/);
    const wordy = { ...long, facts: Array.from({ length: 50 }, () => safe('A fact. '.repeat(20))) };
    for (const rows of [8, 12, 24])
      expect(shown(wordy, { rows, columns: 40 }).lines.length).toBeLessThan(rows + 4);
  });

  it('is long when it and its answers do not fit together', () => {
    const { lines, room } = measureQuestion(question, { screen: { columns: 60, rows: 24 }, appearance });
    expect(lines).toBeLessThanOrEqual(room);
    const small = measureQuestion(
      { ...question, diff: diffOf(20) },
      { screen: { columns: 60, rows: 12 }, appearance },
    );
    expect(small.lines).toBeGreaterThan(small.room);
  });
});

it.each([
  [20, 6],
  [12, 3],
  [40, 12],
])(
  'a question is never taller than a screen of %i columns and %i rows, and keeps its title',
  (columns, rows) => {
    const place = { screen: { columns, rows }, appearance };
    const size = measureQuestion(question, place);
    const open: OpenQuestion = { ...newQuestion(1, question), isOpen: true, size };
    const asked = { ...initialState, question: open, hint: 'Look at the rest first.' };
    const lines = renderLive(asked, [], place).lines.map(textOfLine);
    expect(lines.length).toBeLessThan(rows);
    expect(lines.find((text) => text !== '')).toMatch(/^\? Create/);
  },
);

it('a hint at a question is wrapped where the screen is narrow', () => {
  const place = { screen: { columns: 40, rows: 20 }, appearance };
  const long = { ...question, diff: diffOf(200) };
  const open: OpenQuestion = { ...newQuestion(1, long), isOpen: true, size: measureQuestion(long, place) };
  const hinted = {
    ...initialState,
    question: open,
    hint: 'See the rest first: the arrows and Space scroll.',
  };
  const lines = renderLive(hinted, [], place).lines.map(textOfLine);
  expect(lines.slice(-2)).toEqual(['See the rest first: the arrows and', 'Space scroll.']);
  expect(lines.length).toBeLessThan(20);
  expect(lines.slice(0, 2)).toEqual(['? Create a.ts +2 -0 (1 of 3)', '  ! It runs later.']);
});

describe('the pages of a question', () => {
  const pages: OpenQuestion['page'][] = [
    { kind: 'answers' },
    { kind: 'deliberate', key: 'y' },
    { kind: 'line', key: 'n' },
    { kind: 'always', scope: 'saved', limit: 1 },
  ];
  it.each([24, 32, 40, 47, 60, 80])('have no line wider than a screen of %i columns', (columns) => {
    const long = { ...question, diff: diffOf(200) };
    for (const page of pages)
      for (const scroll of [0, 1_000])
        for (const row of shown(long, { columns, page, scroll }).lines)
          expect(widthOf(row), row).toBeLessThan(columns);
  });

  it('say in whole words where the screen is narrow how a question is scrolled and agreed to', () => {
    const long = { ...question, diff: diffOf(200) };
    const { lines } = shown(long, { columns: 40, rows: 20, page: { kind: 'deliberate', key: 'y' } });
    expect(lines.slice(-4)).toEqual([
      'You have not seen all of it. Type yes',
      'to agree:',
      '> ',
      'Enter sends, Esc goes back',
    ]);
    expect(lines.at(-6)).toMatch(/^ {2}\d+ more lines, 1-\d+ of 201 \(↑↓\)$/);
  });

  it('show scopes, the rule of each, and the keys for span and limit', () => {
    const { lines } = shown(question, { page: { kind: 'always', scope: 'saved', limit: 1 } });
    expect(lines.slice(-3)).toEqual([
      '  Yes, and always allow:',
      '  1  changes to a.ts  Edit(a.ts)',
      '  s saved for this workspace   l 10 more calls   Esc back',
    ]);
  });

  it('keep their keys in whole words where the screen is narrow', () => {
    const choices = [
      { key: 'y', label: safe('yes, until one of these files changes again') },
      { key: 'n', label: safe('no') },
    ];
    const answers = shown({ ...question, choices }, { columns: 40 }).lines.slice(-3);
    expect(answers).toEqual(['  y yes, until one of these files', '    changes again', '  n no']);
    const always = shown(question, { columns: 40, page: { kind: 'always', scope: 'session', limit: 1 } });
    expect(always.lines.slice(-2)).toEqual(['  s for this session   l 10 more calls', '  Esc back']);
  });

  it('show the line for a reason with the cursor in it', () => {
    const { lines, cursor } = shown(question, {
      page: { kind: 'line', key: 'n' },
      reply: { text: 'too big', cursor: 7 },
    });
    expect(lines.slice(-2)).toEqual(['No, because: too big', 'Enter sends, Esc goes back']);
    expect(cursor).toEqual({ row: lines.length - 2, column: 20 });
  });
});
