import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startFakeModelServer } from '../packages/core/src/testing/fake-model-server.js';
import { keys } from './terminal/conversation.js';
import { flowsOf, start } from './terminal/flows.js';

const flow = flowsOf('calls');

flow('a command that fails is red, with its exit code first; one of the user is shown whole', async () => {
  const talk = await start();
  await talk.ready();
  await talk.say('!echo broken; exit 128');
  expect(talk.text()).toMatch(/● Run echo broken; exit 128\n {2}exit code 128\n {2}broken$/m);
  expect(talk.raw()).toContain('\x1b[31m● ');
  await talk.say('!seq 1 60');
  for (const number of [1, 30, 60]) expect(talk.text()).toMatch(new RegExp(`^ {2}${number}$`, 'm'));
  expect(talk.text()).not.toContain('more lines');
});

flow(
  'Ctrl+O unfolds what was left out of a call, below it, and pressed again that of the call before',
  async () => {
    const count = (command: string) => ({ calls: [{ name: 'run_shell_command', arguments: { command } }] });
    const model = await startFakeModelServer({
      answers: [
        count('seq 1 3000'),
        { text: 'Counted.' },
        count('seq 7001 7900'),
        { text: 'Counted again.' },
      ],
    });
    const talk = await start({ env: model.environment() });
    await talk.ready();
    await talk.say('count');
    expect(talk.text()).toMatch(/… 2992 more lines \(Ctrl\+O shows all\)\n {2}2993$/m);
    await talk.say('again');
    talk.type('\x0f');
    await talk.see(/^ {2}7001\n {2}7002\n {2}7003$/m);
    expect(talk.text()).not.toMatch(/^ {2}1\n {2}2$/m);
    talk.type('\x0f');
    await talk.see(/^ {2}7900\n[\s\S]*● Run seq 1 3000\n {2}1\n {2}2\n {2}3$/m);
    talk.type('\x0f');
    await talk.see('Nothing earlier to expand.');
    await model.close();
  },
);

flow('a program that needs a terminal is refused under its own name', async () => {
  const talk = await start();
  await talk.ready();
  await talk.say('!vim x');
  expect(talk.text()).toMatch(/● Run vim x\n/);
  expect(talk.text().replace(/\s+/g, ' ')).toContain(
    'vim needs a terminal, and a command has none here. It works in another window, or after Ctrl+Z, which puts Toolwright to sleep.',
  );
  expect(talk.text()).not.toMatch(/● run_shell_command/);
});

flow('a command of the user that is cancelled keeps what it did, and can be undone', async () => {
  const talk = await start();
  await talk.ready();
  talk.type(`!touch x; echo begun; sleep 20${keys.enter}`);
  await talk.see(/^ {2}begun$/m);
  talk.type(keys.escape);
  await talk.ready();
  const made = join(talk.machine.workspace, 'x');
  expect(readFileSync(made, 'utf8')).toBe('');
  await talk.say('/undo last');
  expect(talk.text()).toContain('Undone: 1 file created.');
  expect(existsSync(made)).toBe(false);
});

flow('Ctrl+O opens the block of a subagent that works, and closes it again', async () => {
  const look = (pattern: string) => ({ name: 'glob', arguments: { pattern } });
  const model = await startFakeModelServer({
    answers: [
      { calls: [{ name: 'agent', arguments: { agent: 'explorer', task: 'look' } }] },
      { calls: ['*.a', '*.b', '*.c', '*.d'].map(look) },
      { instead: 'silence' },
    ],
  });
  const talk = await start({ env: model.environment() });
  await talk.ready();
  talk.type('ask @agent-explorer\r');
  await talk.see(/● Agent explorer: look \(\d+ s, Ctrl\+O opens\)/);
  expect(talk.text()).not.toMatch(/Find files that match \*\.a/);
  talk.type('\x0f');
  await talk.see(/● Agent explorer: look \(\d+ s\)\n {2}Find files that match \*\.a/);
  talk.type('\x0f');
  await talk.see(/Ctrl\+O opens/);
  talk.type(keys.ctrlC);
  await talk.see(/Cancelled\./);
  await model.close();
});
