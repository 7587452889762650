import type { AgentEvent, Display } from '@toolwright/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { approvalQuestion } from '../app/approval.js';
import { trustQuestion } from '../app/asking/trust-question.js';
import type { AppEvent } from '../app/events.js';
import { inputOf } from '../app/input-line.js';
import { reduce } from '../app/reduce.js';
import { safe } from '../app/safe-text.js';
import { initialState, type State } from '../app/state.js';
import type { Drawing, DrawingOptions } from './drawing.js';
import { createLineDrawing } from './line-drawing.js';
import { createLiveDrawing } from './live-drawing.js';

const screen = () => ({ columns: 50, rows: 16 });

function drawn(
  create: (options: DrawingOptions) => Drawing,
  events: readonly AppEvent[],
  color = true,
): string {
  let output = '';
  const appearance = { color, unicode: true, linear: create === createLineDrawing };
  const drawing = create({ screen, appearance, write: (text) => void (output += text) });
  let state: State = { ...initialState, phase: 'idle' };
  for (const event of events) {
    state = reduce(state, event);
    drawing.update(state);
  }
  drawing.redraw(state);
  drawing.close();
  return output;
}

/** Sequences of ours: styles, cursor up and right, erasing, showing the cursor. */
const ours = /\x1b\[(?:[0-9;]*m|\d+[AC]|[JK]|\?25[hl])/g;

const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\x1b',
      '\x9b',
      '[2J',
      ']0;x',
      '\x07',
      '\r',
      '\n',
      '\b',
      '\x00',
      '&#27;',
      '&#x1b;',
      '&#155;',
      '`',
      '**',
      '```\n',
      '|',
      '- ',
      '# ',
      '> ',
      '\t',
      '日',
      '👍',
      '\u202e',
      '\u200d',
      '\ud83d',
      '<b>',
      '[a](',
      ')',
    ),
    fc.string({ minLength: 1, maxLength: 3, unit: 'binary' }),
  ),
  maxLength: 20,
});

const display: fc.Arbitrary<Display> = fc.oneof(
  nasty,
  fc.record({ path: nasty, unified: nasty }).map(({ path, unified }) => ({
    kind: 'diff' as const,
    files: [{ path, unified, change: 'modify' as const, added: 1, removed: 1 }],
  })),
);

const agentEvent: fc.Arbitrary<AgentEvent> = fc.oneof(
  nasty.map((text) => ({ type: 'text-delta' as const, text })),
  nasty.map((message) => ({ type: 'notice' as const, message })),
  fc
    .record({ description: nasty, tool: nasty })
    .map((names) => ({ type: 'call-start' as const, callId: 'a', args: {}, ...names })),
  nasty.map((delta) => ({ type: 'call-update' as const, callId: 'a', delta })),
  fc.record({ display, tool: nasty }).map((shown) => ({ type: 'call-end' as const, callId: 'a', ...shown })),
  nasty.map((message) => ({
    type: 'result' as const,
    result: {
      reason: 'failed' as const,
      response: '',
      turns: 1,
      calls: 0,
      usage: { inputTokens: 0, outputTokens: 0 },
      denials: [],
      changes: [],
      error: { kind: 'x', message },
    },
  })),
);

const asked: fc.Arbitrary<AppEvent> = fc
  .record({ description: nasty, reason: nasty, rule: nasty, path: nasty, unified: nasty, command: nasty })
  .map(({ description, reason, rule, path, unified, command }) => ({
    type: 'question-asked' as const,
    question: approvalQuestion({
      callId: 'a',
      tool: 'x',
      description,
      reason,
      modifiable: true,
      offers: [{ rule, allows: path }],
      details: {
        kind: 'exec',
        title: '',
        command,
        directory: path,
        effects: [{ kind: 'write', path }],
        diff: { kind: 'diff', files: [{ path, unified, change: 'create', added: 1, removed: 0 }] },
      },
    }),
  }));

const trust: fc.Arbitrary<AppEvent> = fc.tuple(nasty, nasty).map(([folder, runs]) => ({
  type: 'question-asked' as const,
  question: trustQuestion({
    state: 'unknown',
    examination: {
      folder,
      fingerprint: { [runs]: '' },
      commands: [{ file: runs, line: 1, setting: folder, runs }],
    },
  })!,
}));

const anyEvent: fc.Arbitrary<AppEvent> = fc.oneof(
  agentEvent.map((event) => ({ type: 'agent' as const, event })),
  nasty.map((text) => ({ type: 'prompt-submitted' as const, text })),
  nasty.map((text) => ({ type: 'input-changed' as const, input: inputOf(text) })),
  asked,
  trust,
  fc.nat(30).map((lines) => ({
    type: 'question-opened' as const,
    size: { lines, room: 5 },
    hasLongOthers: false,
  })),
  fc.constant({
    type: 'question-turned' as const,
    page: { kind: 'always' as const, scope: 'saved' as const, limit: 1 },
  }),
  fc.nat(9).map((by) => ({ type: 'question-scrolled' as const, by })),
  nasty.map((text) => ({ type: 'reply-changed' as const, reply: inputOf(text) })),
  nasty.map((label) => ({ type: 'question-closed' as const, label })),
  nasty.map((text) => ({
    type: 'block-added' as const,
    block: { kind: 'text' as const, text: safe(text), tone: 'bad' as const },
  })),
  fc.constant({ type: 'turn-ended' as const }),
);

describe.each([
  ['the live drawing', createLiveDrawing],
  ['the line drawing', createLineDrawing],
] as const)('%s', (_name, create) => {
  it('puts no escape or control character on the screen that is not its own, whatever any text holds', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 12 }), fc.boolean(), (events, color) => {
        const rest = drawn(create, events, color)
          .replace(ours, '')
          .replaceAll('\r\n', '')
          .replaceAll('\b \b', '');
        expect(rest.replaceAll('\r', '')).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
      }),
      { numRuns: 300 },
    );
  });

  it('writes no style without colours', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 8 }), (events) => {
        expect(drawn(create, events, false)).not.toMatch(/\x1b\[[0-9;]*m/);
      }),
      { numRuns: 100 },
    );
  });
});

it('the line drawing never moves the cursor but to erase a letter', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 12 }), (events) => {
      expect(drawn(createLineDrawing, events, false).replaceAll('\b \b', '')).not.toMatch(
        /\x1b|\x08|\r(?!\n)/,
      );
    }),
    { numRuns: 200 },
  );
});

it('who reads line by line is told of work that takes its time, not of a slash command', () => {
  const submitted = (text: string) => drawn(createLineDrawing, [{ type: 'prompt-submitted', text }]);
  expect(submitted('/quit')).not.toContain('Working.');
  expect(submitted('explain this')).toContain('Working. Esc or Ctrl+C cancels.');
  expect(submitted('!make')).toContain('Working. Esc or Ctrl+C cancels.');
});
