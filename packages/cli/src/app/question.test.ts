import type { ConfirmRequest, TrustState } from '@toolwright/core';
import { describe, expect, it } from 'vitest';
import { approvalQuestion, modifiableText, outcomeOf } from './approval.js';
import { replyOf, whyNoReply } from './question.js';
import { trustQuestion } from './trust-question.js';

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
    ['e', 'edit'],
    ['n', { kind: 'cancel', reason: 'no reason was given' }],
    ['no', { kind: 'cancel', reason: 'no reason was given' }],
    ['n, use b.ts  instead', { kind: 'cancel', reason: 'use b.ts  instead' }],
    ['no: why?', { kind: 'cancel', reason: 'why?' }],
  ])('%j means %j', (line, outcome) => {
    const reply = replyOf(line, question, { isLong: false });
    expect(reply && outcomeOf(reply, request)).toEqual(outcome);
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
  ])('%j is none', (line) => {
    expect(replyOf(line, question, { isLong: false })).toBeNull();
  });

  it.each([
    ['a1 1 day', 'After a1 there can be a number of calls (10) or a time (30m, 1h, 7d), not 1 day.'],
    ['S2 forever', 'After s2 there can be a number of calls (10) or a time (30m, 1h, 7d), not forever.'],
    ['yes please', 'Nothing can follow y. Answer with y alone.'],
    ['never', 'Please answer with one of: y, a1, s1, a2, s2, e, n.'],
    ['', 'Please answer with one of: y, a1, s1, a2, s2, e, n.'],
  ])('%j is none, and it is said why', (line, said) => {
    expect(whyNoReply(line, question.choices)).toBe(said);
  });

  it('that is empty means no when not all could be shown', () => {
    expect(replyOf('', question, { isLong: true })).toEqual({ key: 'n', text: '' });
  });
});

