import type { Agent } from '@toolwright/core';
import { expect, it } from 'vitest';
import { parseCommandLine } from '../command-line/args.js';
import { promptFlags } from '../command-line/flags.js';
import { rewindPoints } from './commands/rewind-points.js';
import { openingOf } from './opening.js';
import { replayed } from './replay.js';

const user = (text: string) => ({ role: 'user' as const, parts: [{ text }] });
const model = (text: string) => ({ role: 'model' as const, parts: [{ text }] });
const call = {
  role: 'model' as const,
  parts: [{ functionCall: { id: '1', name: 'run_shell_command', args: { command: 'make\nmore' } } }],
};
const result = { role: 'user' as const, parts: [{ functionResponse: { id: '1', name: 'x', response: {} } }] };

const shell = {
  parameterSchema: { type: 'object', properties: { command: { type: 'string' } } },
  getDescription: ({ command }: { command: string }) => `Run ${command}`,
};
const registry = { require: () => ({ tool: shell }) } as unknown as Agent['registry'];

it('an earlier conversation is shown from its end, and its calls in the words of their tools', async () => {
  const messages = [
    ...Array.from({ length: 10 }, (_, at) => user(`old ${at}`)),
    user('go'),
    call,
    result,
    model('Done.'),
  ];
  const blocks = await replayed({ messages, interrupted: ['Run make'], registry }, { isLinear: false });
  expect(blocks[0]).toMatchObject({ text: '2 earlier messages not shown.' });
  expect(blocks.slice(-4)).toMatchObject([
    { kind: 'prompt', text: 'go' },
    { kind: 'text', text: '  - Run make more' },
    { kind: 'answer', text: 'Done.' },
    { tone: 'warning', text: expect.stringMatching(/still running when the session broke off: Run make\./) },
  ]);
});

it('points to go back to know the changes made since, also after an earlier rewind and a summary', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const message = (each: ReturnType<typeof user>) => ({ type: 'message' as const, message: each, at });
  const changes = (id: string) => ({ type: 'changes' as const, changeSet: { id }, at });
  const entries = [
    message(user('dropped')),
    changes('0'),
    { type: 'history' as const, messages: [user('a summary')], at },
    message(user('first')),
    changes('1'),
    message(user('second')),
    changes('2'),
    changes('3'),
  ];
  const points = rewindPoints([user('a summary'), user('first'), model('x'), user('second')], entries);
  expect(points.map(({ index, text, changes: since }) => [index, text, since])).toEqual([
    [0, 'a summary', []],
    [1, 'first', ['1', '2', '3']],
    [3, 'second', ['2', '3']],
  ]);
});

it('a command leads on to the same session, a new one or an earlier one', () => {
  const args = parseCommandLine(['--continue', '--model', 'm'], promptFlags);
  const agent = { messages: [user('x')], session: { id: 'now' } } as unknown as Parameters<
    typeof openingOf
  >[1]['agent'];
  const resumes = (session: Parameters<typeof openingOf>[0]['session'], given = agent) =>
    openingOf({ session }, { args, agent: given }).args.values.get('resume');
  expect([resumes('same'), resumes('new'), resumes({ id: 'old' })]).toEqual(['now', undefined, 'old']);
  expect(resumes('same', { ...agent, messages: [] })).toBeUndefined();
  expect(openingOf({ session: 'new' }, { args, agent }).args.switches.has('continue')).toBe(false);
});
