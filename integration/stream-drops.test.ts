import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeModelServer, startFakeModelServer } from '@toolwright/core/testing';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { linesOf } from './headless/run.js';
import { createMachine, type Ended, type Machine } from './program.js';

type Wire = 'openai' | 'anthropic' | 'gemini';
type Answer = Parameters<FakeModelServer['answer']>[0];

const open: (Machine | FakeModelServer)[] = [];
const printed: string[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await ('cleanup' in each ? each.cleanup() : each.close());
});
afterAll(() => console.log(printed.join('\n')));

async function start(wire: Wire, answers: Answer[]) {
  const server = await startFakeModelServer({ answers, otherwise: { text: 'Nothing left to say.' } });
  const machine = createMachine({ 'a.txt': 'alpha\n' });
  open.push(server, machine);
  const env = server.environment(wire);
  return { server, machine, run: (args: string[], more = {}) => machine.run(args, { env, ...more }) };
}

const command = 'echo ran >> ran.txt';
const whole = {
  text: ['Let me ', 'look.'],
  calls: [{ id: 'call-1', name: 'run_shell_command', arguments: { command } }],
};

/** Where the last event of the stream begins that has to do with the end: the reason for it. */
const reasonOf: Record<Wire, string> = {
  openai:
    'data: {"id":"chatcmpl-fake","object":"chat.completion.chunk","created":1,"model":"fake-model","choices":[{"index":0,"delta":{},',
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

/** What becomes of the first answer, how often the model is asked for it, and whether something was taken back. */
const stages: [name: string, answer: (wire: Wire) => Answer, takesBack: string | null][] = [
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

async function breakOff(wire: Wire, [name, answer, back]: (typeof stages)[number]): Promise<void> {
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
  for (const { message } of restarts) expect(message).toMatch(/Again from here in \S+ s \(try 2 of 5\)\.$/);
  expect.soft(joined(ended)).toBe('Let me look.Done.');
  expect.soft(lines.at(-1)).toMatchObject({ response: 'Done.', stats: { turns: 2, calls: 1 } });
}

function timesRun({ workspace }: Machine): number {
  const path = join(workspace, 'ran.txt');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0;
}

describe('a stream that breaks off', () => {
  it.each<Wire>(['openai', 'anthropic', 'gemini'])(
    'is asked for again where it was not whole, at every stage of %s, and nothing runs twice',
    async (wire) => {
      await Promise.all(stages.map((stage) => breakOff(wire, stage)));
    },
  );

  it('every time is given up after five tries, and the message says how to go on', async () => {
    const cut: Answer = { text: 'Half', afterwards: 'cut' };
    const { run, server } = await start('openai', [cut, cut, cut, cut, cut, { text: 'Whole.' }]);
    const ended = await run(['-p', 'Go.']);
    expect(ended.code).toBe(1);
    expect(server.requests).toHaveLength(5);
    const again = '[The answer broke off; again from here.]\n';
    expect(ended.stdout).toBe(`${`Half\n${again}`.repeat(4)}Half\n`);
    expect(ended.stderr).toMatch(/The answer broke off in the middle\./);
    const resume = /To go on: toolwright (--resume \S+) -p "go on"/.exec(ended.stderr)?.[1] ?? '';
    expect(await run([...resume.split(' '), '-p', 'go on'])).toMatchObject({ code: 0, stdout: 'Whole.\n' });
  });

  it('stops at a signal while it waits for the next try', async () => {
    const { run, server } = await start('openai', [{ text: 'Half', afterwards: 'cut' }]);
    let stop = (): void => undefined;
    const ended = await run(['-p', 'Go.'], {
      onStart: (kill: (signal: NodeJS.Signals) => void) => {
        stop = () => kill('SIGTERM');
      },
      onOutput: (text: string) => {
        if (text.includes('again from here')) stop();
      },
    });
    expect(ended.code).toBe(130);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a model that says nothing', () => {
  it.each<Wire>(['openai', 'anthropic', 'gemini'])(
    'over %s is asked once more, then the run fails and says so',
    async (wire) => {
      const { run, server } = await start(wire, [{ text: '' }, { text: '   ' }]);
      const ended = await run(['-p', 'Go.']);
      expect(ended).toMatchObject({ code: 1 });
      expect(ended.stdout.trim()).toBe('');
      expect(ended.stderr).toMatch(
        /fake-model gave an empty answer\. It is asked once more\.\n.*It was asked 2 times\. Ask in other words, or use another model\.\n.*To go on: /,
      );
      expect(server.requests).toHaveLength(2);
    },
  );

  it('once is no failure', async () => {
    const { run } = await start('openai', [{ thinking: 'Hm.' }, { text: 'Now I know.' }]);
    expect(await run(['-p', 'Go.'])).toMatchObject({ code: 0, stdout: 'Now I know.\n' });
  });

  it('and does not even answer is given up after two silences', async () => {
    const { run, server, machine } = await start('openai', [{ instead: 'silence' }, { instead: 'silence' }]);
    machine.write('quick.json', JSON.stringify({ model: { silenceLimit: 1 } }));
    const ended = await run(['-p', 'Go.', '--settings', 'quick.json']);
    expect(ended.code).toBe(1);
    expect(server.requests).toHaveLength(2);
    expect(ended.stderr).toMatch(/sent nothing for 1 s\..*model\.silenceLimit.*\n.*To go on: /);
  });
});

it('goes on for more than 100 answers when nobody set a limit', async () => {
  const answers = Array.from({ length: 120 }, (_, index) => ({
    calls: [{ name: 'read_file', arguments: { absolute_path: 'a.txt', limit: index + 1 } }],
  }));
  const { run } = await start('openai', [...answers, { text: 'Done.' }]);
  const ended = await run(['-p', 'Go.', '--output-format', 'json']);
  expect(JSON.parse(ended.stdout)).toMatchObject({ response: 'Done.', stats: { turns: 121, calls: 120 } });
  expect(ended.code).toBe(0);
});
