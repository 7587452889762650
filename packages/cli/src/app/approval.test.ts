import { type ConfirmRequest, outcomeOf } from '@toolwright/core';
import { describe, expect, it } from 'vitest';
import { answerTo, approvalQuestion } from './approval.js';
import { grantLimit, replyOf, whyNoReply } from './question.js';

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
    ['y', { kind: 'once' }],
    [' YES ', { kind: 'once' }],
    ['a1', { kind: 'always', rule: 'Edit(a.ts)', scope: 'session' }],
    ['s2', { kind: 'always', rule: 'edit', scope: 'saved' }],
    ['a1 10', { kind: 'always', rule: 'Edit(a.ts)', scope: 'session', uses: 10 }],
    ['a2 1H', { kind: 'always', rule: 'edit', scope: 'session', forMs: 3_600_000 }],
    ['a1 3', { kind: 'always', rule: 'Edit(a.ts)', scope: 'session', uses: 3 }],
    ['s2 30m', { kind: 'always', rule: 'edit', scope: 'saved', forMs: 1_800_000 }],
    ['s1 7d', { kind: 'always', rule: 'Edit(a.ts)', scope: 'saved', forMs: 604_800_000 }],
    ['s1 10', { kind: 'always', rule: 'Edit(a.ts)', scope: 'saved', uses: 10 }],
    ['e', { kind: 'modify', written: '' }],
    ['n', { kind: 'cancel', reason: 'no reason was given' }],
    ['no', { kind: 'cancel', reason: 'no reason was given' }],
    ['n, use b.ts  instead', { kind: 'cancel', reason: 'use b.ts  instead' }],
    ['no: why?', { kind: 'cancel', reason: 'why?' }],
  ])('is read from %j as %j', (line, outcome) => {
    const reply = replyOf(line, question, { isLong: false })!;
    const limit = grantLimit(reply.text);
    expect(outcomeOf(answerTo(question, reply), { reason: reply.text, limit })).toEqual(outcome);
  });

  it.each([
    '',
    '  ',
    'yy',
    'y now',
    'yes please',
    'a',
    'a3',
    's0',
    'a1 x',
    'a1 0',
    'a1 1w',
    'a1 1000',
    'a1 -1',
    'a1 10 1h',
    'y 10',
    'e 1h',
    'never',
    'v',
    '1',
    'constructor',
  ])('is not given by %j', (line) => {
    expect(replyOf(line, question, { isLong: false })).toBeNull();
  });

  it.each([
    ['a1 1 day', 'After a1 there can be a number of calls (10) or a time (30m, 1h, 7d), not 1 day.'],
    ['S2 forever', 'After s2 there can be a number of calls (10) or a time (30m, 1h, 7d), not forever.'],
    ['yes please', 'Nothing can follow y. Answer with y alone.'],
    ['never', 'Please answer with one of: y, a1, s1, a2, s2, e, n.'],
    ['', 'Please answer with one of: y, a1, s1, a2, s2, e, n.'],
  ])('is not what %j is, and the reason is told', (line, said) => {
    expect(whyNoReply(line, question.choices)).toBe(said);
  });

  it('that is empty means no when not all could be shown', () => {
    expect(replyOf('', question, { isLong: true })).toEqual({ key: 'n', text: '' });
  });
});

describe('the question about a call', () => {
  it('has a key for each answer, and lets a yes be limited', () => {
    const { facts, choices } = approvalQuestion(request, () => 'a.ts');
    expect(facts).toEqual([
      'Asked because default mode asks.',
      'A yes can have a limit, in calls or in time: a1 10, a1 30m, s1 1h, s1 7d.',
    ]);
    expect(choices.map(({ key, label }) => `${key} ${label}`)).toEqual([
      'y yes, this once',
      'a1 yes, and allow changes to a.ts for this session: rule Edit(a.ts)',
      's1 the same, saved for this workspace',
      'a2 yes, and allow every call of edit for this session: rule edit',
      's2 the same, saved for this workspace',
      'e change the proposed content in your editor, then look again',
      'n no; a reason may follow for the model: n use b.ts instead',
    ]);
    expect(choices[2]?.chosen).toBe(
      'yes, and allow changes to a.ts, saved for this workspace: rule Edit(a.ts)',
    );
  });

  it('offers neither always nor an editor where there is none', () => {
    const plain: ConfirmRequest = {
      ...request,
      modifiable: false,
      offers: [],
      details: { kind: 'info', title: '', prompt: 'Fetch it?', urls: ['https://a.b'], effects: [] },
    };
    const { choices, text, facts, diff } = approvalQuestion(plain);
    expect(choices.map(({ key }) => key)).toEqual(['y', 'n']);
    expect(facts).toEqual(['Asked because default mode asks.']);
    expect(text).toBe('Fetch it?\nhttps://a.b');
    expect(diff).toBeUndefined();
  });

  it('shows the warnings first, then the facts, the command with its output, and the changes', () => {
    const { title, facts, text, diff } = approvalQuestion({
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
        summary: 'modifies 1; no network',
        warnings: ['a: runs later'],
        diff: { kind: 'diff', files: [] },
      },
    });
    expect(title).toBe('Keep the changes? Run make');
    expect(facts.slice(0, 2)).toEqual(['! a: runs later', 'It modifies 1; no network.']);
    expect(text).toBe('$ make\n> It printed nothing.\nIt printed:\n  done');
    expect(diff).toEqual([]);
  });
});
