import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startFakeModelServer } from '../packages/core/src/testing/fake-model-server.js';
import { createMachine } from './program.js';
import { type Conversation, keys } from './terminal/conversation.js';
import { flowsOf, start, tidy } from './terminal/flows.js';

const flow = flowsOf('look, notifications and small things');
const change = "replace 'two' with 'three' in a.txt";
const files = { 'a.txt': 'one\ntwo\n' };
const asked = (talk: Conversation): Promise<void> => talk.until(() => talk.isAsked(), 'the question');

flow('the colours follow the background that the terminal tells, /theme and settings', async () => {
  const talk = await start({ files });
  await talk.ready();
  expect(talk.raw()).toContain('\x1b]11;?');
  talk.type('\x1b]11;rgb:ffff/ffff/ffff\x07');
  talk.type(`${change}\r`);
  await asked(talk);
  expect(talk.raw()).toContain('48;5;194');
  expect(talk.raw()).not.toContain('48;5;22m');
  talk.type('n\r');
  await talk.ready();
  talk.type('/theme\r');
  await talk.see(/blue and orange/);
  talk.type('blind');
  await talk.until(() => talk.raw().includes('48;5;153'), 'the preview in the colours of the theme');
  talk.type('\r');
  await talk.see('The theme is color-blind in this session.');
  const machine = createMachine(files);
  mkdirSync(machine.state, { recursive: true, mode: 0o700 });
  const ui = { theme: 'dark', colors: { added: '53' } };
  writeFileSync(join(machine.state, 'settings.json'), JSON.stringify({ ui }));
  const own = await start({ machine });
  await own.ready();
  own.type(`${change}\r`);
  await asked(own);
  expect(own.raw()).toContain('48;5;53');
  own.close();
  await own.ended();
  machine.cleanup();
});

flow('a question rings and notifies while the terminal is not in focus, and the title tells it', async () => {
  const talk = await start({ files });
  await talk.ready();
  const notified = (): string[] => talk.terminal.commands.filter((command) => /^(?:9|777);/.test(command));
  talk.type(`${change}\r`);
  await asked(talk);
  expect(talk.terminal.commands.at(-1)).toBe('2;? Toolwright needs an answer');
  expect(notified()).toEqual([]);
  talk.type('n\r');
  await talk.ready();
  expect(talk.terminal.commands.at(-1)).toBe('2;Toolwright');
  talk.type('\x1b[O');
  talk.type(`${change}\r`);
  await asked(talk);
  expect(notified()).toEqual([
    '9;Toolwright: waiting for your answer',
    '777;notify;Toolwright;waiting for your answer',
  ]);
  expect(talk.raw()).toContain('\x07\x1b]9;Toolwright: waiting for');
});

flow('an address in an answer is a link of the terminal, and stays readable', async () => {
  const text = 'See [the page](https://example.com/page) and https://example.com/bare too.';
  const model = await startFakeModelServer({ answers: [{ text }] });
  const talk = await start({ env: model.environment() });
  await talk.ready();
  await talk.say('where?');
  const links = talk.terminal.commands.filter((command) => command.startsWith('8;;https://'));
  expect(new Set(links)).toEqual(new Set(['8;;https://example.com/page', '8;;https://example.com/bare']));
  expect(talk.text()).toMatch(/the page .*https:\/\/example\.com\/page/);
  await model.close();
});

/** Writes x.txt without a question after a moment, and so has the reading of it wait that long. */
const slowTool = `import { defineTool } from '@toolwright/core/tool';
import { setTimeout as sleep } from 'node:timers/promises';
export default defineTool({
  apiVersion: 1, name: 'slow', description: 'Is slow.', parameters: { type: 'object', properties: {} },
  effects: (_params, { host }) => [{ kind: 'write', path: host.workspace.resolve('x.txt') }],
  async run() { await sleep(800); return 'late'; },
});
`;

for (const TERM of ['xterm-256color', 'dumb'])
  flow(
    `nothing is printed inside an open question, while calls beside it begin and end (TERM=${TERM})`,
    async () => {
      const calls = [
        { name: 'write_file', arguments: { file_path: 'new.txt', content: 'new\n' } },
        { name: 'slow', arguments: {} },
        { name: 'read_file', arguments: { absolute_path: 'x.txt' } },
      ];
      const model = await startFakeModelServer({ answers: [{ calls }, { text: 'Done.' }] });
      const machine = createMachine({ 'x.txt': 'x\n' });
      mkdirSync(join(machine.state, 'tools'), { recursive: true, mode: 0o700 });
      writeFileSync(join(machine.state, 'tools', 'slow.ts'), slowTool);
      writeFileSync(join(machine.state, 'settings.json'), '{"permissions": {"allow": ["slow"]}}');
      const talk = await start({ machine, env: { ...model.environment(), TERM } });
      await talk.ready();
      talk.type('go\r');
      await asked(talk);
      const shown = talk.text();
      // Longer than the call beside it takes: then the one behind that begins, and both end.
      await new Promise((resolve) => setTimeout(resolve, 1_600));
      expect(talk.text()).toBe(shown);
      expect(shown).not.toContain('late');
      talk.type('y');
      await talk.see(/^ {2}late$/m);
      await talk.see(/^Done\.$/m);
      await model.close();
      await tidy(machine, talk);
    },
  );

