import type { Effect } from '@toolwright/machine/base/effect.js';
import { describe, expect, it } from 'vitest';
import type { ConfirmRequest } from '../scheduler/call.js';
import type { ConfirmationDetails } from '../tools/tools.js';
import { type Answer, outcomeOf } from './answers.js';
import { type CallQuestion, wordQuestion } from './question.js';

type DetailsOf<Kind> = Extract<ConfirmationDetails, { kind: Kind }>;

const show = (path: string): string => path.replace('/w/', '').replace(/^\/w$/, '.');

function worded(
  details: ConfirmationDetails,
  { outputLines, ...more }: Partial<ConfirmRequest> & { outputLines?: number } = {},
): CallQuestion {
  const request = { callId: '1', tool: 't', description: 'Do it', reason: 'default mode asks' };
  return wordQuestion({ ...request, offers: [], modifiable: false, details, ...more }, { show, outputLines });
}

const edit: DetailsOf<'edit'> = {
  kind: 'edit',
  title: '',
  diff: {
    kind: 'diff',
    files: [{ path: 'a.ts', change: 'modify', unified: '-a\n+b\n', added: 1, removed: 1 }],
  },
  effects: [{ kind: 'write', path: '/w/a.ts' }],
};

const run: Effect = {
  kind: 'execute',
  command: 'make',
  directory: '/w',
  readOnly: false,
  network: false,
  background: false,
  commands: null,
};

const command: DetailsOf<'exec'> = {
  kind: 'exec',
  title: '',
  command: 'make',
  directory: '/w/sub',
  effects: [run],
  confinement: 'confined by bubblewrap 1.2.3',
};

const mcp: DetailsOf<'mcp'> = {
  kind: 'mcp',
  title: '',
  server: 's',
  tool: 't',
  arguments: { a: '\x1b[1m' },
  effects: [{ kind: 'mcp', server: 's', tool: 't' }],
};

const info: DetailsOf<'info'> = {
  kind: 'info',
  title: '',
  prompt: 'Fetch it?',
  urls: ['https://a.b/'],
  effects: [{ kind: 'network', host: 'a.b', port: 443, url: 'https://a.b/' }],
};

function deleting(path: string, lines = 1) {
  return { path, change: 'delete' as const, unified: '-one\n'.repeat(lines), added: 0, removed: lines };
}

