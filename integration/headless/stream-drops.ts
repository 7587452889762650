import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeModelServer, startFakeModelServer } from '@toolwright/core/testing';
import { afterAll, afterEach, expect } from 'vitest';
import { createMachine, type Ended, type Machine } from '../program.js';
import { linesOf } from './run.js';

export const wires = ['openai', 'openai-responses', 'anthropic', 'gemini'] as const;
export type Wire = (typeof wires)[number];
export type Answer = Parameters<FakeModelServer['answer']>[0];

const open: (Machine | FakeModelServer)[] = [];
const printed: string[] = [];

/** To be called by each file of tests: closes what a test opened, and prints what all have shown. */
export function tidyStreams(): void {
  afterEach(async () => {
    for (const each of open.splice(0)) await ('cleanup' in each ? each.cleanup() : each.close());
  });
  afterAll(() => console.log(printed.splice(0).join('\n')));
}

export async function start(wire: Wire, answers: Answer[]) {
  const server = await startFakeModelServer({ answers, otherwise: { text: 'Nothing left to say.' } });
  const machine = createMachine({ 'a.txt': 'alpha\n' });
  open.push(server, machine);
  const env = server.environment(wire);
  const run = (args: string[], more = {}) => machine.run([...args, '--provider', wire], { env, ...more });
  return { server, machine, run };
}

const command = 'echo ran >> ran.txt';
const whole = {
  text: ['Let me ', 'look.'],
  calls: [{ id: 'call-1', name: 'run_shell_command', arguments: { command } }],
};

/** The start of the last event of the stream that has to do with the end: the reason for it. */
const reasonOf: Record<Wire, string> = {
  openai:
    'data: {"id":"chatcmpl-fake","object":"chat.completion.chunk","created":1,"model":"fake-model","choices":[{"index":0,"delta":{},',
  'openai-responses': 'event: response.completed',
  anthropic: 'event: message_delta',
  gemini: 'data: {"candidates":[{"index":0,"content":{"role":"model","parts":[]}',
};

const cutAt = (at: (stream: string, wire: Wire) => number) => (wire: Wire) => ({
  ...whole,
  spoil: (stream: string) => {
    const end = at(stream, wire);
    expect(end, stream).toBeGreaterThanOrEqual(0);
    return { sent: stream.slice(0, end), ending: 'cut' as const };
  },
});
const after = (stream: string, text: string): number => stream.indexOf('\n\n', stream.indexOf(text)) + 2;

type Stage = [name: string, answer: (wire: Wire) => Answer, takesBack: string | null];

/** The fate of the first answer, how often the model is asked for it, and whether something was taken back. */
export const stages: readonly Stage[] = [
  ['before the headers', () => ({ instead: 'cut' }), null],
  ['after the headers', cutAt(() => 0), null],
  ['in the first event', cutAt((stream) => stream.indexOf('Let me ') + 3), null],
  ['after the first text', cutAt((stream) => after(stream, 'Let me ')), 'Let me '],
  ['in an event, after all text', cutAt((stream) => after(stream, 'look.') + 20), 'Let me look.'],
  ['inside the arguments of a call', cutAt((stream) => stream.indexOf('echo') + 2), 'Let me look.'],
  ['after the call, before the end', cutAt((stream, wire) => stream.indexOf(reasonOf[wire])), 'Let me look.'],
  ['after the reason for the end', cutAt((stream, wire) => after(stream, reasonOf[wire])), null],
  ['after the end', cutAt((stream) => stream.length), null],
  [
    'not at all, but an event is not JSON',
    () => ({
      ...whole,
      spoil: (stream) => ({ sent: stream.replace(/(Let me [^\n]*)\}\n\n/, '$1\n\n'), ending: 'end' }),
    }),
    null,
  ],
  [
    'not at all, but a later event is not JSON',
    () => ({
      ...whole,
      spoil: (stream) => ({ sent: stream.replace(/(look\.[^\n]*)\}\n\n/, '$1\n\n'), ending: 'end' }),
    }),
    'Let me ',
  ],
];

/** The text as a reader of stream-json joins it. */
function joined(ended: Ended): string {
  let text = '';
  for (const event of linesOf(ended.stdout)) {
    if (event['type'] === 'text-delta') text += String(event['text']);
    if (event['type'] !== 'answer-restart') continue;
    const back = String(event['text']);
    expect(text.endsWith(back)).toBe(true);
    text = text.slice(0, text.length - back.length);
  }
  return text;
}

export async function breakOff(wire: Wire, [name, answer, back]: Stage): Promise<void> {
  const { run, server, machine } = await start(wire, [answer(wire)]);
  const isWhole = name.startsWith('after the reason') || name === 'after the end';
  server.answer(...(isWhole ? [] : [whole]), { text: 'Done.' });
  const ended = await run(['-p', 'Go.', '-y', '--output-format', 'stream-json']);
  const lines = linesOf(ended.stdout);
  const restarts = lines.filter(({ type }) => type === 'answer-restart');
  const ran = timesRun(machine);
  printed.push(
    `evidence: ${wire} breaks off ${name}: ${server.requests.length} requests, ${restarts.length} taken back, the command ran ${ran} time(s), exit code ${ended.code}`,
  );
  expect.soft(ended.code, `${wire} ${name}: ${ended.stderr}`).toBe(0);
  expect.soft(ran, `${wire} ${name}`).toBe(1);
  expect.soft(lines.filter(({ type }) => type === 'call-start')).toHaveLength(1);
  expect.soft(server.requests).toHaveLength(isWhole ? 2 : 3);
  expect.soft(server.left).toBe(0);
  expect.soft(restarts.map(({ text }) => text)).toEqual(back === null ? [] : [back]);
  for (const { message } of restarts)
    expect(message).toMatch(/The answer starts over in \S+ s \(try 2 of 5\)\.$/);
  expect.soft(joined(ended)).toBe('Let me look.Done.');
  expect.soft(lines.at(-1)).toMatchObject({ response: 'Done.', stats: { turns: 2, calls: 1 } });
}

function timesRun({ workspace }: Machine): number {
  const path = join(workspace, 'ran.txt');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0;
}
