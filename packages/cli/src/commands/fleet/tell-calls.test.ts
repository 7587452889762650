import { expect, it } from 'vitest';
import { createCallTeller } from './tell-calls.js';

const start = { type: 'session-start' };
const asked = (...ids: string[]) => ({
  type: 'message',
  message: {
    role: 'model',
    parts: ids.map((id) => ({ functionCall: { id, name: 'run_shell_command', args: { command: id } } })),
  },
});
// A journal has numbers of its own for calls; their ends name the model's.
const begins = (id: string) => ({
  type: 'call-start',
  callId: `own-${id}`,
  tool: 'run_shell_command',
  args: { command: id },
});
const ends = (id: string, error?: { message: string }) => ({
  type: 'call-end',
  callId: `own-${id}`,
  response: { id, name: 'run_shell_command', response: {} },
  error,
});

function told(...entries: object[]): string[] {
  const lines: string[] = [];
  const calls = createCallTeller((line) => lines.push(line));
  for (const entry of entries) calls.read(JSON.stringify(entry));
  calls.tellAsked();
  return lines;
}

it('the log of a task has each call once, with the first line of its error', () => {
  expect(
    told(start, asked('a', 'b'), begins('a'), ends('a'), begins('b'), ends('b', { message: 'no\nlonger' })),
  ).toEqual(['· run_shell_command {"command":"a"}', '· run_shell_command {"command":"b"}', '  no']);
});

it('the log of a task has a call that was asked for and has not begun in the journal', () => {
  expect(told(start, asked('a'))).toEqual(['· run_shell_command {"command":"a"}']);
});

it('the log of a task says that the worker of a call ended, where another one went on', () => {
  expect(told(start, asked('a'), start, asked('b'), begins('b'), ends('b'))).toEqual([
    '· run_shell_command {"command":"a"}',
    '  Its worker ended before there was an answer.',
    '· run_shell_command {"command":"b"}',
  ]);
});

it('the log of a task says where a call waits for an answer, and has the call again when it goes on', () => {
  const parked = (...calls: string[]) => ({ type: 'parked', calls, seen: [] });
  expect(told(start, asked('a'), begins('a'), parked('a'), start, parked(), begins('a'), ends('a'))).toEqual([
    '· run_shell_command {"command":"a"}',
    '  It waits for an answer.',
    '· run_shell_command {"command":"a"}',
  ]);
});

it('the log of a task shortens long arguments', () => {
  const [line] = told(start, asked('x'.repeat(1_000)));
  expect(line).toHaveLength(300 + '· run_shell_command …'.length);
});
