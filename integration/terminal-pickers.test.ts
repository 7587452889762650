import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeModelServer, startFakeModelServer } from '@toolwright/core/testing';
import { expect } from 'vitest';
import { createMachine, type Machine } from './program.js';
import { type Conversation, keys } from './terminal/conversation.js';
import { flowsOf, start, tidy } from './terminal/flows.js';

const flow = flowsOf('pickers');
const read = ({ workspace }: Machine, name: string): string => readFileSync(join(workspace, name), 'utf8');

async function choose(talk: Conversation, shown: RegExp, typed = keys.enter): Promise<void> {
  await talk.see(shown);
  talk.type(typed);
}

/** Keys count once the question has stood for a moment and its answers are shown. */
async function pressYes(talk: Conversation): Promise<void> {
  await talk.until(
    () =>
      talk.terminal
        .lines()
        .slice(-8)
        .some((line) => /^ *y +yes/.test(line)),
    'the answers',
  );
  talk.type('y');
}

/** Two prompts, each of which changes the file; then the program waits for the third. */
async function changedTwice(machine: Machine): Promise<{ talk: Conversation; model: FakeModelServer }> {
  const edit = (from: string, to: string) => ({
    calls: [{ name: 'edit', arguments: { file_path: 'a.txt', old_string: from, new_string: to } }],
  });
  const model = await startFakeModelServer({
    answers: [edit('one', 'two'), { text: 'First done.' }, edit('two', 'three'), { text: 'Second done.' }],
    otherwise: { text: 'Later.' },
  });
  const talk = await start({
    machine,
    args: ['--approval-mode', 'auto-edit'],
    env: model.environment(),
    rows: 40,
  });
  await talk.ready();
  await talk.say('first change of @a.txt');
  await talk.say('second change of @a.txt');
  expect(read(machine, 'a.txt')).toBe('three\n');
  return { talk, model };
}

const sent = (model: FakeModelServer): string => model.requests.at(-1)?.bytes.toString() ?? '';

flow(
  '/rewind takes back the conversation and the files, byte for byte; the prompt stands in the line again',
  async () => {
    const machine = createMachine({ 'a.txt': 'one\n' });
    const { talk, model } = await changedTwice(machine);
    talk.type('/rewind\r');
    await choose(talk, /❯ second change of @a\.txt +just now, 1 change since/, '\x1b[B\r');
    await choose(talk, /Back to just before: first change[\s\S]*❯ Conversation and files +2 changes undone/);
    await talk.see(/2 changes undone\./);
    await talk.until(
      () => talk.terminal.lines().at(-1) === '> first change of @a.txt',
      'the prompt in the line',
    );
    expect(read(machine, 'a.txt')).toBe('one\n');
    talk.type(`${keys.ctrlC}hello\r`);
    await talk.see('Later.');
    expect(sent(model)).not.toContain('change of');
    await model.close();
    await tidy(machine, talk);
  },
);

flow('/rewind of the files only, and of the conversation only', async () => {
  const machine = createMachine({ 'a.txt': 'one\n' });
  const { talk, model } = await changedTwice(machine);
  talk.type('/rewind\r');
  await choose(talk, /❯ second change of @a\.txt/);
  await choose(talk, /❯ Conversation and files +1 change undone/, 'undone, the\r');
  await talk.see(/1 change undone\./);
  await talk.ready();
  expect(read(machine, 'a.txt')).toBe('two\n');
  await talk.say('hello');
  expect(sent(model)).toContain('second change of');
  talk.type('/rewind\r');
  await choose(talk, /Go back to just before which prompt\?/, 'second\r');
  await choose(talk, /❯ The conversation only/);
  await talk.see(/The conversation is as it was before that prompt/);
  talk.type(`${keys.ctrlC}xyzzy\r`);
  await talk.until(() => sent(model).includes('xyzzy'), 'the prompt');
  expect(sent(model)).not.toContain('second change of');
  expect(sent(model)).toContain('first change of');
  expect(read(machine, 'a.txt')).toBe('two\n');
  await model.close();
  await tidy(machine, talk);
});

flow(
  'a fork goes on from an earlier prompt in a session of its own, and the other is as it was',
  async () => {
    const machine = createMachine({ 'a.txt': 'one\n' });
    const { talk, model } = await changedTwice(machine);
    const folder = join(machine.state, 'sessions');
    const journals = (): string[] =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.jsonl'))
        .sort();
    const [first = ''] = journals();
    const before = readFileSync(join(folder, first));
    talk.type('/rewind\r');
    await choose(talk, /❯ second change of @a\.txt/);
    await choose(talk, /Back to just before/, 'fork\r');
    await talk.see(/A new conversation continues from there/);
    await talk.see(/Continuing an earlier session/);
    talk.type(`${keys.ctrlC}in the fork\r`);
    await talk.until(() => sent(model).includes('in the fork'), 'the prompt');
    expect(sent(model)).toContain('first change of');
    expect(sent(model)).not.toContain('second change of');
    await talk.see('Later.');
    expect(journals()).toHaveLength(2);
    expect(readFileSync(join(folder, first)).equals(before)).toBe(true);
    await talk.ready();
    talk.type('/resume\r');
    await choose(talk, /❯ first change of @a\.txt[\s\S]*2 prompts, 2 changes/);
    await talk.see(/Second done\.[\s\S]*Second done\./);
    await model.close();
    await tidy(machine, talk);
  },
);

