import { describe, expect, it } from 'vitest';
import { safe } from '../../app/safe-text.js';
import { type Block, initialState, type NewBlock, type State } from '../../app/state.js';
import { notWorking } from '../../app/working/working.js';
import { hasAir, renderFinished, renderRunning } from './blocks.js';
import { type Appearance, textOfLine, widthOf } from './line.js';
import { renderLive } from './live.js';

const appearance: Appearance = { color: false, unicode: true, linear: false };
const ascii: Appearance = { ...appearance, unicode: false };
const unified = '--- a.ts\n+++ a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+日本 three and more words\n';
const diff = [{ path: safe('a.ts'), change: safe('modify'), unified: safe(unified), added: 1, removed: 1 }];
const end = { lines: [], more: 0, last: [], failed: false };

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
      'a call that brought errors',
      {
        kind: 'call',
        description: safe('Read a.ts'),
        end: {
          ...end,
          lines: [safe('12 lines')],
          errors: { brief: safe('1 new error: a.ts:1 no'), all: [] },
        },
      },
      ['● Read a.ts', '  12 lines', '  1 new error: a.ts:1 no', '  (Ctrl+O shows all)'],
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
        description: safe('Edit a.ts: "two" becomes "three"'),
        end: { ...end, display: { kind: 'diff', files: diff } },
      },
      ['● Edit a.ts +1 -1', '  1   one', '  2 - two', '  2 + 日本 three and more ', '      words'],
    ],
    [
      'a command with the changes that were agreed to',
      { kind: 'call', description: safe('Run x'), end: { ...end, lines: [safe('ok')], diff } },
      [
        '● Run x',
        '  ok',
        '  modify a.ts +1 -1',
        '  1   one',
        '  2 - two',
        '  2 + 日本 three and more ',
        '      words',
      ],
    ],
    [
      'a call that was refused, which is no failure',
      {
        kind: 'call',
        description: safe('Edit'),
        end: { ...end, failed: true, refused: true, lines: [safe('You said no.')] },
      },
      ['● Edit', '  You said no.'],
    ],
    [
      'a remark, under its second column',
      { kind: 'text', text: safe('  Model  a long text that wraps here'), tone: 'plain' },
      ['  Model  a long text that', '         wraps here'],
    ],
    [
      'an answer to a question, under its beginning',
      { kind: 'replied', title: safe('Trust it?'), label: safe('yes, until one of them changes') },
      ['? Trust it?', '  → yes, until one of them', '    changes'],
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

  it('folds a long change, and shows all of it unfolded', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `+line ${index}`).join('\n');
    const files = [{ ...diff[0]!, unified: safe(`@@ -0,0 +1,40 @@\n${lines}\n`) }];
    const display = { kind: 'diff' as const, files };
    const folded = rows({ kind: 'call', description: safe('x'), end: { ...end, display } });
    expect(folded.at(-1)).toBe('  … 16 more lines (Ctrl+O shows all)');
    const whole = rows({ kind: 'call', description: safe('x'), end: { ...end, display, isWhole: true } });
    expect(whole.at(-1)).toBe('  40 + line 39');
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
  expect(hasAir('replied', 'call')).toBe(false);
});

const call = { id: 1, callId: 'a', description: safe('Run x'), output: 'a\nb\nc\nd\ne\n', since: 0 };

it('a call that runs shows the end of what it prints, clipped, and all of it when it is open', () => {
  const output = `${call.output}${'long '.repeat(10)}`;
  const shown = (place: { seconds: number; isOpen: boolean }) =>
    renderRunning({ ...call, output }, { width: 40, appearance, ...place }).map(textOfLine);
  const last = `  ${'long '.repeat(7)}lo…`;
  expect(shown({ seconds: 0, isOpen: false })).toEqual(['● Run x', '  c', '  d', '  e', last]);
  expect(shown({ seconds: 3, isOpen: false })[0]).toBe('● Run x (3 s, Ctrl+O opens)');
  expect(shown({ seconds: 3, isOpen: true })).toEqual([
    '● Run x (3 s)',
    '  a',
    '  b',
    '  c',
    '  d',
    '  e',
    last,
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
      { phase: 'idle', hint: 'Press Ctrl+C again to quit.' },
      ['> ', 'Press Ctrl+C again to quit.'],
      { row: 0, column: 2 },
    ],
    [
      'waiting, and a line for what comes next',
      { phase: 'working', withModel: true, seconds: 3 },
      ['', 'Waiting for the model, 3 s (Esc cancels)', '+ '],
      { row: 2, column: 2 },
    ],
    [
      'an answer that comes in',
      { phase: 'working', withModel: true, seconds: 3, answer: { id: 1, text: safe('a'), cut: '' } },
      ['', 'Answering, 3 s (Esc cancels)', '+ '],
      { row: 2, column: 2 },
    ],
    [
      'thinking',
      { phase: 'working', withModel: true, isThinking: true },
      ['', 'The model is thinking (Esc cancels)', '+ '],
      { row: 2, column: 2 },
    ],
    ['stopping', { phase: 'cancelling' }, ['', 'Stopping ...', '+ '], { row: 2, column: 2 }],
    [
      'a call that lasts, and what is typed meanwhile',
      {
        phase: 'working',
        calls: [{ ...call, output: 'x' }],
        seconds: 75,
        input: { text: 'next', cursor: 4 },
      },
      ['● Run x (1 min 15 s)', '  x', '', 'Working, 75 s (Esc cancels)', '+ next'],
      { row: 4, column: 6 },
    ],
    [
      'messages that wait',
      {
        phase: 'working',
        withModel: true,
        working: {
          ...notWorking,
          queue: [
            { text: 'then\nthis', steers: false },
            { text: 'and that', steers: true },
          ],
        },
      },
      ['', '  queued: then this', '  after this call: and that', 'Waiting for the model (Esc cancels)', '+ '],
      { row: 4, column: 2 },
    ],
  ])('shows %s', (_what, state, expected, cursor) => {
    expect(live(state)).toEqual({ rows: expected, cursor });
  });

  it('is never taller than the screen: the end of an answer is what counts', () => {
    const answer = Array.from({ length: 50 }, (_, index) => `line ${index}`);
    const { rows: shown } = live({ phase: 'working', withModel: true }, 6, answer);
    expect(shown).toEqual(['line 47', 'line 48', 'line 49', 'Waiting for the model (Esc cancels)', '+ ']);
    const text = Array.from({ length: 40 }, (_, index) => index).join('\n');
    expect(live({ phase: 'idle', input: { text, cursor: text.length } }, 8).rows).toHaveLength(7);
  });
});
