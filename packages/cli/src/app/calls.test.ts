import type { AgentEvent, Display, Effect } from '@toolwright/core';
import { expect, it } from 'vitest';
import { intentOf } from './intent.js';
import { reduce } from './reduce.js';
import { initialState, type State } from './state.js';

type End = Partial<Extract<AgentEvent, { type: 'call-end' }>>;
const asked: State = reduce({ ...initialState, phase: 'idle' }, { type: 'prompt-submitted', text: 'go' });
const numbers = (count: number): string => Array.from({ length: count }, (_, index) => index + 1).join('\n');

function ended(state: State, end: End): State {
  const event = { type: 'call-end' as const, callId: 'a', tool: 'run_shell_command', display: '', ...end };
  return reduce(state, { type: 'agent', event });
}

function lastEnd({ blocks }: State) {
  const block = blocks.at(-1);
  if (block?.kind !== 'call') throw new Error('no call');
  return block.end;
}

function unfold(state: State): State {
  const event = intentOf(state, { name: 'unfold' });
  return event ? reduce(state, event) : state;
}

it('a command that ended with another code than 0 has failed, and its code stands first, once', () => {
  const display = 'fatal: not a git repository\n[exit code 128]';
  expect(lastEnd(ended(asked, { display, exitStatus: 128 }))).toMatchObject({
    failed: true,
    status: 'exit code 128',
    lines: ['fatal: not a git repository'],
  });
  expect(lastEnd(ended(asked, { display: 'ok', exitStatus: 0 }))).toMatchObject({
    failed: false,
    lines: ['ok'],
  });
  expect(lastEnd(ended(asked, { display: '', exitStatus: 'SIGSEGV' })).status).toBe('ended by SIGSEGV');
});

it('of a command the end is shown, and the count of the rest is that of all it printed', () => {
  const display = `${numbers(800)}\n… 1,001 lines (4.9 kB) not shown …\n${numbers(1199)}`;
  const { lines, more, last } = lastEnd(ended(asked, { display, exitStatus: 0, displayLines: 3001 }));
  expect([lines.length, more, last.length]).toEqual([0, 2993, 8]);
});

it('a command that was cancelled says so once, and shows the end of what it printed', () => {
  const said = 'Cancelled. It ran on a copy, and nothing it changed was kept.';
  const message = `The call was cancelled by the user. Nothing more was done.\nIt printed:\n${numbers(30)}`;
  const error = { code: 'cancelled' as const, message };
  const { lines, more, last } = lastEnd(ended(asked, { display: `${said}\n${numbers(30)}`, error }));
  expect([lines, more, last]).toEqual([[said], 22, ['23', '24', '25', '26', '27', '28', '29', '30']]);
});

it('calls that are cancelled together stand in the order in which they were called', () => {
  const started = ['a', 'b', 'c'].reduce(
    (state, callId) =>
      reduce(state, {
        type: 'agent',
        event: { type: 'call-start', callId, tool: 'edit', args: {}, effects: [], description: callId },
      }),
    asked,
  );
  const error = { code: 'cancelled' as const, message: 'The call was cancelled by the user.' };
  const end = (state: State, callId: string): State => ended(state, { callId, display: 'Cancelled.', error });
  const titles = ({ blocks }: State) =>
    blocks.flatMap((block) => (block.kind === 'call' ? [block.description] : []));
  const waiting = end(end(started, 'c'), 'b');
  expect(titles(waiting)).toEqual([]);
  expect(titles(end(waiting, 'a'))).toEqual(['a', 'b', 'c']);
  expect(titles(reduce(waiting, { type: 'turn-ended' }))).toEqual(['b', 'c']);
});

it('a command that the user typed is shown whole', () => {
  const own = reduce({ ...initialState, phase: 'idle' }, { type: 'prompt-submitted', text: '!seq 1 100' });
  expect(lastEnd(ended(own, { display: numbers(100), exitStatus: 0 }))).toMatchObject({ more: 0, last: [] });
});

const file = { path: 'a.ts', change: 'modify' as const, unified: '-1\n+2\n', added: 1, removed: 1 };

function askedAbout(details: object): State {
  const call = { callId: 'a', tool: 'edit', description: 'Edit a.ts: "1" becomes "2"' };
  const started = { type: 'call-start' as const, args: {}, effects: [], ...call };
  const request = { ...call, details, reason: '', offers: [], modifiable: false } as never;
  return [started, { type: 'call-ask' as const, callId: 'a', request }].reduce(
    (state, event) => reduce(state, { type: 'agent', event }),
    asked,
  );
}

it('a refused change of a file is headed as its question was', () => {
  const state = askedAbout({ kind: 'edit', title: 'Edit a.ts', diff: { kind: 'diff', files: [file] } });
  const error = { code: 'denied' as const, message: 'The user refused this call.' };
  expect(ended(state, { display: 'You said no.', error }).blocks.at(-1)).toMatchObject({
    description: 'Edit a.ts +1 -1',
    end: { refused: true, lines: ['You said no.'] },
  });
});

