import type { AgentEvent, AgentResult } from '@toolwright/core';
import { describe, expect, it } from 'vitest';
import type { AppEvent } from './events.js';
import { inputOf } from './input-line.js';
import { reduce } from './reduce.js';
import { safe } from './safe-text.js';
import { type Block, initialState, MAX_BLOCKS, type State } from './state.js';

const idle: State = { ...initialState, phase: 'idle' };
const agent = (event: AgentEvent): AppEvent => ({ type: 'agent', event });
const text = (delta: string): AppEvent => agent({ type: 'text-delta', text: delta });
const after = (...events: AppEvent[]): State => events.reduce(reduce, idle);
const result: AgentResult = {
  reason: 'done',
  response: '',
  turns: 2,
  calls: 1,
  usage: { inputTokens: 10, outputTokens: 5, cachedTokens: 3 },
  denials: [],
  changes: ['a'],
};
const callStart = (callId: string): AppEvent =>
  agent({ type: 'call-start', callId, tool: 'read_file', args: {}, description: `Read ${callId}\x1b` });
const callEnd = (callId: string, display: string, error?: { code: 'failed'; message: string }): AppEvent =>
  agent({ type: 'call-end', callId, tool: 'read_file', display, ...(error ? { error } : {}) });

function summary({ blocks }: State): string[] {
  return blocks.map((block: Block) => {
    if (block.kind === 'call') return `call ${block.description}: ${block.end.lines.join('/')}`;
    if ('text' in block) return `${block.kind} ${block.text}`;
    return block.kind === 'replied' ? `replied ${block.label}` : block.kind;
  });
}

describe('what is on the screen', () => {
  it.each<[string, AppEvent[], string[]]>([
    ['a prompt', [{ type: 'prompt-submitted', text: 'hello\x1b[1m' }], ['prompt hello␛[1m']],
    [
      'an answer, whole once it has ended',
      [text('one\r'), text('\ntwo\x1b'), agent({ type: 'result', result })],
      ['answer one\ntwo␛'],
    ],
    ['an answer that a call ends', [text('let me see'), callStart('a')], ['answer let me see']],
    ['nothing of an answer that goes on', [text('one')], []],
    [
      'a notice after the answer it came in',
      [text('one'), agent({ type: 'notice', message: 'slow' }), text('two'), { type: 'turn-ended' }],
      ['answer onetwo', 'text slow'],
    ],
    [
      'an answer that broke off, why, and the one that came again',
      [
        text('one\x1b'),
        agent({ type: 'answer-restart', text: 'one', message: 'Cut. The answer starts over in 1 s.\x07' }),
        text('one two'),
        agent({ type: 'result', result }),
      ],
      ['answer one␛', 'text Cut. The answer starts over in 1 s.␇', 'answer one two'],
    ],
    [
      'how to go on after a failure that may be over',
      [
        agent({
          type: 'result',
          result: { ...result, reason: 'failed', error: { kind: 'network', message: 'Cut.' } },
        }),
      ],
      ['text Cut. Write "go on" to continue.'],
    ],
    [
      'calls in the order they end',
      [callStart('a'), callStart('b'), callEnd('b', 'B\x07'), callEnd('a', 'A')],
      ['call Read b␛: B␇', 'call Read a␛: A'],
    ],
    [
      'why a call failed',
      [callStart('a'), callEnd('a', '', { code: 'failed', message: 'no\nway' })],
      ['call Read a␛: no/way'],
    ],
    [
      'why a call failed, and what it had printed by then',
      [callStart('a'), callEnd('a', 'begun\n[too slow]\n[dropped]', { code: 'failed', message: 'too slow' })],
      ['call Read a␛: too slow/begun/[dropped]'],
    ],
    ['a call nobody announced', [callEnd('x', 'X')], ['call read_file: X']],
    [
      'a cancelled turn',
      [agent({ type: 'result', result: { ...result, reason: 'cancelled' } })],
      ['text Cancelled.'],
    ],
    [
      'a failed turn',
      [
        agent({
          type: 'result',
          result: { ...result, reason: 'failed', error: { kind: 'auth', message: 'bad key' } },
        }),
      ],
      ['text bad key'],
    ],
    [
      'a limit',
      [agent({ type: 'result', result: { ...result, reason: 'turn-limit' } })],
      ['text Stopped at the turn limit. Write "go on" to continue.'],
    ],
  ])('shows %s', (_what, events, expected) => {
    expect(summary(after(...events))).toEqual(expected);
  });

  it('shows the answers of the offline model, which are no Markdown, as they are', () => {
    const start = { sessionId: 's', model: 'm', workspace: '/w', mode: 'default' };
    const answered = (provider: string) =>
      summary(
        after(
          agent({ type: 'session-start', provider, ...start }),
          text('# Title\n'),
          agent({ type: 'result', result }),
        ),
      );
    expect(answered('offline')).toEqual(['text # Title']);
    expect(answered('openai')).toEqual(['answer # Title\n']);
  });

  it('keeps the newest blocks only, with ids that grow', () => {
    const many = Array.from(
      { length: MAX_BLOCKS + 5 },
      (_, index): AppEvent => callEnd(`${index}`, `${index}`),
    );
    const { blocks } = after(...many);
    expect(blocks).toHaveLength(MAX_BLOCKS);
    expect(blocks.map(({ id }) => id)).toEqual(Array.from({ length: MAX_BLOCKS }, (_, index) => index + 6));
  });

  it('cuts the middle out of a long result, says by how much, and keeps how it ended', () => {
    const printed = Array.from({ length: 20 }, (_, index) => index);
    const [block] = after(callEnd('a', [...printed, 'Error: x', '[exit code 3]'].join('\n'))).blocks;
    expect(block).toMatchObject({
      end: {
        lines: ['0', '1', '2'],
        more: 14,
        last: ['17', '18', '19', 'Error: x', '[exit code 3]'],
      },
    });
  });

  it('shows a result whole that needs no more room than its beginning and end', () => {
    const display = Array.from({ length: 8 }, (_, index) => index).join('\n');
    const [block] = after(callEnd('a', display)).blocks;
    expect(block).toMatchObject({ end: { lines: display.split('\n'), more: 0, last: [] } });
  });
});

