import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startFakeModelServer } from '../packages/core/src/testing/fake-model-server.js';
import { type Conversation, type ConversationOptions, keys } from './terminal/conversation.js';
import { flowsOf, start } from './terminal/flows.js';

const flow = flowsOf('screen, keys and ways out');

flow('Esc cancels the running turn, and the conversation goes on', async () => {
  const model = await startFakeModelServer({
    answers: [
      { text: ['The beginning.\n\n', 'And then'], afterwards: 'silence' },
      { text: 'Here I am again.' },
    ],
  });
  const talk = await start({ env: model.environment() });
  await talk.ready();
  talk.type('tell me\r');
  await talk.see(/And then/);
  talk.type(keys.escape);
  await talk.ready();
  expect(talk.text()).toMatch(/The beginning\.\n\nAnd then\n\nCancelled\./);
  await talk.say('again');
  expect(talk.text()).toMatch(/Here I am again\./);
  await model.close();
});

flow(
  'Ctrl+C cancels the turn, then clears the line, and quits when pressed twice at the empty prompt',
  async () => {
    const model = await startFakeModelServer({ answers: [{ instead: 'silence' }] });
    const talk = await start({ env: model.environment() });
    await talk.ready();
    talk.type('tell me\r');
    await talk.see(/Waiting for the model/);
    talk.type(keys.ctrlC);
    await talk.see(/Cancelled\./);
    await talk.ready();
    talk.type('half a prompt');
    await talk.see('> half a prompt');
    talk.type(keys.ctrlC);
    await talk.ready();
    talk.type(keys.ctrlC);
    await talk.see(/Press Ctrl\+C again to quit\./);
    // Any other key means staying.
    talk.type('x\x7f');
    await talk.ready();
    talk.type(keys.ctrlC);
    await talk.see(/Press Ctrl\+C again to quit\./);
    talk.type(keys.ctrlC);
    expect(await talk.ended()).toBe(0);
    await model.close();
  },
);

flow('a streamed answer in Markdown, cut into pieces, is printed once and in order', async () => {
  const answer = [
    '# Title',
    'A paragraph with **bold** and `code`.',
    '- one\n- two 日本語\n  - nested 👍',
    '```ts\nconst a = 1;\n\nconst b = 2;\n```',
    '| name | size |\n|---|--:|\n| a.ts | 10 |\n| long-name.ts | 2 |',
    'The end.',
  ].join('\n\n');
  const model = await startFakeModelServer({
    answers: [{ text: answer.match(/[\s\S]{1,7}/g) as string[], splitBytes: 11 }],
  });
  const talk = await start({ env: { ...model.environment(), NO_COLOR: '1' } });
  await talk.ready();
  await talk.say('show me');
  expect(talk.text()).toContain(
    [
      '# Title',
      '',
      'A paragraph with bold and `code`.',
      '',
      '• one',
      '• two 日本語',
      '  • nested 👍',
      '',
      '    const a = 1;',
      '',
      '    const b = 2;',
      '',
      'name         │ size',
      '─────────────┼─────',
      'a.ts         │   10',
      'long-name.ts │    2',
      '',
      'The end.',
    ].join('\n'),
  );
  await model.close();
});

for (const reflow of [false, true])
  flow(
    `resizing during output loses nothing (a terminal that ${reflow ? 'breaks lines anew' : 'keeps its lines'})`,
    async () => {
      const sentences = Array.from(
        { length: 60 },
        (_, index) => `Paragraph ${index + 1} has some words to wrap.`,
      );
      const text = sentences.flatMap((sentence) => [`${sentence} ${sentence}`, '\n\n']);
      const model = await startFakeModelServer({ answers: [{ text, splitBytes: 4 }] });
      const talk = await start({ env: model.environment() });
      await talk.ready();
      talk.type('tell me\r');
      await talk.see(/Paragraph 3 /);
      talk.resize(50, 20, { reflow });
      await talk.see(/Paragraph 20 /);
      talk.resize(100, 30, { reflow });
      await talk.see(/Paragraph 60 /);
      await talk.ready();
      // The terminal breaks lines where it likes, so blanks are left out.
      const said = talk.text().replace(/\s+/g, '');
      for (const sentence of sentences)
        expect(said.split(sentence.replaceAll(' ', '')).length).toBeGreaterThanOrEqual(3);
      const order = Array.from(said.matchAll(/Paragraph(\d+)has/g), ([, number]) => Number(number));
      expect(order).toEqual(order.toSorted((left, right) => left - right));
      expect(talk.terminal.unknown).toEqual([]);
      await model.close();
    },
  );

flow('an answer that breaks off stays as it is, is marked, and is asked for again', async () => {
  const model = await startFakeModelServer({
    answers: [{ text: 'Half of', afterwards: 'cut' }, { text: 'Half of it, and the rest.' }],
  });
  const talk = await start({ env: model.environment() });
  await talk.ready();
  talk.type('go\r');
  await talk.see(/^Half of it, and the rest\.$/m);
  await talk.ready();
  expect(talk.text()).toMatch(/> go\n\nHalf of\n[\s\S]*broke off[\s\S]*\nHalf of it, and the rest\.\n/);
  expect(model.requests).toHaveLength(2);
  await model.close();
});

