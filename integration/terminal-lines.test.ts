import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startFakeModelServer } from '../packages/core/src/testing/fake-model-server.js';
import { type Conversation, keys } from './terminal/conversation.js';
import { flowsOf, start } from './terminal/flows.js';

const flow = flowsOf('questions where nothing is redrawn');
const isConfined = spawnSync('bwrap', ['--version']).status === 0;
const write = (file_path: string, content = 'x\n') => ({
  name: 'write_file',
  arguments: { file_path, content },
});

/** The answers, or the line for one, stand at the end. */
const asked = (talk: Conversation): Promise<void> => talk.until(() => talk.isAsked(), 'the question');

async function begin(...answers: { calls?: object[]; text?: string }[]) {
  const model = await startFakeModelServer({ answers: answers as never });
  const talk = await start({ env: { ...model.environment(), TERM: 'dumb' } });
  await talk.ready();
  talk.type('go\r');
  await asked(talk);
  return { talk, model, has: (name: string) => existsSync(join(talk.machine.workspace, name)) };
}

flow('line by line: a long question comes in pages, and takes a deliberate yes before its end', async () => {
  const content = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`).join('');
  const { talk, model, has } = await begin({ calls: [write('long.txt', content)] }, { text: 'Done.' });
  await talk.see(/18 \+ line 18\n|17 \+ line 17\n/);
  expect(talk.text()).toMatch(/\d+ more lines\. Space shows more\./);
  expect(talk.text()).not.toContain('+ line 40');
  talk.type('a');
  await talk.see('Scroll to the end first: arrow keys, Space or PgDn.');
  talk.type('y');
  await talk.see('You have not seen all of it. Type yes to agree:');
  talk.type('x\r');
  await talk.see('Type yes to agree, or press Esc.');
  talk.type(keys.escape);
  await asked(talk);
  expect(has('long.txt')).toBe(false);
  talk.type(' ');
  await talk.see(/ 30 \+ line 30\n/);
  talk.type('  ');
  await talk.see(/ 40 \+ line 40\n {2}y yes {3}a always…/);
  await asked(talk);
  // Each line was told once.
  for (const at of [1, 20, 40])
    expect(talk.text().match(new RegExp(`\\+ line ${at}$`, 'gm'))).toHaveLength(1);
  talk.type('a');
  await talk.see(
    /1 {2}changes to long\.txt {2}Edit\(long\.txt\)\n[\s\S]* {2}s for this session {3}l no limit {3}Esc back/,
  );
  talk.type('l');
  await talk.see('l 10 more calls');
  talk.type('1');
  await talk.see(/^Done\.$/m);
  expect(has('long.txt')).toBe(true);
  expect(talk.raw()).not.toContain('\x1b');
  await model.close();
});

flow('line by line: Esc cancels the call that is asked about, and a reason reaches the model', async () => {
  const { talk, model, has } = await begin(
    { calls: [write('a.txt'), write('b.txt')] },
    { text: 'As you wish.' },
  );
  expect(talk.text()).toMatch(/\? Create a\.txt \+1 -0 \(1 of 2\)/);
  talk.type(keys.escape);
  await talk.see(/\? Create b\.txt \+1 -0 \(2 of 2\)/);
  await asked(talk);
  talk.type('n');
  await talk.see('No, because:');
  talk.type('use c.txt\r');
  await talk.see(/You said no: use c\.txt/);
  await talk.see(/^As you wish\.$/m);
  expect(model.requests[1]?.bytes.toString()).toContain('The user refused this call: use c.txt');
  expect([has('a.txt'), has('b.txt')]).toEqual([false, false]);
  await model.close();
});

if (isConfined)
  flow('line by line: Ctrl+O tells all that a command printed, and it can be answered', async () => {
    const call = { name: 'run_shell_command', arguments: { command: 'seq 1 16; echo x > new.txt' } };
    const { talk, model } = await begin({ calls: [call] }, { text: 'Done.' });
    expect(talk.text()).not.toMatch(/^ {4}4$/m);
    expect(talk.text()).toContain('It printed (the last 12 of 16 lines, Ctrl+O shows all):');
    talk.type('\x0f');
    await talk.see(/It printed:\n {4}1\n {4}2\n[\s\S]* {4}16\n/);
    talk.type('y');
    await talk.see(/^Done\.$/m);
    expect(readFileSync(join(talk.machine.workspace, 'new.txt'), 'utf8')).toBe('x\n');
    await model.close();
  });