describe('a question', () => {
  it.each<[string, ConfirmationDetails, Pick<CallQuestion, 'warnings' | 'facts' | 'body'>]>([
    ['an edit', edit, { warnings: [], facts: [], body: [{ kind: 'diff', untrusted: edit.diff }] }],
    [
      'an edit that deserves a second look',
      { ...edit, diff: { kind: 'diff', files: [deleting('b.ts')] }, warnings: ['a.ts belongs to root'] },
      {
        warnings: ['Deletes 1 file: b.ts', '! a.ts belongs to root'],
        facts: [],
        body: [{ kind: 'diff', untrusted: { kind: 'diff', files: [deleting('b.ts')] } }],
      },
    ],
    [
      'a command that has not run',
      command,
      {
        warnings: [],
        facts: ['It would run in sub, in the sandbox without network access.'],
        body: [{ kind: 'command', untrusted: 'make' }],
      },
    ],
    [
      'a command that declares deletions and reaches the network',
      {
        ...command,
        directory: '/w',
        effects: [
          { ...run, network: true },
          { kind: 'delete', path: '/w/a' },
          { kind: 'delete', path: '/w' },
        ],
        warnings: ['It works in the workspace itself.'],
      },
      {
        warnings: ['Deletes a, the workspace', '! It works in the workspace itself.'],
        facts: ['It would run in the sandbox with network access.'],
        body: [{ kind: 'command', untrusted: 'make' }],
      },
    ],
    [
      'a command that ran on a copy',
      {
        ...command,
        directory: '/w',
        output: 'done\n',
        summary: '1 file deleted, 1 file created',
        warnings: ['hook.sh: runs later'],
        diff: { kind: 'diff', files: [deleting('a')] },
      },
      {
        warnings: ['Deletes 1 file: a', '! hook.sh: runs later'],
        facts: [
          '1 file created.',
          'It ran on a copy in the sandbox without network access. Nothing has been kept yet.',
        ],
        body: [
          { kind: 'command', untrusted: 'make' },
          { kind: 'diff', untrusted: { kind: 'diff', files: [deleting('a')] } },
          { kind: 'output', heading: 'It printed:', untrusted: 'done' },
        ],
      },
    ],
    [
      'a tool of a server',
      mcp,
      {
        warnings: [],
        facts: [],
        body: [{ kind: 'arguments', heading: 't', untrusted: '{\n  "a": "\\u001b[1m"\n}' }],
      },
    ],
    [
      'anything else',
      info,
      {
        warnings: [],
        facts: [],
        body: [
          { kind: 'message', untrusted: 'Fetch it?' },
          { kind: 'addresses', untrusted: ['https://a.b/'] },
        ],
      },
    ],
    [
      'something without effects and addresses',
      { ...info, effects: [], urls: [] },
      { warnings: [], facts: [], body: [{ kind: 'message', untrusted: 'Fetch it?' }] },
    ],
  ])('about %s says what it means, then why it is asked', (_what, details, { warnings, facts, body }) => {
    const question = worded(details);
    expect({ ...question, answers: [] }).toEqual({
      title: expect.stringMatching(/^(?:Keep the changes\? )?Do it(?: \(\+\d+ -\d+\)| \+\d+ -\d+)?$/),
      queue: null,
      waiting: [],
      warnings,
      facts,
      body,
      answers: [],
    });
    expect(JSON.parse(JSON.stringify(question))).toEqual(question);
  });

  it('does not explain what the mode asks about every time, nor repeats its title', () => {
    const routine = { description: 'Edit a.ts: a becomes b' };
    const { title, facts } = worded({ ...edit, title: 'Edit a.ts' }, routine);
    expect({ title, facts }).toEqual({ title: 'Edit a.ts +1 -1', facts: [] });
    const fetch = worded({ ...info, prompt: 'Do it?' });
    expect([fetch.facts, fetch.body]).toEqual([[], [{ kind: 'addresses', untrusted: ['https://a.b/'] }]]);
  });

  it('says what is special about the call, without the call', () => {
    const { facts } = worded(edit, { brief: 'a protected path is always asked about' });
    expect(facts.at(-1)).toBe('Asked because a protected path is always asked about.');
  });

  it('gives no reason that a warning gives already', () => {
    const why = 'other programs run what is in it';
    const { warnings, facts } = worded({ ...edit, warnings: [`package.json: ${why}`] }, { brief: why });
    expect([warnings, facts]).toEqual([[`! package.json: ${why}`], []]);
  });

  it('says once that a command reaches the network: in its reason, or else in how it would run', () => {
    const reaching = '`curl` (example.com) reaches the network';
    const facts = (doubts: string[], brief: string | undefined, network = true): string[] =>
      worded({ ...command, directory: '/w', effects: [{ ...run, network, doubts }] }, { brief }).facts;
    expect(facts([reaching], reaching)).toEqual([
      'It would run in the sandbox.',
      `Asked because ${reaching}.`,
    ]);
    expect(facts([reaching], 'rule Bash(curl:*) says so')).toEqual([
      'It would run in the sandbox with network access.',
      'Asked because rule Bash(curl:*) says so.',
    ]);
    const asked = 'it may use the network';
    expect(facts([asked], asked)).toEqual(['It would run in the sandbox.', `Asked because ${asked}.`]);
    const script = '`npm` runs scripts';
    expect(facts([script, reaching], script)[0]).toBe('It would run in the sandbox with network access.');
    expect(facts([reaching], undefined)).toEqual(['It would run in the sandbox with network access.']);
    expect(facts([reaching], reaching, false)[0]).toBe('It would run in the sandbox without network access.');
  });

  it('says once what a command may reach outside: its warnings name it', () => {
    const effects: Effect[] = [
      run,
      { kind: 'outside', access: 'write', path: '/home/you/bin' },
      { kind: 'outside', access: 'host', host: 'example.org' },
      { kind: 'read', path: '/w/a' },
    ];
    const warnings = ['Outside the workspace it may write ~/bin.', 'It may reach example.org.'];
    const { facts } = worded({ ...command, effects, warnings });
    expect(facts[0]).toBe('It would read a.');
    expect(facts.join(' ')).not.toMatch(/outside|bin/);
  });

  it('counts files and folders that a command deleted, once', () => {
    const files = ['old/a', 'old/b'].map((path) => deleting(path));
    const ran = { ...command, directory: '/w', output: '', diff: { kind: 'diff' as const, files } };
    const all = worded({ ...ran, summary: '2 files and 1 folder deleted', deletedFolders: ['old'] });
    expect(all.warnings).toEqual(['Deletes 2 files and 1 folder: old/a, old/b, old/']);
    expect(all.facts).toEqual([expect.stringMatching(/^It ran on a copy/)]);
    const none = { ...ran, diff: { kind: 'diff' as const, files: [] } };
    const folder = worded({ ...none, summary: '1 folder deleted', deletedFolders: ['empty'] });
    expect(folder.warnings).toEqual(['Deletes 1 folder: empty/']);
    expect(folder.facts).toHaveLength(1);
  });

  it('counts deletions once beside what else a command did, and sets the counts of its lines apart from it', () => {
    const files = [
      deleting('a'),
      { path: 'b', change: 'create' as const, unified: '+x\n', added: 1, removed: 0 },
    ];
    const ran = { ...command, directory: '/w', output: '', diff: { kind: 'diff' as const, files } };
    const said = (summary: string) => worded({ ...ran, summary }, { description: 'Run rm a; echo done' });
    expect(said('1 file deleted, 1 file created')).toMatchObject({
      title: 'Keep the changes? Run rm a; echo done (+1 -1)',
      warnings: ['Deletes 1 file: a'],
      facts: ['1 file created.', expect.stringMatching(/^It ran on a copy/)],
    });
    const withIgnored = '1 file deleted, and 2 files that git ignores';
    expect(said(withIgnored).facts[0]).toBe(`${withIgnored}.`);
  });

  it('says nothing of how a command would run where there is nothing left to say', () => {
    const reaching = '`curl` reaches the network';
    const effects = [{ ...run, network: true, doubts: [reaching] }];
    const plain = { ...command, directory: '/w', confinement: undefined, effects };
    expect(worded(plain, { brief: reaching }).facts).toEqual([`Asked because ${reaching}.`]);
  });

  it('names the workspace where a dot would stand', () => {
    const { facts } = worded({ ...edit, effects: [{ kind: 'read', path: '/w' }] });
    expect(facts[0]).toBe('It would read the workspace.');
  });

  it('shows the end of long output', () => {
    const output = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join('\n');
    const [, printed] = worded({ ...command, output }).body;
    expect(printed).toMatchObject({ kind: 'output', heading: 'It printed (the last 12 of 30 lines):' });
    expect(printed).toHaveProperty('untrusted', expect.stringMatching(/^line 19\n.*\nline 30$/s));
  });

  it('says that long lines of the output are cut', () => {
    const [, printed] = worded({ ...command, output: `short\n${'x'.repeat(500)}` }).body;
    expect(printed).toEqual({
      kind: 'output',
      heading: 'It printed (long lines are cut):',
      cut: 'long lines are cut',
      untrusted: `short\n${'x'.repeat(400)}…`,
    });
  });

  it.each([
    ['make', 'Run make', true],
    ['make', 'Build it: Run make', true],
    ['make', 'Build it', undefined],
  ])('says of the command %s under the title %s whether that has it whole', (line, description, inTitle) => {
    const [shown] = worded({ ...command, command: line }, { description }).body;
    expect(shown).toMatchObject({ kind: 'command', inTitle });
  });

  it('shows all of the output where the front end asks for it', () => {
    const output = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join('\n');
    const [, printed] = worded({ ...command, output }, { outputLines: 2_000 }).body;
    expect(printed).toMatchObject({ kind: 'output', heading: 'It printed:', untrusted: output });
  });

  it('stays short however much there is to name', () => {
    const files = Array.from({ length: 500 }, (_, index) => deleting(`${index}${'x'.repeat(300)}`));
    const effects = files.map(({ path }): Effect => ({ kind: 'write', path }));
    const { title, warnings, facts } = worded(
      { ...edit, effects, diff: { kind: 'diff', files } },
      { description: `Run rm${' '.repeat(5_000)}# nothing else` },
    );
    expect(title.length).toBeLessThan(250);
    expect(warnings[0]).toMatch(/^Deletes 500 files: 0x.*, and 480 more$/);
    for (const sentence of [...warnings, ...facts]) expect(sentence.length).toBeLessThanOrEqual(4_000);
  });
});

