import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startFakeModelServer } from '../packages/core/src/testing/fake-model-server.js';
import { createMachine, type Machine } from './program.js';
import { keys } from './terminal/conversation.js';
import { flowsOf, start, tidy } from './terminal/flows.js';

const flow = flowsOf('the mouse');
const run = (command: string) => ({ calls: [{ name: 'run_shell_command', arguments: { command } }] });

function machineWith(mouse: boolean): Machine {
  const machine = createMachine({});
  const folder = join(machine.home, '.toolwright');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ ui: { mouse } }));
  return machine;
}

flow('a click unfolds the block it meets, also an earlier one and after a resize', async () => {
  const model = await startFakeModelServer({
    answers: [run('seq 1 3000'), { text: 'Counted.' }, run('seq 7001 7900'), { text: 'Counted again.' }],
  });
  const machine = machineWith(true);
  const talk = await start({ machine, env: model.environment(), rows: 50 });
  await talk.ready();
  expect(talk.terminal.reportsClicks).toBe(true);
  await talk.say('count');
  await talk.say('again');
  talk.click(/^Counted\.$/);
  talk.click(/^> again$/);
  await talk.ready();
  expect(talk.text()).not.toMatch(/^ {2}7002$/m);
  talk.resize(50, 50, { reflow: true });
  await talk.ready();
  talk.click(/^ {2}2995$/);
  await talk.see(/^ {2}1\n {2}2\n {2}3$/m);
  await talk.ready();
  expect(talk.text()).not.toMatch(/^ {2}7002$/m);
  expect(talk.terminal.unknown).toEqual([]);
  await model.close();
  await tidy(machine, talk);
});

flow(
  'the wheel and a drag give the mouse back until the next key; at a question the wheel scrolls',
  async () => {
    const content = Array.from({ length: 80 }, (_, index) => `row ${index}`).join('\n');
    const write = { name: 'write_file', arguments: { file_path: 'long.txt', content } };
    const model = await startFakeModelServer({ answers: [{ calls: [write] }, { text: 'Done.' }] });
    const machine = machineWith(true);
    const talk = await start({ machine, env: model.environment() });
    await talk.ready();
    talk.type('\x1b[<64;1;1M');
    await talk.until(() => !talk.terminal.reportsClicks, 'the mouse given back');
    await talk.see('The mouse now selects and scrolls; press any key');
    talk.type('x');
    await talk.until(() => talk.terminal.reportsClicks, 'the mouse taken again');
    talk.type('\x1b[<0;3;5M\x1b[<0;9;5m');
    await talk.until(() => !talk.terminal.reportsClicks, 'the mouse given back after a drag');
    talk.type(`\x7fwrite${keys.enter}`);
    await talk.until(() => talk.isAsked(), 'the question');
    expect(talk.text()).not.toMatch(/row 25$/m);
    talk.type('\x1b[<65;1;1M'.repeat(6));
    await talk.see(/row 25$/m);
    expect(talk.terminal.reportsClicks).toBe(true);
    talk.type(keys.escape);
    await talk.ready();
    await model.close();
    await tidy(machine, talk);
  },
);

flow(
  'without the setting no click is asked for, and the terminal gets the mouse back at the end',
  async () => {
    const plain = await start();
    await plain.ready();
    expect(plain.raw()).not.toContain('\x1b[?1000h');
    const machine = machineWith(true);
    const talk = await start({ machine });
    await talk.ready();
    talk.type(keys.ctrlD);
    await talk.ended();
    expect(talk.terminal.reportsClicks).toBe(false);
    await tidy(machine, talk);
  },
);