flow(
  'where nothing is redrawn, messages wait, one answer agrees to all, and the status is told',
  async () => {
    const names = ['a.txt', 'b.txt'];
    const reads = names.map((absolute_path) => ({ name: 'read_file', arguments: { absolute_path } }));
    const edits = names.map((file_path) => ({
      name: 'edit',
      arguments: { file_path, old_string: 'one', new_string: 'two' },
    }));
    const slow = { name: 'run_shell_command', arguments: { command: 'echo begun; sleep 1; cat a.txt' } };
    const model = await startFakeModelServer({
      answers: [{ calls: reads }, { calls: edits }, { calls: [slow] }, { text: 'Heard.' }],
    });
    const talk = await start({
      files: { 'a.txt': 'one\n', 'b.txt': 'one\n' },
      env: { ...model.environment(), TERM: 'dumb' },
    });
    await talk.ready();
    talk.type('change them\r');
    await asked(talk);
    expect(talk.text()).toMatch(/\? Edit a\.txt \+1 -1 \(1 of 2\)[\s\S]*t yes to these 2/);
    talk.type('t\r');
    await talk.see(/Started: Run echo begun/);
    talk.type('and b too\r');
    await talk.see(/^Queued: and b too$/m);
    talk.type('\r');
    await talk.see(/^After the running call: and b too$/m);
    await talk.see(/^Heard\.$/m);
    await talk.see(/^Status: fake-model, default, .*confined/m);
    expect(talk.raw()).not.toContain('\x1b');
    expect(model.requests.at(-1)?.bytes.toString()).toContain('and b too');
    await model.close();
  },
);

flow('Ctrl+Z at a question and fg show it once, and it can be answered', async () => {
  const talk = await start({ files, shell: "PS1='shell: ' exec bash --norc --noprofile -i" });
  await talk.see('shell:');
  talk.type('$PROGRAM\r');
  await talk.ready();
  talk.type(`${change}\r`);
  await asked(talk);
  talk.type('\x1a');
  await talk.see(/Stopped/);
  expect(talk.text()).not.toContain('y yes');
  talk.type('echo it is $((6 * 7))\r');
  await talk.see('it is 42');
  talk.type('fg\r');
  await asked(talk);
  expect(talk.text().match(/\? Edit a\.txt/g)).toHaveLength(1);
  expect(talk.text().match(/y yes/g)).toHaveLength(1);
  // Keys count after a moment without any.
  await new Promise((resolve) => setTimeout(resolve, 400));
  talk.type('y');
  await talk.see(/● Edit a\.txt \+1 -1/);
  await talk.ready();
  talk.type(keys.ctrlD);
  await talk.until(() => talk.terminal.lines().at(-1) === 'shell:', 'the shell');
});

flow('a request that fails and is tried again leaves no lines, and the status tells of it', async () => {
  const failure = { status: 500, body: { error: { message: 'broken' } } };
  const model = await startFakeModelServer({ answers: [failure, failure, { text: 'At last.' }] });
  const talk = await start({ env: model.environment() });
  await talk.ready();
  talk.type('hello\r');
  await talk.see(/Trying\s+again\s+in/);
  await talk.see(/^At last\.$/m);
  await talk.ready();
  expect(talk.text()).toMatch(/> hello\n\nAt last\.\n/);
  await model.close();
});

flow('a prompt of a server that is not there is not sent to the model; a path is no server', async () => {
  const model = await startFakeModelServer({ answers: [] });
  const talk = await start({ env: model.environment() });
  await talk.ready();
  await talk.say('/demo: what=x');
  expect(talk.text()).toMatch(/There is no MCP server demo\./);
  expect(model.requests).toHaveLength(0);
  talk.type('look at @/tm\t');
  await talk.see(/> look at @\/tm/);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(talk.text()).not.toMatch(/server could not|no MCP server \/tm/i);
  await model.close();
});