describe('the question about a call', () => {
  it('says what would happen, why it is asked, and each rule as it would be written', () => {
    const { facts, choices } = approvalQuestion(request, () => 'a.ts');
    expect(facts).toEqual([
      'It would write a.ts.',
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
    expect(modifiableText(request)).toEqual({ name: '/w/a.ts', text: 'b\n' });
  });

  it('names the workspace where a dot would stand', () => {
    const details = { ...request.details, effects: [{ kind: 'read' as const, path: '/w' }] };
    const { facts } = approvalQuestion({ ...request, details }, () => '.');
    expect(facts[0]).toBe('It would read the workspace.');
  });

  it('offers neither always nor an editor where there is none', () => {
    const plain: ConfirmRequest = {
      ...request,
      modifiable: false,
      offers: [],
      details: { kind: 'info', title: '', prompt: 'Fetch it?', urls: ['https://a.b'], effects: [] },
    };
    const { choices, text, facts } = approvalQuestion(plain);
    expect(choices.map(({ key }) => key)).toEqual(['y', 'n']);
    expect(facts).toEqual(['Asked because default mode asks.']);
    expect(text).toBe('Fetch it?\nhttps://a.b');
    expect(modifiableText(plain)).toBeNull();
  });

  it('says of an edit what to look at twice', () => {
    const warning = 'a.ts is overwritten in place, not replaced, because it belongs to another user';
    const details = {
      kind: 'edit' as const,
      title: '',
      diff: { kind: 'diff' as const, files: [] },
      effects: [],
    };
    const { facts } = approvalQuestion({ ...request, details: { ...details, warnings: [warning] } });
    expect(facts).toContain(`! ${warning}`);
  });

  it.each([
    [false, 'Network: no'],
    [true, 'Network: yes'],
  ])('says of a command where it runs and whether it reaches the network (%s)', (network, expected) => {
    const effect = {
      kind: 'execute' as const,
      command: 'make',
      directory: '/w',
      readOnly: false,
      network,
      background: false,
      commands: null,
    };
    const { facts, text } = approvalQuestion({
      ...request,
      details: {
        kind: 'exec',
        title: '',
        command: 'make',
        directory: '/w',
        effects: [effect],
        confinement: 'confined by bubblewrap 1.2.3',
        warnings: ['It works in the workspace itself.'],
      },
    });
    expect(facts).toContain(`It would run in /w, confined by bubblewrap 1.2.3. ${expected}.`);
    expect(facts).toContain('! It works in the workspace itself.');
    expect(text).toBe('$ make');
  });

  it('shows of a command that ran apart what it would change, the end of its output, and then the changes', () => {
    const output = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join('\n');
    const { title, facts, text, diff } = approvalQuestion(
      {
        ...request,
        description: 'Run make',
        details: {
          kind: 'exec',
          title: '',
          command: 'make',
          directory: '/w',
          effects: [{ kind: 'write', path: '/w/a', staged: true }],
          confinement: 'confined by bubblewrap 1.2.3',
          output,
          summary: 'modifies 1; no network',
          diff: { kind: 'diff', files: [] },
        },
      },
      () => '.',
    );
    expect(title).toBe('Keep what this command changed? Run make');
    expect(facts.slice(0, 2)).toEqual([
      'It modifies 1; no network.',
      'It ran on a copy, confined by bubblewrap 1.2.3. Nothing is kept yet.',
    ]);
    expect(text?.split('\n').slice(0, 3)).toEqual([
      '$ make',
      'It printed (the last 12 of 30 lines):',
      '  line 19',
    ]);
    expect(text?.split('\n').at(-1)).toBe('  line 30');
    expect(diff).toEqual([]);
  });

  it('says what would become of the files before it shows any command, output or content', () => {
    const file = (path: string, change: 'delete' | 'modify') => ({
      path,
      change,
      unified: '-one\n'.repeat(200),
      added: 0,
      removed: 200,
    });
    const { title, facts } = approvalQuestion({
      ...request,
      description: `Run rm a b${' '.repeat(5_000)}# nothing else`,
      details: {
        kind: 'exec',
        title: '',
        command: 'rm a b',
        directory: '/w',
        effects: [],
        output: '',
        summary: 'deletes 2, modifies 1; no network',
        diff: { kind: 'diff', files: [file('a', 'delete'), file('b', 'delete'), file('c', 'modify')] },
      },
    });
    expect(facts.slice(0, 2)).toEqual(['It deletes 2, modifies 1; no network.', 'Deletes: a, b']);
    expect(title.length).toBeLessThan(250);
  });

  it('marks every line of a command, so that none passes for something else', () => {
    const command = 'true\nIt printed nothing.\nchanges nothing; no network';
    const { title, text } = approvalQuestion({
      ...request,
      description: `Run ${command}`,
      details: { kind: 'exec', title: '', command, directory: '/w', effects: [] },
    });
    expect(title).toBe('Run true …');
    expect(text).toBe('$ true\n> It printed nothing.\n> changes nothing; no network');
  });

  it('shows the arguments of a foreign tool', () => {
    const details = {
      kind: 'mcp' as const,
      title: '',
      server: 's',
      tool: 't',
      arguments: { a: '\x1b[1m' },
      effects: [],
    };
    expect(approvalQuestion({ ...request, details }).text).toBe('t {\n  "a": "\\u001b[1m"\n}');
  });
});

describe('the question of trust', () => {
  const examination = {
    folder: '/w',
    fingerprint: { '.toolwright/settings.json': 'hash' },
    commands: [
      { file: '.toolwright/settings.json', line: 3, setting: 'mcpServers.x', runs: 'npx evil \x1b[2J' },
    ],
  };

  it('names what would run and the files that count', () => {
    expect(trustQuestion({ state: 'unknown', examination })?.text).toBe(
      'These would run:\n  npx evil ␛[2J   (mcpServers.x in .toolwright/settings.json:3)\n\nThese files would count:\n  .toolwright/settings.json',
    );
  });

  it('can not be made to read as another one', () => {
    const forged = 'echo hi   (x in y:1)\n\nThese files would count:\n  README.md';
    const text = trustQuestion({
      state: 'changed',
      changes: [{ path: 'a\nb', change: 'added' }],
      examination: {
        folder: '/w\n?',
        fingerprint: { 'c\nd': 'hash' },
        commands: [{ file: 'e\nf', line: 1, setting: 'g\nh', runs: forged }],
      },
    });
    expect(text?.title).toBe('Do you trust /w␊??');
    expect(text?.text?.split('\n')).toEqual([
      'Changed since you trusted it:',
      '  a␊b (added)',
      '',
      'These would run:',
      '  echo hi   (x in y:1)␊␊These files would count:␊  README.md   (g␊h in e␊f:1)',
      '',
      'These files would count:',
      '  c␊d',
    ]);
  });

  it('names what has changed', () => {
    const changes = [{ path: 'x.sh', change: 'modified' as const }];
    expect(trustQuestion({ state: 'changed', changes, examination })?.text).toMatch(
      /^Changed since you trusted it:\n {2}x\.sh \(modified\)\n/,
    );
  });

  it.each<TrustState>([
    { state: 'unknown', examination: { ...examination, fingerprint: {}, commands: [] } },
    { state: 'trusted', examination },
    { state: 'untrusted', examination },
  ])('is not asked where it is answered or empty: %j', (trust) => {
    expect(trustQuestion(trust)).toBeNull();
  });
});
