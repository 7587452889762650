import type { ConfirmRequest } from '@toolwright/core';
import { expect, it } from 'vitest';
import { createVirtualTerminal } from '../../../../integration/terminal/virtual-terminal.js';
import { approvalQuestion } from '../app/approval.js';
import type { AppEvent } from '../app/events.js';
import { reduce } from '../app/reduce.js';
import { safe, safeLine } from '../app/safe-text.js';
import { initialState, type State } from '../app/state.js';
import { createLineDrawing } from './line-drawing.js';
import { createLiveDrawing } from './live-drawing.js';
import { createNotifier } from './notify.js';

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

const size = { columns: 60, rows: 20 };
const drawings = { live: createLiveDrawing, line: createLineDrawing };

/** A question that has the text in each of its places: title, facts, command, output and changes. */
function questionWith(text: string) {
  const request: ConfirmRequest = {
    callId: 'q',
    tool: text,
    description: text,
    reason: text,
    brief: text,
    modifiable: false,
    offers: [{ rule: `Shell(${text})`, allows: text }],
    details: {
      kind: 'exec',
      title: text,
      command: text,
      directory: `/w/${text}`,
      summary: text,
      output: text,
      warnings: [text],
      effects: [{ kind: 'delete', path: `/w/${text}` }],
      diff: {
        kind: 'diff',
        files: [
          { path: text, change: 'modify', unified: `@@ -1 +1 @@\n-${text}\n+b\n`, added: 1, removed: 1 },
        ],
      },
    },
  };
  return approvalQuestion(request, (path) => path);
}

/** What reaches the program, cut in two anywhere, in each place where somebody else's text is shown. */
function eventsOf(pieces: readonly string[]): AppEvent[] {
  const text = pieces.join('');
  const told = (event: Extract<AppEvent, { type: 'agent' }>['event']): AppEvent => ({ type: 'agent', event });
  return [
    { type: 'status-changed', status: { model: safeLine(text), branch: safeLine(text) } },
    { type: 'prompt-submitted', text: 'x' },
    ...pieces.map((piece) => told({ type: 'text-delta', text: piece })),
    told({ type: 'notice', message: text, passing: true }),
    told({ type: 'notice', message: text }),
    told({ type: 'call-start', callId: 'a', tool: text, args: {}, description: text }),
    ...pieces.map((delta) => told({ type: 'call-update', callId: 'a', delta })),
    { type: 'question-asked', question: questionWith(text) },
    { type: 'question-opened', size: { lines: 10, room: 15 }, hasLongOthers: false },
    { type: 'question-closed', label: safe(text) },
    told({ type: 'call-end', callId: 'a', tool: 'x', display: text }),
    { type: 'turn-ended' },
  ];
}

function drawn(kind: keyof typeof drawings, pieces: readonly string[]) {
  const terminal = createVirtualTerminal(size.columns, size.rows);
  const appearance = {
    color: true,
    unicode: true,
    linear: kind === 'line',
    links: true,
    manyColors: true,
  };
  const write = (text: string): void => terminal.write(text);
  const drawing = drawings[kind]({ screen: () => size, appearance, write });
  const notifier = createNotifier({ write, mode: 'auto' });
  let state: State = { ...initialState, phase: 'idle' };
  for (const event of eventsOf(pieces)) {
    const before = state;
    state = reduce(state, event);
    drawing.update(state);
    notifier.noticed(state, before);
  }
  drawing.close();
  return {
    unknown: terminal.unknown,
    // The title is words of ours, and a link leads to an address that is shown.
    foreign: terminal.commands.filter(
      (command) => !/^(?:2;[\w;:*? ]*|8;;(?:https:\/\/[^\p{C}\s]*)?)$/u.test(command),
    ),
    isCursorHidden: terminal.isCursorHidden,
    lines: terminal.lines(),
  };
}

it.each(
  Object.keys(drawings).flatMap((kind) =>
    hostile.map((text) => [kind as keyof typeof drawings, text] as const),
  ),
)('the %s drawing shows a hostile text alike wherever it is cut, and does nothing else: %j', (kind, text) => {
  const bytes = Buffer.from(text);
  const whole = drawn(kind, [bytes.toString()]);
  expect(whole).toMatchObject({ unknown: [], foreign: [], isCursorHidden: false });
  for (let cut = 0; cut <= bytes.length; cut++) {
    const decoder = new TextDecoder();
    const first = decoder.decode(bytes.subarray(0, cut), { stream: true });
    expect(drawn(kind, [first, decoder.decode(bytes.subarray(cut))]), `cut at ${cut}`).toEqual(whole);
  }
});