describe('the answers', () => {
  const offers = [
    { rule: 'Edit(a.ts)', allows: 'changes to a.ts' },
    { rule: 'edit', allows: 'every call of edit' },
  ];
  const modifiable = { path: '/w/a.ts', content: 'b\n' };
  const { answers } = worded({ ...edit, modifiable }, { offers, modifiable: true });

  it('say exactly what each allows', () => {
    expect(answers.map(({ label }) => label)).toEqual([
      'yes, this once',
      'yes, and allow changes to a.ts for this session: rule Edit(a.ts)',
      'yes, and allow changes to a.ts, saved for this workspace: rule Edit(a.ts)',
      'yes, and allow every call of edit for this session: rule edit',
      'yes, and allow every call of edit, saved for this workspace: rule edit',
      'change the proposed content',
      'no (you can give the model a reason)',
    ]);
    expect(answers[5]).toMatchObject({ name: '/w/a.ts', untrusted: 'b\n', isCommand: false });
  });

  it('have one for all that wait, named, unless one of them deserves a look of its own', () => {
    const waiting = (more: Partial<ConfirmRequest>): ConfirmRequest => ({
      callId: '2',
      tool: 't',
      description: 'Write b.ts',
      reason: '',
      details: { ...edit, title: 'Create b.ts' },
      offers,
      modifiable: false,
      ...more,
    });
    const asked = (more: Partial<ConfirmRequest>): CallQuestion =>
      worded(edit, { offers, queue: { number: 1, count: 2, others: [waiting(more)] } });
    const { title, waiting: next, answers: both } = asked({});
    expect([title, next]).toEqual(['Do it +1 -1 (1 of 2)', ['Create b.ts +1 -1']]);
    const all = both.find(({ kind }) => kind === 'all') as Answer;
    expect(all).toEqual({
      kind: 'all',
      label: 'yes to these 2',
      titles: ['Do it +1 -1', 'Create b.ts +1 -1'],
      calls: ['2'],
    });
    expect(outcomeOf(all)).toEqual({ kind: 'once', also: ['2'] });
    const doubtful: Partial<ConfirmRequest>[] = [
      { details: { ...edit, diff: { kind: 'diff', files: [deleting('b.ts')] } } },
      { details: { ...edit, warnings: ['it runs later'] } },
      { details: { ...command, effects: [{ kind: 'delete', path: '/w/a' }] } },
      { offers: [] },
      { falseClaim: { tool: 't', from: '', changed: ['x'], seenAt: 0 } },
    ];
    for (const more of doubtful) expect(asked(more).answers.filter(({ kind }) => kind === 'all')).toEqual([]);
  });

  it('can be a no for good, where the front end offers it', () => {
    const never = { rule: 'Edit(a.ts)', allows: 'changes to a.ts' };
    const request = { callId: '1', tool: 't', description: 'Do it', reason: 'default mode asks', never };
    const asked = wordQuestion(
      { ...request, offers: [], modifiable: false, details: edit },
      { canRefuseForGood: true },
    );
    const answer = asked.answers.at(-1) as Answer;
    expect(answer).toEqual({
      kind: 'never',
      rule: 'Edit(a.ts)',
      label: 'no, and deny changes to a.ts for this session: rule Edit(a.ts)',
    });
    expect(outcomeOf(answer)).toMatchObject({ kind: 'cancel', rule: 'Edit(a.ts)' });
  });

  it('are yes and no where nothing is offered and nothing can be rewritten', () => {
    expect(worded({ ...edit, modifiable }).answers.map(({ kind }) => kind)).toEqual(['once', 'no']);
  });

  it('let a command be rewritten', () => {
    const rewritten = worded({ ...command, modifiable: { command: 'make' } }, { modifiable: true })
      .answers[1];
    expect(rewritten).toMatchObject({ label: 'change the command', untrusted: 'make', isCommand: true });
  });

  it.each([
    [0, {}, { kind: 'once' }],
    [1, { limit: { uses: 10 } }, { kind: 'always', rule: 'Edit(a.ts)', scope: 'session', uses: 10 }],
    [4, { limit: null, reason: 'x' }, { kind: 'always', rule: 'edit', scope: 'saved' }],
    [5, { written: 'c\n' }, { kind: 'modify', written: 'c\n' }],
    [6, { reason: ' use b ' }, { kind: 'cancel', reason: 'use b' }],
    [6, {}, { kind: 'cancel', reason: 'no reason was given' }],
  ])('number %i with %j means %j', (index, beside, outcome) => {
    expect(outcomeOf(answers[index] as Answer, beside)).toEqual(outcome);
  });
});