flow(
  '/undo shows the diff and undoes the chosen change; /diff shows what the conversation changed',
  async () => {
    const machine = createMachine({ 'a.txt': 'one\n' });
    const { talk, model } = await changedTwice(machine);
    await talk.say('/diff');
    expect(talk.text()).toMatch(/1 - one\n\s*1 \+ three\n[\s\S]*1 file\. \/undo takes one change back/);
    talk.type('/undo\r');
    await choose(talk, /Undo which change\?[\s\S]*1 - three\n\s*1 \+ two/);
    await talk.see(/Undone: 1 file changed/);
    expect(read(machine, 'a.txt')).toBe('two\n');
    await model.close();
    await tidy(machine, talk);
  },
);

flow(
  '--resume lets the user choose; what was interrupted is named; a bare prompt begins at once',
  async () => {
    const machine = createMachine({ 'a.txt': 'one\n' });
    const { talk, model } = await changedTwice(machine);
    talk.type(keys.ctrlD);
    await talk.ended();
    const again = await start({ machine, args: ['--resume'], env: model.environment() });
    await choose(again, /Which conversation do you want to continue\?[\s\S]*❯ first change of @a\.txt/);
    await again.see(/Second done\.[\s\S]*Continuing an earlier session \(8 messages\)/);
    const bare = await start({ machine, args: ['say', 'something', 'please'], env: model.environment() });
    await bare.see(/> say something please[\s\S]*Later\./);
    const headless = await machine.run(['say something else'], { env: model.environment() });
    expect([headless.code, headless.stdout]).toEqual([0, 'Later.\n']);
    expect((await machine.run(['frobnicate'])).code).toBe(2);
    await model.close();
    await tidy(machine, talk, again, bare);
  },
);

flow(
  '/model lists what the server has, with prices and a dial; /clear, /compact, /context and /cost',
  async () => {
    const model = await startFakeModelServer({
      models: ['gpt-5.1', 'fake-model'],
      otherwise: { text: 'Answer.', usage: { inputTokens: 1000, outputTokens: 100 } },
    });
    const talk = await start({ env: model.environment(), rows: 40 });
    await talk.ready();
    talk.type('/model\r');
    await choose(talk, /❯ fake-model \*[\s\S]*gpt-5\.1 +\$1\.25 in, \$10 out/, '\x1b[C\x1b[C\x1b[C\x1b[B\r');
    await talk.see(/Now using gpt-5\.1 \(openai\), reasoning effort high/);
    await talk.ready();
    await talk.say('hello');
    expect(model.requests.at(-1)?.body).toMatchObject({ model: 'gpt-5.1', reasoning_effort: 'high' });
    await talk.say('/cost');
    expect(talk.text()).toMatch(
      /Cost +about \$0\.002[23] \(\$1\.25 in, \$10 out per million tokens, prices of\s+December 2025\)/,
    );
    await talk.say('/context');
    expect(talk.text()).toMatch(
      /Context: about [\d,]+ of 400,000 tokens, \d\.\d %\n {2}█?[▏▎▍▌▋▊▉]?░{10,}│░+\n {2}■ Instructions +[\d,]+ +<?\d\.\d %\n/,
    );
    await talk.say('/compact the greeting');
    expect(talk.text()).toMatch(/The conversation was summarised/);
    expect(sent(model)).toContain('Above all keep what has to do with: the greeting');
    await talk.say('/clear');
    await talk.see(/A new conversation has begun/);
    await model.close();
  },
);

flow(
  'the tour shows a question, a command on a copy and an undo, and leaves nothing; settings are changed at once',
  async () => {
    const machine = createMachine();
    const talk = await start({ machine, rows: 40 });
    await talk.see(/To connect a model: \/connect[\s\S]*To try:\n +\/tour/);
    await talk.ready();
    talk.type('/tour\r');
    await talk.see(/1 of 3[\s\S]*Create toolwright-tour\.txt/);
    await pressYes(talk);
    await talk.see(/2 of 3[\s\S]*Keep the changes/);
    await pressYes(talk);
    await talk.see(/That was the tour\./);
    expect(readdirSync(machine.workspace)).toEqual([]);
    await talk.ready();
    talk.type('/settings ui.theme\r');
    await talk.see(/terminal; auto follows its/);
    talk.type('\x1b');
    await talk.ready();
    talk.type('/settings ui.vim\r');
    await choose(talk, /❯ \(not set\)/, 'true\r');
    await talk.see(/ui\.vim: true, in /);
    expect(JSON.parse(readFileSync(join(machine.state, 'settings.json'), 'utf8'))).toEqual({
      ui: { vim: true },
    });
    await tidy(machine, talk);
  },
);
