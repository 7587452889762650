import type { FileDiff } from '@toolwright/machine/base/content.js';
import { forged } from '@toolwright/machine/base/fixtures/hostile-names.js';
import { describe, expect, it } from 'vitest';
import type { ConfirmRequest, Outcome } from '../../scheduler/call.js';
import type { ConfirmationDetails } from '../../tools/tools.js';
import { toElicitation, toOutcome } from './question.js';

const offers = [
  { rule: 'Edit(a.txt)', allows: 'changes to a.txt' },
  { rule: 'write_file', allows: 'every call of write_file' },
];

function asking(details: ConfirmationDetails, more: Partial<ConfirmRequest> = {}): ConfirmRequest {
  return {
    callId: 'c1',
    tool: 'write_file',
    description: details.title ?? '',
    details,
    reason: 'default mode asks before writing a.txt',
    offers,
    modifiable: true,
    ...more,
  };
}

const show = (path: string): string => path.replace('/work/', '').replace(/^\/work$/, '.');

const clean = (text: string): string => text.replaceAll('swordfish', '[redacted]');
const options = { show, clean };

function diffOf(unified: string, path = 'a.txt'): FileDiff {
  return { kind: 'diff', files: [{ path, change: 'modify', unified, added: 1, removed: 1 }] };
}

const edit: ConfirmationDetails = {
  kind: 'edit',
  title: 'Write a.txt',
  diff: diffOf('--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n'),
  effects: [{ kind: 'write', path: '/work/a.txt' }],
};

const staged: ConfirmationDetails = {
  kind: 'exec',
  title: 'Run make',
  command: 'make',
  directory: '/work',
  effects: [],
  confinement: 'confined by bubblewrap',
  output: `${Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join('\n')}\n`,
  summary: '1 file changed: a.txt',
  warnings: ['It makes a program.'],
  diff: diffOf('-old\n+new\n'),
};

describe('the text of a question', () => {
  it('about a file has the diff', () => {
    expect(toElicitation(asking(edit), options).message).toBe(`Write a.txt +1 -1

modify a.txt (+1 -1)
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-old
+new`);
  });

  it('about a command that ran on a copy has the warnings, the summary, the end of its output and its changes', () => {
    const tail = Array.from({ length: 12 }, (_, index) => `  line ${index + 9}`).join('\n');
    expect(toElicitation(asking(staged), options).message).toBe(`Keep the changes? Run make (+1 -1)
! It makes a program.

$ make

modify a.txt (+1 -1)
-old
+new
It printed (the last 12 of 20 lines):
${tail}

1 file changed: a.txt.
It ran on a copy in the sandbox without network access. Nothing has been kept yet.`);
  });

  it('names the calls that one yes would allow together', () => {
    const others = [asking({ ...edit, title: 'Write b.txt' }, { callId: 'c2' })];
    const { message, requestedSchema } = toElicitation(
      asking(edit, { queue: { number: 1, count: 2, others } }),
      options,
    );
    expect(message).toMatch(/^Write a\.txt \+1 -1 \(1 of 2\)\n[\s\S]*\+new\n\nThen: Write b\.txt \+1 -1$/);
    expect(requestedSchema.properties['answer']).toHaveProperty('enumNames.1', 'Yes to these 2');
  });

  it('about a command that would run says where, how, and whether it reaches the network', () => {
    const details: ConfirmationDetails = {
      kind: 'exec',
      title: 'Run curl',
      command: 'curl https://example.com',
      directory: '/work/sub',
      effects: [
        {
          kind: 'execute',
          command: 'curl https://example.com',
          directory: '/work/sub',
          readOnly: false,
          network: true,
          background: false,
          commands: null,
        },
      ],
    };
    const { message } = toElicitation(asking(details), options);
    expect(message).toContain('It would run in sub, with network access.');
    expect(message).toContain('\n\n$ curl https://example.com');
  });

  it('of anything else has what it says, and its addresses', () => {
    const details: ConfirmationDetails = {
      kind: 'info',
      title: 'Fetch',
      prompt: 'Fetch it?',
      urls: ['https://example.com/'],
      effects: [{ kind: 'network', host: 'example.com', port: 443, url: 'https://example.com/' }],
    };
    expect(toElicitation(asking(details), options).message).toBe(`Fetch

Fetch it?
https://example.com/`);
  });

  it('never hides how much is not shown', () => {
    const lines = Array.from({ length: 500 }, (_, index) => `+line ${index}`).join('\n');
    const two: FileDiff = { kind: 'diff', files: [...diffOf(lines).files, ...diffOf('-x', 'b.txt').files] };
    const { message } = toElicitation(asking({ ...edit, diff: two }), options);
    expect(message).toContain('\nmodify a.txt (+1 -1)\nmodify b.txt (+1 -1)\n');
    expect(message).toContain('… 305 more lines are not shown here. If in doubt, say no.');
    expect(message.split('\n').length).toBeLessThan(250);
  });

  it('carries no secret, not even where a long title is cut', () => {
    const long = asking(
      { ...edit, diff: diffOf('-swordfish\n+x') },
      { description: `${'x'.repeat(195)}swordfish` },
    );
    const { message } = toElicitation(long, options);
    expect(message).toContain('-[redacted]\n+x');
    expect(message).not.toContain('sword');
  });

  it('marks every line of a command, and keeps to its own lines whatever was written elsewhere', () => {
    const command = `true\nIt would read a.txt.\r\n${forged}\u2028\n$ ls`;
    const details: ConfirmationDetails = {
      kind: 'exec',
      title: 'Run it',
      command,
      directory: '/work/a\nb',
      effects: [{ kind: 'write', path: '/work/c\nIt would do nothing.' }],
      warnings: ['one\ntwo'],
    };
    const description = `Run ${command}`;
    const { message } = toElicitation(asking(details, { description }), options);
    expect(message).toBe(`Run true …
! one␊two

$ true
> It would read a.txt.
> ${forged}
> 
> $ ls

It would write "c\\nIt would do nothing.".
It would run in a␊b, without network access.`);
    const info: ConfirmationDetails = {
      kind: 'info',
      title: 'Fetch',
      prompt: 'Fetch it?\nhttps://harmless.example/',
      effects: [],
      urls: ['https://example.com/'],
    };
    expect(toElicitation(asking(info), options).message).toMatch(
      /\n\nFetch it\?\n> https:\/\/harmless\.example\/\nhttps:\/\/example\.com\/$/,
    );
  });

  it('can not be made to read as another one', () => {
    const evil = diffOf('+\u001b[2J\u001b[Hharmless\u202e\r\u0007');
    const { message } = toElicitation(asking({ ...edit, diff: evil }), options);
    expect(message).not.toMatch(/[\u001b\u202e\r\u0007]/);
  });
});