flow('NO_COLOR: not one style on the screen', async () => {
  const options: ConversationOptions = {
    files: { 'a.txt': 'one\ntwo\n' },
    args: ['--approval-mode', 'auto-edit'],
  };
  const styled = await start(options);
  await styled.ready();
  expect(styled.raw()).toMatch(/\x1b\[[0-9;]*m/);
  const plain = await start({ ...options, env: { NO_COLOR: '1' } });
  await plain.ready();
  await plain.say("replace 'two' with 'three' in a.txt");
  expect(plain.raw()).not.toMatch(/\x1b\[[0-9;]*m/);
  expect(plain.text()).toMatch(/2 - two\n {2}2 \+ three/);
});

flow('a dumb terminal gets lines and not a single escape sequence', async () => {
  const talk = await start({ files: { 'a.txt': 'one\ntwo\n' }, env: { TERM: 'dumb' } });
  await talk.ready();
  talk.type("replace 'two' with 'three' in a.txtx\x7f\r");
  await talk.until(() => talk.isAsked(), 'the question');
  talk.type('y\r');
  await talk.see(/● Edit a\.txt \+1 -1\n {2}1 {3}one\n {2}2 - two\n {2}2 \+ three\n\nEdited/);
  await talk.ready();
  talk.type(keys.ctrlD);
  expect(await talk.ended()).toBe(0);
  expect(talk.raw()).not.toContain('\x1b');
  expect(talk.text()).toMatch(/^Working\. Esc or Ctrl\+C cancels\.\nStarted: Read a\.txt$/m);
  expect(readFileSync(join(talk.machine.workspace, 'a.txt'), 'utf8')).toBe('one\nthree\n');
});

flow('a screen reader by setting: lines only, pastes still marked', async () => {
  const talk = await start({ args: ['--settings', '../home/reader.json'], shell: 'cat; $PROGRAM' });
  writeFileSync(join(talk.machine.home, 'reader.json'), '{"ui": {"screenReader": true}}');
  talk.type(keys.ctrlD);
  await talk.ready();
  await talk.say('/stats');
  talk.type(keys.ctrlD);
  await talk.ended();
  const moving = talk.raw().match(/\x1b(?!\[(\?2004[hl]|\?25h|[0-9;]*m)).{0,10}/g);
  expect(moving).toBeNull();
});

/** The shell's own view of the terminal, before and after the program. */
async function startBetween(options: ConversationOptions = {}): Promise<Conversation> {
  const talk = await start({
    ...options,
    shell: 'stty -g > ../before; $PROGRAM; echo code=$?; stty -g > ../after; cat',
  });
  await talk.ready();
  expect(talk.terminal.pastesAreMarked).toBe(true);
  return talk;
}

async function expectRestored(talk: Conversation): Promise<void> {
  await talk.see(/code=\d+/);
  const path = (name: string): string => join(talk.machine.workspace, '..', name);
  await talk.until(() => existsSync(path('after')) && readFileSync(path('after'), 'utf8') !== '', 'stty');
  expect(readFileSync(path('after'), 'utf8')).toBe(readFileSync(path('before'), 'utf8'));
  expect(talk.terminal.pastesAreMarked).toBe(false);
  expect(talk.terminal.isCursorHidden).toBe(false);
}

flow('the terminal is as it was after /quit, Ctrl+D and while a turn runs', async () => {
  for (const way of ['/quit\r', keys.ctrlD]) {
    const talk = await startBetween();
    talk.type(way);
    await expectRestored(talk);
    expect(talk.text()).toContain('code=0');
  }
  const model = await startFakeModelServer({ answers: [{ instead: 'silence' }] });
  const busy = await startBetween({ env: model.environment() });
  busy.type('tell me\r');
  await busy.see(/Waiting for the model/);
  busy.type(keys.ctrlD);
  await expectRestored(busy);
  await model.close();
});

flow('the terminal is as it was after SIGTERM, SIGHUP and a crash', async () => {
  for (const signal of ['SIGTERM', 'SIGHUP']) {
    const talk = await startBetween();
    process.kill(pidOf(talk), signal);
    await expectRestored(talk);
    expect(talk.text()).toContain('code=130');
  }
  const crash = 'process.on("SIGUSR2", () => { throw new Error("on purpose"); });';
  const talk = await startBetween({
    files: { '../crash.cjs': crash },
    env: { NODE_OPTIONS: '--require ../crash.cjs' },
  });
  process.kill(pidOf(talk), 'SIGUSR2');
  await expectRestored(talk);
  expect(talk.text()).toMatch(/code=[1-9]/);
});

/** The program's own process: the shell runs it as its only child. */
function pidOf({ pid }: Conversation): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return Number(children[0]);
}

flow('closing the window ends the program and keeps what was said', async () => {
  const model = await startFakeModelServer({ answers: [{ text: 'Half', afterwards: 'silence' }] });
  const talk = await start({ env: model.environment() });
  await talk.ready();
  talk.type('tell me\r');
  await talk.see(/^Half$/m);
  talk.hangUp();
  const isAlive = (): boolean => existsSync(`/proc/${talk.pid}`);
  await talk.until(() => !isAlive(), 'the end of the process');
  const { stdout } = await talk.machine.run(['sessions', 'list']);
  expect(stdout).toMatch(/tell me/);
  const log = join(talk.machine.state, 'log', 'debug.log');
  expect(existsSync(log) ? readFileSync(log, 'utf8') : '').toBe('');
  await model.close();
});

flow('Ctrl+Z gives the terminal to the shell, fg takes it back', async () => {
  const talk = await start({ shell: "PS1='shell: ' exec bash --norc --noprofile -i" });
  await talk.see('shell:');
  talk.type('$PROGRAM\r');
  await talk.ready();
  talk.type('half a prompt');
  await talk.see('> half a prompt');
  talk.type('\x1a');
  await talk.see(/Stopped/);
  talk.type('echo it is $((6 * 7))\r');
  await talk.see('it is 42');
  talk.type('fg\r');
  await talk.until(() => talk.terminal.lines().at(-1) === '> half a prompt', 'the prompt with its text');
  talk.type(`${keys.ctrlC}${keys.ctrlD}`);
  await talk.until(() => talk.terminal.lines().at(-1) === 'shell:', 'the shell');
});

flow(
  'a line that is typed while the trust question appears stays in the line, and answers nothing',
  async () => {
    const files = { '.toolwright/settings.json': '{"tools": {"toolDiscoveryCommand": "./find-tools.sh"}}' };
    const talk = await start({ files });
    await talk.see('Do you trust');
    for (const letter of 'say why') {
      talk.type(letter);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    await talk.until(() => talk.isAsked(), 'the question');
    talk.type('n');
    await talk.until(() => talk.terminal.lines().at(-1) === '> say why', 'the line');
    expect(talk.text()).toMatch(/^\? Do you trust .*\n {2}→ no, and don't ask again/m);
  },
);

flow('the trust question shows what would run, and the answer is kept', async () => {
  const settings = '{"tools": {"toolDiscoveryCommand": "./find-tools.sh --all"}, "approvalMode": "plan"}';
  const files = { '.toolwright/settings.json': settings, 'find-tools.sh': 'echo "[]"\n' };
  const talk = await start({ files });
  await talk.until(() => talk.isAsked(), 'the question');
  const text = talk.text();
  expect(text).toMatch(/\? Do you trust \/.*work\?/);
  expect(text).toMatch(/These would run:\n +\.\/find-tools\.sh --all {3}\(tools\.toolDiscoveryCommand in/);
  expect(text).toMatch(/These files would take effect:[\s\S]*find-tools\.sh/);
  talk.type('y\r');
  await talk.ready();
  expect(talk.text()).toMatch(/This folder +is trusted/);
  expect(talk.text()).toMatch(/approval mode plan/);
  talk.type(keys.ctrlD);
  await talk.ended();
  const again = await start({ machine: talk.machine });
  await again.ready();
  expect(again.text()).not.toContain('Do you trust');
  again.type(keys.ctrlD);
  await again.ended();
  talk.machine.write('find-tools.sh', 'rm -rf /\n');
  const changed = await start({ machine: talk.machine });
  await changed.until(() => changed.isAsked(), 'the question');
  expect(changed.text()).toMatch(/Changed since you trusted it:\n +find-tools\.sh \(modified\)/);
  changed.type('n\r');
  await changed.ready();
  expect(changed.text()).toMatch(/approval mode default/);
  expect((await talk.machine.run(['trust', '--list'])).stdout).toMatch(/^refused/);
});

flow('what a model says can draw nothing on the terminal', async () => {
  const nasty =
    'a\x1b[2J\x1b]0;owned\x07b\u202ec &#27;[31m d\x9b31me\x08\x08f `x\x1b[1A`\n\n```\n\x1b[5mcode\n```';
  const model = await startFakeModelServer({ answers: [{ text: nasty.split('') }] });
  const talk = await start({ env: { ...model.environment(), NO_COLOR: '1' } });
  await talk.ready();
  await talk.say('hello');
  expect(talk.terminal.unknown).toEqual([]);
  expect(talk.raw()).not.toMatch(/\x1b\[(2J|31m|5m)|\x1b\](?!2;[?*]? ?Toolwright|11;\?)|\x9b|\u202e/);
  expect(talk.text()).toMatch(/a␛\[2J␛\]0;owned␇b<U\+202E>c ␛\[31m d<U\+009B>31me␈␈f/);
  await model.close();
});
