import type { ConfirmRequest } from '@toolwright/core';
import { outcomeOf } from '@toolwright/core/front-end';
import { describe, expect, it } from 'vitest';
import { answerTo, approvalQuestion } from './approval.js';
import { grantLimit, grantLimits } from './question.js';

const request: ConfirmRequest = {
  callId: '1',
  tool: 'edit',
  description: 'Edit a.ts',
  reason: 'default mode asks',
  modifiable: true,
  offers: [
    { rule: 'Edit(a.ts)', allows: 'changes to a.ts' },
    { rule: 'edit', allows: 'every call of edit' },
  ],
  details: {
    kind: 'edit',
    title: 'Edit',
    effects: [{ kind: 'write', path: '/w/a.ts' }],
    diff: {
      kind: 'diff',
      files: [{ path: 'a.ts', change: 'modify', unified: '-a\n+b\n', added: 1, removed: 1 }],
    },
    modifiable: { path: '/w/a.ts', content: 'b\n' },
  },
};
const question = approvalQuestion(request);

describe('an answer', () => {
  it.each([
    ['y', '', { kind: 'once' }],
    ['a1', '', { kind: 'always', rule: 'Edit(a.ts)', scope: 'session' }],
    ['s2', '', { kind: 'always', rule: 'edit', scope: 'saved' }],
    ['a1', '10', { kind: 'always', rule: 'Edit(a.ts)', scope: 'session', uses: 10 }],
    ['a2', '1h', { kind: 'always', rule: 'edit', scope: 'session', forMs: 3_600_000 }],
    ['s2', '30m', { kind: 'always', rule: 'edit', scope: 'saved', forMs: 1_800_000 }],
    ['s1', '7d', { kind: 'always', rule: 'Edit(a.ts)', scope: 'saved', forMs: 604_800_000 }],
    ['e', '', { kind: 'modify', written: '' }],
    ['n', '', { kind: 'cancel', reason: 'no reason was given' }],
    ['n', 'use b.ts  instead', { kind: 'cancel', reason: 'use b.ts  instead' }],
    ['x', '', { kind: 'cancel', reason: 'no reason was given' }],
  ])('with the key %j and the text %j means %j', (key, text, outcome) => {
    const limit = grantLimit(text);
    expect(outcomeOf(answerTo(question, { key, text }), { reason: text, limit })).toEqual(outcome);
  });

  it('every limit that a key offers can be read', () => {
    expect(grantLimits.map(({ text }) => grantLimit(text))).toEqual([
      null,
      { uses: 10 },
      { forMs: 1_800_000 },
      { forMs: 3_600_000 },
      { forMs: 86_400_000 },
      { forMs: 604_800_000 },
    ]);
    for (const text of ['x', '0', '1w', '1000', '-1', '10 1h']) expect(grantLimit(text)).toBeNull();
  });
});

describe('the question about a call', () => {
  it('has four answers of one key each, and behind always exactly what each allows', () => {
    const { facts, choices, always } = approvalQuestion(request, () => 'a.ts');
    expect(facts).toEqual([]);
    expect(choices.map(({ key, label }) => `${key} ${label}`)).toEqual([
      'y yes',
      'a always…',
      'e edit',
      'n no',
    ]);
    expect(always).toEqual([
      { session: 'a1', saved: 's1', label: 'changes to a.ts', rule: 'Edit(a.ts)' },
      { session: 'a2', saved: 's2', label: 'every call of edit', rule: 'edit' },
    ]);
  });

  it('has one more for all that wait, and names them', () => {
    const other = { ...request, callId: '2', details: { ...request.details, title: 'Edit b.ts' } };
    const queue = { number: 1, count: 2, others: [other] };
    const { title, choices, facts, others } = approvalQuestion({ ...request, queue });
    expect(title).toBe('Edit +1 -1 (1 of 2)');
    expect(choices.at(-1)).toMatchObject({ key: 't', label: 'yes to these 2' });
    expect(facts).toEqual(['Then: Edit b.ts +1 -1']);
    expect(others).toHaveLength(1);
  });

  it('offers neither always nor an editor where there is none', () => {
    const plain: ConfirmRequest = {
      ...request,
      modifiable: false,
      offers: [],
      details: { kind: 'info', title: '', prompt: 'Fetch it?', urls: ['https://a.b'], effects: [] },
    };
    const { choices, command, facts, diff } = approvalQuestion(plain);
    expect(choices.map(({ key }) => key)).toEqual(['y', 'n']);
    expect(facts).toEqual([]);
    expect(command).toBe('Fetch it?\nhttps://a.b');
    expect(diff).toBeUndefined();
  });

  it('shows the warnings first, then the facts, the command with its output, and the changes', () => {
    const { title, warnings, facts, command, text, diff } = approvalQuestion({
      ...request,
      description: 'Run make',
      offers: [],
      details: {
        kind: 'exec',
        title: '',
        command: 'make\nIt printed nothing.',
        directory: '/w',
        effects: [],
        output: 'done\n',
        summary: '1 file changed',
        warnings: ['a: runs later'],
        diff: { kind: 'diff', files: [] },
      },
    });
    expect(title).toBe('Keep the changes? Run make');
    expect(warnings).toEqual(['! a: runs later']);
    expect(facts[0]).toBe('1 file changed.');
    expect(command).toBe('$ make\n> It printed nothing.');
    expect(text).toBe('It printed:\n  done');
    expect(diff).toEqual([]);
  });

  it('has the whole output beside its end, where that is long', () => {
    const output = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join('\n');
    const details = { kind: 'exec' as const, title: '', command: 'make', directory: '/w', effects: [] };
    const asked = approvalQuestion({ ...request, offers: [], details: { ...details, output } });
    expect(asked.text?.split('\n').slice(0, 2)).toEqual([
      'It printed (the last 12 of 30 lines, Ctrl+O shows all):',
      '  line 19',
    ]);
    expect(asked.unfolded?.split('\n').slice(0, 2)).toEqual(['It printed:', '  line 1']);
    const many = approvalQuestion({
      ...request,
      offers: [],
      details: { ...details, output: 'line\n'.repeat(3_000) },
    });
    expect(many.text).toContain('It printed (the last 12 of 3000 lines, Ctrl+O shows more):');
    expect(many.unfolded?.split('\n', 1)).toEqual(['It printed (the last 2000 of 3000 lines):']);
    const wide = approvalQuestion({
      ...request,
      offers: [],
      details: { ...details, output: 'x'.repeat(3_000) },
    });
    expect(wide.text).toMatch(/^It printed \(long lines are cut, Ctrl\+O shows all\):\n {2}x{400}…$/);
    expect(wide.unfolded).toBe(`It printed:\n  ${'x'.repeat(3_000)}`);
    const short = approvalQuestion({ ...request, offers: [], details: { ...details, output: 'done' } });
    expect(short.unfolded).toBeUndefined();
  });
});
