import { expect, it } from 'vitest';
import { createVirtualTerminal } from '../../../../integration/terminal/virtual-terminal.js';
import type { AppEvent } from '../app/events.js';
import { reduce } from '../app/reduce.js';
import { initialState, type State } from '../app/state.js';
import { createLiveDrawing } from './live-drawing.js';

const hostile = [
  'a\x1b[2J\x1b[Hb',
  '\x1b]0;owned\x07\x1b]52;c;ZXZpbA==\x07',
  '\x1b]8;;https://evil.example\x07text\x1b]8;;\x07',
  '\x1bP+q544e\x1b\\\x1b_Gf=100;AAAA\x1b\\',
  '\x9b31m\x9d0;t\x9c',
  '\x1b[?1049h\x1b[?1000h\x1b[?25l\x1bc\x1b(0',
  'safe\b\b\b\bevil\rls   \u202egpj.exe',
  '[x](https://a.b/\x1b]0;t\x07) <https://a.b/\x07> `\x1b[1A`',
  '```\x1b[5m\n\x1b[2A\n```\n| a\x1b[K | b |\n|---|---|\n',
  '👨\u200d👩\u200d👧 می\u200cخواهم 日本語 \u{e0041}\ufe0f\ud83d',
];

/** The bytes that reach the program, cut in two anywhere: as the model's answer and as what a command prints. */
function drawn(pieces: readonly string[]): { unknown: string[]; hidden: boolean; lines: string[] } {
  const terminal = createVirtualTerminal(60, 20);
  const appearance = { color: true, unicode: true, linear: false, links: true, manyColors: true };
  const write = (text: string): void => terminal.write(text);
  const drawing = createLiveDrawing({ screen: () => ({ columns: 60, rows: 20 }), appearance, write });
  let state: State = { ...initialState, phase: 'idle' };
  const events: AppEvent[] = [
    { type: 'prompt-submitted', text: 'x' },
    ...pieces.map((text): AppEvent => ({ type: 'agent', event: { type: 'text-delta', text } })),
    {
      type: 'agent',
      event: {
        type: 'call-start',
        callId: 'a',
        tool: pieces.join(''),
        args: {},
        description: pieces.join(''),
      },
    },
    ...pieces.map(
      (delta): AppEvent => ({ type: 'agent', event: { type: 'call-update', callId: 'a', delta } }),
    ),
    { type: 'agent', event: { type: 'call-end', callId: 'a', tool: 'x', display: pieces.join('') } },
    { type: 'turn-ended' },
  ];
  for (const event of events) {
    state = reduce(state, event);
    drawing.update(state);
  }
  drawing.close();
  return { unknown: terminal.unknown, hidden: terminal.isCursorHidden, lines: terminal.lines() };
}

it.each(hostile.map((text) => [text]))(
  'a hostile text leaves the state of the terminal as it was, cut at each byte: %j',
  (text) => {
    const bytes = Buffer.from(text);
    const whole = drawn([text]);
    expect([whole.unknown, whole.hidden]).toEqual([[], false]);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const decoder = new TextDecoder();
      const first = decoder.decode(bytes.subarray(0, cut), { stream: true });
      const { unknown, hidden } = drawn([first, decoder.decode(bytes.subarray(cut))]);
      expect([unknown, hidden]).toEqual([[], false]);
    }
  },
);