describe('what runs', () => {
  it('is the calls that have not ended, with the end of what they print', () => {
    const state = after(
      callStart('a'),
      callStart('b'),
      agent({ type: 'call-update', callId: 'a', delta: 'x' }),
      agent({ type: 'call-update', callId: 'a', delta: 'y' }),
      agent({ type: 'call-update', callId: 'nobody', delta: 'z' }),
      callEnd('b', 'B'),
    );
    expect(state.calls).toMatchObject([{ callId: 'a', output: 'xy' }]);
  });

  it('ends with the turn, whatever was open', () => {
    const state = after(
      { type: 'prompt-submitted', text: 'x' },
      callStart('a'),
      agent({ type: 'thinking-delta', text: 'hm' }),
      { type: 'turn-cancelled' },
    );
    expect(state).toMatchObject({ phase: 'cancelling', isThinking: true, withModel: true });
    expect(reduce(state, { type: 'turn-ended' })).toMatchObject({
      phase: 'idle',
      isThinking: false,
      calls: [],
    });
  });
});

describe('a question', () => {
  const question = { title: safe('?'), facts: [], choices: [{ key: 'y', label: safe('yes') }], refusal: 'n' };

  it('opens after it was asked, leaves the line being typed alone, and becomes a line when answered', () => {
    const asked = after(
      { type: 'input-changed', input: inputOf('draft') },
      { type: 'question-asked', question },
    );
    expect(asked.question).toMatchObject({ isOpen: false });
    const size = { lines: 30, room: 10 };
    const opened = reduce(asked, { type: 'question-opened', size, hasLongOthers: false });
    const typed = reduce(opened, { type: 'reply-changed', reply: inputOf('y') });
    expect(typed).toMatchObject({
      question: { isOpen: true, size, wasSeen: false, reply: { text: 'y' } },
      input: { text: 'draft' },
    });
    const rejected = reduce(typed, { type: 'reply-rejected', hint: 'Please answer.' });
    expect(rejected).toMatchObject({
      hint: 'Please answer.',
      question: { reply: { text: '' } },
      input: { text: 'draft' },
    });
    const seen = reduce(typed, { type: 'question-scrolled', by: 99 });
    expect(seen.question).toMatchObject({ scroll: 20, wasSeen: true });
    const wider = { lines: 8, room: 10 };
    const resized = reduce(seen, { type: 'question-measured', size: wider, hasLongOthers: false });
    expect(resized.question).toMatchObject({ scroll: 0, isOpen: true });
    const closed = reduce(resized, { type: 'question-closed', label: 'yes\x1b' });
    expect(closed).toMatchObject({ question: null, input: { text: 'draft' } });
    expect(summary(closed)).toEqual(['replied yes␛']);
  });

  it('of a server stays when the turn ends, and gives way to its answer alone', () => {
    const asked = after({ type: 'question-asked', question }, { type: 'turn-ended' });
    expect(asked).toMatchObject({ phase: 'idle', question: { question } });
    expect(reduce(asked, { type: 'question-closed', label: 'no' }).question).toBeNull();
  });

  it('holds what comes meanwhile, however much, until it is answered', () => {
    const said = Array.from({ length: 150 }, (_, index) =>
      agent({ type: 'notice', message: `notice ${index}` }),
    );
    const asked = after({ type: 'question-asked', question }, ...said);
    expect(asked.blocks).toHaveLength(150);
    expect(reduce(asked, { type: 'question-closed', label: null }).blocks).toHaveLength(150);
  });

  it('about a command leaves the changes that were agreed to with its output', () => {
    const files = [{ path: 'x', change: 'create' as const, unified: '+a\n', added: 1, removed: 0 }];
    const request = {
      callId: 'a',
      tool: 'run_shell_command',
      description: 'Run make',
      details: {
        kind: 'exec' as const,
        title: '',
        command: 'make',
        directory: '/w',
        effects: [],
        diff: { kind: 'diff' as const, files },
      },
      reason: '',
      offers: [],
      modifiable: false,
    };
    const state = after(
      callStart('a'),
      agent({ type: 'call-ask', callId: 'a', request }),
      agent({ type: 'call-end', callId: 'a', tool: 'run_shell_command', display: 'made', exitStatus: 0 }),
    );
    expect(state.blocks.at(-1)).toMatchObject({
      description: 'Run make',
      end: { lines: ['made'], diff: [{ path: 'x', unified: '+a\n' }] },
    });
  });
});

it('earlier prompts are put before those of this conversation', () => {
  const state = after(
    { type: 'prompt-submitted', text: 'new' },
    { type: 'history-loaded', entries: ['old'] },
  );
  expect(state.history.entries).toEqual(['old', 'new']);
});