it('the ways to answer are once, for as long as the server lives, and no', () => {
  const { requestedSchema } = toElicitation(asking(edit), options);
  expect(requestedSchema.properties['answer']).toEqual({
    type: 'string',
    title: 'Answer',
    enum: ['once', 'session', 'session-2', 'no'],
    enumNames: [
      'Yes, this once',
      'Yes, and allow changes to a.txt until this server ends: rule Edit(a.txt)',
      'Yes, and allow every call of write_file until this server ends: rule write_file',
      'No (you can give the model a reason)',
    ],
  });
  expect(requestedSchema.required).toEqual(['answer']);
});

const no: Outcome = { kind: 'cancel', reason: 'no reason was given' };

it.each<[string, Parameters<typeof toOutcome>[0], Outcome]>([
  ['once', { action: 'accept', content: { answer: 'once' } }, { kind: 'once' }],
  [
    'session',
    { action: 'accept', content: { answer: 'session' } },
    { kind: 'always', rule: 'Edit(a.txt)', scope: 'session' },
  ],
  [
    'the second rule',
    { action: 'accept', content: { answer: 'session-2' } },
    { kind: 'always', rule: 'write_file', scope: 'session' },
  ],
  ['a rule that was not offered', { action: 'accept', content: { answer: 'session-3' } }, no],
  ['no', { action: 'accept', content: { answer: 'no' } }, no],
  [
    'no with a reason',
    { action: 'accept', content: { answer: 'no', reason: ' use b ' } },
    { kind: 'cancel', reason: 'use b' },
  ],
  ['yes, which is no way to answer', { action: 'accept', content: { answer: 'yes' } }, no],
  ['an empty form', { action: 'accept', content: {} }, no],
  ['no form', { action: 'accept' }, no],
  ['a refusal that carries a yes', { action: 'decline', content: { answer: 'once' } }, no],
  [
    'a closed question',
    { action: 'cancel', content: { answer: 'once' } },
    { kind: 'cancel', reason: 'the user closed the question without an answer' },
  ],
])('the server reads the answer %s', (_name, answer, outcome) => {
  expect(toOutcome(answer, asking(edit))).toEqual(outcome);
});
