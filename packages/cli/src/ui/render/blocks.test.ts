import { describe, expect, it } from 'vitest';
import type { Question } from '../../app/question.js';
import { safe } from '../../app/safe-text.js';
import { type Block, initialState, type NewBlock, type State } from '../../app/state.js';
import { hasAir, renderFinished, renderRunning } from './blocks.js';
import { type Appearance, textOfLine, widthOf } from './line.js';
import { renderLive } from './live.js';
import { fitted, hiddenNotice, isLongQuestion, renderChoices, renderQuestion } from './question.js';

const appearance: Appearance = { color: false, unicode: true, linear: false };
const ascii: Appearance = { ...appearance, unicode: false };
const unified = '--- a.ts\n+++ a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+日本 three and more words\n';
const diff = [{ path: safe('a.ts'), change: safe('modify'), unified: safe(unified), added: 1, removed: 1 }];
const end = { lines: [], more: 0, last: [], wasShown: false, failed: false };

function rows(block: NewBlock, width = 30, shown = appearance): string[] {
  return renderFinished({ ...block, id: 1 } as Block, width, shown).map(textOfLine);
}

describe('a finished block', () => {
  it.each<[string, NewBlock, string[]]>([
    ['a prompt', { kind: 'prompt', text: safe('one\ntwo') }, ['> one', '  two']],
    [
      'a call with its result',
      { kind: 'call', description: safe('Read a.ts'), end: { ...end, lines: [safe('12 lines')] } },
      ['● Read a.ts', '  12 lines'],
    ],
    [
      'a call with more than is shown',
      {
        kind: 'call',
        description: safe('List .'),
        end: { ...end, lines: [safe('a')], more: 3, last: [safe('[exit code 1]')] },
      },
      ['● List .', '  a', '  … 3 more lines', '  [exit code 1]'],
    ],
    [
      'a call that failed',
      {
        kind: 'call',
        description: safe('Edit'),
        end: { ...end, failed: true, lines: [safe('no match'), safe('try x')] },
      },
      ['● Edit', '  failed: no match', '  try x'],
    ],
    [
      'output that breaks anywhere, and sentences that break between words',
      {
        kind: 'call',
        description: safe('Run x'),
        end: {
          ...end,
          lines: [safe('aaaa bbbb cccc dddd eeee ffff g'), safe(`[${'nine eyes '.repeat(4)}]`)],
        },
      },
      [
        '● Run x',
        '  aaaa bbbb cccc dddd eeee fff',
        '  f g',
        '  [nine eyes nine eyes nine',
        '  eyes nine eyes ]',
      ],
    ],
    [
      'a change',
      {
        kind: 'call',
        description: safe('Edit a.ts'),
        end: { ...end, display: { kind: 'diff', files: diff } },
      },
      [
        '● Edit a.ts',
        '  modify a.ts +1 -1',
        '    @@ -1,2 +1,2 @@',
        '     one',
        '    -two',
        '    +日本 three and more words',
      ],
    ],
    [
      'a change that was shown before',
      {
        kind: 'call',
        description: safe('Edit a.ts'),
        end: { ...end, display: { kind: 'diff', files: diff }, wasShown: true },
      },
      ['● Edit a.ts', '  modify a.ts +1 -1'],
    ],
    [
      'a remark, under its second column',
      { kind: 'text', text: safe('  Model  a long text that wraps here'), tone: 'plain' },
      ['  Model  a long text that', '         wraps here'],
    ],
    ['an answer to a question', { kind: 'replied', label: safe('yes') }, ['  → yes']],
    [
      'a long answer to a question, under its beginning',
      { kind: 'replied', label: safe('yes, and allow changes to src/a.ts') },
      ['  → yes, and allow changes to', '    src/a.ts'],
    ],
  ])('shows %s', (_what, block, expected) => {
    expect(rows(block)).toEqual(expected);
  });

  it('cuts a line of output without an end after some rows', () => {
    const lines = [safe('y'.repeat(28 * 12)), safe('[exit code 0]')];
    const shown = rows({ kind: 'call', description: safe('x'), end: { ...end, lines } }, 30);
    expect(shown.slice(-3)).toEqual([
      `  ${'y'.repeat(28)}`,
      '  … 2 more rows of this line',
      '  [exit code 0]',
    ]);
    expect(shown).toHaveLength(1 + 10 + 1 + 1);
  });

  it('has no characters beyond ASCII where the terminal shows none', () => {
    expect(rows({ kind: 'call', description: safe('x'), end: { ...end, more: 1 } }, 30, ascii)).toEqual([
      '* x',
      '  ... 1 more line',
    ]);
  });

  it.each([20, 30, 61])('no row of a block is wider than %i columns', (width) => {
    const long = safe('words and 日本語の文字 and 👍👍👍 '.repeat(5));
    const blocks: NewBlock[] = [
      { kind: 'prompt', text: long },
      { kind: 'call', description: long, end: { ...end, lines: [long] } },
      {
        kind: 'call',
        description: long,
        end: { ...end, display: { kind: 'diff', files: [{ ...diff[0]!, path: long, unified: long }] } },
      },
      { kind: 'text', text: safe(`  Label  ${long}`), tone: 'bad' },
      { kind: 'diff', diff: [{ ...diff[0]!, unified: safe(`+${long}`) }] },
    ];
    for (const block of blocks)
      for (const row of rows(block, width)) expect(widthOf(row)).toBeLessThanOrEqual(width);
  });
});

it('calls stand close together, the rest has air', () => {
  expect(hasAir(null, 'prompt')).toBe(false);
  expect(hasAir('call', 'call')).toBe(false);
  expect(hasAir('call', 'answer')).toBe(true);
  expect(hasAir('prompt', 'prompt')).toBe(true);
  expect(hasAir('question', 'replied')).toBe(false);
});

