import { describe, expect, it } from 'vitest';
import {
  type Answer,
  breakOff,
  stages,
  start,
  tidyStreams,
  type Wire,
  wires,
} from './headless/stream-drops.js';

tidyStreams();

describe('a stream that breaks off', () => {
  it('is asked for again where it was not whole, at every stage, and nothing runs twice', async () => {
    await Promise.all(stages.map((stage) => breakOff('openai', stage)));
  });

  /** Each wire says in its own way that an answer is whole; its other stages are in the long test. */
  const nearTheEnd = stages.filter(([name]) => /^(inside|after the (call|reason))/.test(name));
  it.each<Wire>(['openai-responses', 'anthropic', 'gemini'])(
    'is asked for again where it was not whole, near the end of %s, and nothing runs twice',
    async (wire) => {
      expect(nearTheEnd).toHaveLength(3);
      await Promise.all(nearTheEnd.map((stage) => breakOff(wire, stage)));
    },
  );

  it('every time is given up after five tries, and the message says how to go on', async () => {
    const cut: Answer = { text: 'Half', afterwards: 'cut' };
    const { run, server } = await start('openai', [cut, cut, cut, cut, cut, { text: 'Whole.' }]);
    const ended = await run(['-p', 'Go.']);
    expect(ended.code).toBe(1);
    expect(server.requests).toHaveLength(5);
    const again = '[The answer broke off and starts again here.]\n';
    expect(ended.stdout).toBe(`${`Half\n${again}`.repeat(4)}Half\n`);
    expect(ended.stderr).toMatch(/The answer broke off in the middle\./);
    const resume = /To continue: toolwright (--resume \S+) -p "go on"/.exec(ended.stderr)?.[1] ?? '';
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
        if (text.includes('starts again here')) stop();
      },
    });
    expect(ended.code).toBe(130);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a model that says nothing', () => {
  it.each<Wire>(wires)('over %s is asked once more, then the run fails and says so', async (wire) => {
    const { run, server } = await start(wire, [{ text: '' }, { text: '   ' }]);
    const ended = await run(['-p', 'Go.']);
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stdout.trim()).toBe('');
    expect(ended.stderr).toMatch(
      /fake-model gave an empty answer\. Asking once more\.\n.*It was asked 2 times\. Rephrase the prompt, or use another model\.\n.*To continue: /,
    );
    expect(server.requests).toHaveLength(2);
  });

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
    expect(ended.stderr).toMatch(/sent nothing for 1 s\..*model\.silenceLimit.*\n.*To continue: /);
  });
});

it('a run goes on for more than 100 answers when nobody set a limit', async () => {
  const answers = Array.from({ length: 120 }, (_, index) => ({
    calls: [{ name: 'read_file', arguments: { absolute_path: 'a.txt', limit: index + 1 } }],
  }));
  const { run } = await start('openai', [...answers, { text: 'Done.' }]);
  const ended = await run(['-p', 'Go.', '--output-format', 'json']);
  expect(JSON.parse(ended.stdout)).toMatchObject({ response: 'Done.', stats: { turns: 121, calls: 120 } });
  expect(ended.code).toBe(0);
});