it('files that the diff of a kept command shows are not named a second time', () => {
  const state = askedAbout({ kind: 'exec', diff: { kind: 'diff', files: [file] } });
  const display = 'done\n[kept: 1 file changed: a.ts]';
  expect(lastEnd(ended(state, { display, exitStatus: 0 }))).toMatchObject({
    lines: ['done', '[kept: 1 file changed]'],
    diff: [{ path: 'a.ts' }],
  });
  expect(lastEnd(ended(asked, { display, exitStatus: 0 })).lines).toContain('[kept: 1 file changed: a.ts]');
  const apart = { display: display.replace('kept', 'kept apart'), exitStatus: 0 };
  expect(lastEnd(ended(state, apart)).lines).toEqual(['done', '[kept apart: 1 file changed]']);
});

it('Ctrl+O prints the newest folded block whole, then the one before it, and says when there is no more', () => {
  const first = ended(asked, { display: numbers(30), exitStatus: 0 });
  const second = ended(first, { display: numbers(40), exitStatus: 0 });
  const newest = unfold(second);
  expect(lastEnd(newest)).toMatchObject({ more: 0, lines: { length: 40 } });
  const older = unfold(newest);
  expect(lastEnd(older)).toMatchObject({ more: 0, lines: { length: 30 } });
  expect(unfold(older)).toMatchObject({ hint: 'Nothing earlier to expand.' });
  expect(unfold(asked)).toMatchObject({ hint: 'Nothing to expand.' });
});

it('a failure that is tried again leaves no lines behind', () => {
  const retry = (count: number): AgentEvent => ({
    type: 'notice',
    message: `Busy. Trying again in 1 s (try ${count} of 9).`,
    passing: true,
  });
  const tried = [2, 3, 4, 5].reduce(
    (state, count) => reduce(state, { type: 'agent', event: retry(count) }),
    asked,
  );
  expect(tried.blocks).toEqual(asked.blocks);
  expect(tried.passing).toBe('Busy. Trying again in 1 s (try 5 of 9).');
  expect(reduce(tried, { type: 'agent', event: { type: 'text-delta', text: 'Hello' } }).passing).toBe('');
});

function looksAfter(effects: Effect[] | undefined, display: Display = '2 lines'): number {
  const call = { callId: 'a', tool: 'count_lines', description: 'Count lines in a.ts' };
  const started = { type: 'call-start' as const, args: {}, effects, ...call };
  return ended(reduce(asked, { type: 'agent', event: started }), { tool: call.tool, display }).looks.length;
}

it('a call that only reads, whatever its tool, is gathered with others like it for one line', () => {
  const [read, write] = (['read', 'write'] as const).map((kind) => ({ kind, path: '/work/a.ts' }));
  expect(looksAfter([read!])).toBe(1);
  for (const effects of [[read!, write!], [], undefined]) expect(looksAfter(effects)).toBe(0);
});

it('a call that only reads and has more to show than a line is shown on its own', () => {
  const read: Effect[] = [{ kind: 'read', path: '/work/a.ts' }];
  const table = { kind: 'table' as const, columns: ['file', 'lines'], rows: [['a.ts', '2']] };
  for (const display of ['one\ntwo', numbers(40), 'x'.repeat(300), table])
    expect(looksAfter(read, display)).toBe(0);
});

it('errors that came with a call stand below it in one line, and Ctrl+O shows all of them; a look with them stands alone', () => {
  const error = (line: number) => ({
    path: 'shop.py',
    line,
    column: 1,
    message: `no \u001b[2Jname ${line}`,
    code: 'x',
  });
  const newErrors = [
    { server: 'pyright', total: 5, files: 1, isLate: true, errors: [1, 2, 3, 4].map(error) },
  ];
  const begun = reduce(
    { ...asked, withModel: true },
    {
      type: 'agent',
      event: {
        type: 'call-start',
        callId: 'a',
        tool: 'read_file',
        args: {},
        description: 'Read shop.py',
        effects: [{ kind: 'read', path: '/shop.py' }],
      },
    },
  );
  const state = ended(begun, { display: '3 lines', newErrors });
  expect(state.looks).toEqual([]);
  expect(lastEnd(state).errors?.brief).toMatch(
    /^5 new errors after earlier changes: shop\.py:1 .*; and 2 more$/,
  );
  expect(lastEnd(state).errors?.brief).not.toContain('\u001b');
  const whole = lastEnd(unfold(state));
  expect(whole).toMatchObject({ isWhole: true, lines: ['3 lines'] });
  expect(whole.errors?.all).toHaveLength(6);
});