const question: Question = {
  title: safe('Edit a.ts'),
  facts: [safe('It would write a.ts.')],
  diff,
  choices: [
    { key: 'y', label: safe('yes') },
    { key: 'a1', label: safe('yes, and allow it from now on') },
  ],
  refusal: 'n',
};
const open = {
  id: 1,
  question,
  isOpen: true,
  isLong: false,
  showsAll: false,
  reply: { text: 'y', cursor: 1 },
};

describe('a question', () => {
  it('shows what would happen, then the change', () => {
    expect(renderQuestion(question, 40).map(textOfLine)).toEqual([
      '? Edit a.ts',
      '  It would write a.ts.',
      '  modify a.ts +1 -1',
      '    @@ -1,2 +1,2 @@',
      '     one',
      '    -two',
      '    +日本 three and more words',
    ]);
  });

  it('lists its choices, and the way to the rest where some is hidden', () => {
    expect(renderChoices(open, 24).map(textOfLine)).toEqual([
      '  y   yes',
      '  a1  yes, and allow it',
      '      from now on',
    ]);
    expect(
      renderChoices({ ...open, isLong: true }, 60)
        .map(textOfLine)
        .at(-1),
    ).toBe('  v   show what is hidden');
    expect(renderChoices({ ...open, isLong: true, showsAll: true }, 60)).toHaveLength(2);
  });

  it('is long when it and its choices do not fit together', () => {
    expect(isLongQuestion(question, { columns: 60, rows: 24 })).toBe(false);
    expect(isLongQuestion(question, { columns: 60, rows: 10 })).toBe(true);
  });

  it('that is cut says how much is missing', () => {
    const { shown, hidden } = fitted(renderQuestion(question, 40), 4);
    expect([shown.length, hidden]).toEqual([3, 4]);
    expect(hiddenNotice(1, 70).map(textOfLine)).toEqual([
      '  1 more line is hidden: v shows them. Enter alone means no.',
    ]);
    expect(hiddenNotice(12, 40).map(textOfLine)).toEqual([
      '  12 more lines are hidden: v shows',
      '  them. Enter alone means no.',
    ]);
  });
});

const call = { id: 1, callId: 'a', description: safe('Run x'), output: 'a\nb\nc\nd\ne\n', wasShown: false };

it('a call that runs shows the end of what it prints, clipped', () => {
  const output = `${call.output}${'long '.repeat(10)}`;
  expect(renderRunning({ ...call, output }, 20, appearance).map(textOfLine)).toEqual([
    '● Run x',
    '  c',
    '  d',
    '  e',
    '  long long long lo…',
  ]);
});

function live(
  state: Partial<State>,
  rowCount = 12,
  answer: string[] = [],
): { rows: string[]; cursor: unknown } {
  const screen = { columns: 41, rows: rowCount };
  const frame = renderLive(
    { ...initialState, ...state },
    answer.map((text) => [{ text }]),
    { screen, appearance },
  );
  return { rows: frame.lines.map(textOfLine), cursor: frame.cursor };
}

describe('the part that is drawn again', () => {
  it.each<[string, Partial<State>, string[], unknown]>([
    ['nothing before it begins', {}, [], null],
    ['the prompt', { phase: 'idle' }, ['> '], { row: 0, column: 2 }],
    [
      'a hint',
      { phase: 'idle', hint: 'Ctrl+C again quits.' },
      ['> ', 'Ctrl+C again quits.'],
      { row: 0, column: 2 },
    ],
    [
      'waiting',
      { phase: 'working', withModel: true, seconds: 3 },
      ['Waiting for the model, 3 s (Esc cancels)'],
      null,
    ],
    [
      'work apart',
      { phase: 'working', isApart: true, seconds: 3 },
      ['Working, 3 s, apart (Esc cancels)'],
      null,
    ],
    [
      'thinking',
      { phase: 'working', withModel: true, isThinking: true },
      ['The model is thinking (Esc cancels)'],
      null,
    ],
    ['stopping', { phase: 'cancelling' }, ['Stopping ...'], null],
    [
      'a call, and what is typed meanwhile',
      { phase: 'working', calls: [{ ...call, output: 'x' }], input: { text: 'next', cursor: 4 } },
      ['● Run x', '  x', 'Working (Esc cancels)', '> next'],
      { row: 3, column: 6 },
    ],
    [
      'a question that can be answered',
      { question: open },
      ['  y   yes', '  a1  yes, and allow it from now on', '? y'],
      { row: 2, column: 3 },
    ],
    ['none of a question that can not yet', { question: { ...open, isOpen: false } }, [], null],
  ])('shows %s', (_what, state, expected, cursor) => {
    expect(live(state)).toEqual({ rows: expected, cursor });
  });

  it('is never taller than the screen: the end of an answer is what counts', () => {
    const answer = Array.from({ length: 50 }, (_, index) => `line ${index}`);
    const { rows: shown } = live({ phase: 'working', withModel: true }, 6, answer);
    expect(shown).toEqual([
      'line 46',
      'line 47',
      'line 48',
      'line 49',
      'Waiting for the model (Esc cancels)',
    ]);
    const text = Array.from({ length: 40 }, (_, index) => index).join('\n');
    expect(live({ phase: 'idle', input: { text, cursor: text.length } }, 8).rows).toHaveLength(7);
    const choices = Array.from({ length: 30 }, (_, index) => ({ key: `a${index}`, label: safe('x') }));
    const many = { ...open, question: { ...question, choices } };
    expect(live({ question: many }, 8).rows.length).toBeLessThanOrEqual(7);
  });
});
