import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startFakeModelServer } from '../packages/core/src/testing/fake-model-server.js';
import { keys } from './terminal/conversation.js';
import { flowsOf, start } from './terminal/flows.js';

const flow = flowsOf('the question');
const isConfined = spawnSync('bwrap', ['--version']).status === 0;
if (!isConfined) console.log('evidence: bubblewrap is missing; staged commands were not tried');

flow('at 40 columns and 20 rows a question shows its file, a hunk in colours and its answers', async () => {
  const [old_string, new_string] = ['const size = 1;', 'const size = 2;'];
  const lines = Array.from({ length: 60 }, (_, at) => (at === 40 ? old_string : `line(${at});`)).join('\n');
  const path = { absolute_path: 'src/app.ts' };
  const change = { file_path: 'src/app.ts', old_string, new_string };
  const model = await startFakeModelServer({
    answers: [
      { calls: [{ name: 'read_file', arguments: path }] },
      { calls: [{ name: 'edit', arguments: change }] },
      { text: 'Changed.' },
    ],
  });
  const talk = await start({
    files: { 'src/app.ts': lines },
    env: model.environment(),
    columns: 40,
    rows: 20,
  });
  await talk.ready();
  talk.type('change it\r');
  await talk.until(() => talk.isAsked(), 'the question');
  const question = talk.terminal.lines().slice(-20).join('\n');
  expect(question).toMatch(/^\? Edit src\/app\.ts \+1 -1$/m);
  expect(question).toMatch(/^ +40 +line\(39\);\n +41 - const size = 1;\n +41 \+ const size = 2;\n +42/m);
  expect(question).toMatch(/^ +y yes +a always… +e edit +n no/m);
  // The language has its colours, and the number that changed a mark of its own.
  expect(talk.raw()).toMatch(/\x1b\[[0-9;]+mconst\x1b\[/);
  expect(talk.raw()).toMatch(/\x1b\[[0-9;]+m2\x1b\[/);
  await model.close();
});

flow(
  'at 40 columns the deliberate yes and its hints are whole, and leave no copy of the question',
  async () => {
    const content = Array.from({ length: 200 }, (_, at) => `line ${at + 1}\n`).join('');
    const call = { name: 'write_file', arguments: { file_path: 'long.txt', content } };
    const model = await startFakeModelServer({ answers: [{ calls: [call] }, { text: 'Written.' }] });
    const talk = await start({ env: model.environment(), columns: 40, rows: 20 });
    await talk.ready();
    talk.type('go\r');
    await talk.until(() => talk.isAsked(), 'the question');
    talk.type('a');
    await talk.see(/^Scroll to the end first: arrow keys,\nSpace or PgDn\.$/m);
    talk.type('y');
    await talk.see(/You have not seen all of it\. Type yes\nto agree:/);
    for (const letter of 'may') {
      talk.type(letter);
      await talk.see(new RegExp(`^> m?a?${letter}$`, 'm'));
    }
    talk.type('\r');
    await talk.see('Type yes to agree, or press Esc.');
    expect(talk.text().match(/\? Create long\.txt/g)).toHaveLength(1);
    expect(talk.text().match(/You have not seen all of it/g)).toHaveLength(1);
    expect(talk.text()).toMatch(/^ {2}\d+ more lines, 1-\d+ of 200 \(↑↓\)$/m);
    talk.type(keys.escape);
    await talk.until(() => talk.isAsked(), 'the answers');
    talk.type('y');
    await talk.see(/to agree:/);
    talk.type('yes\r');
    await talk.see(/^Written\.$/m);
    expect(talk.text()).not.toContain('You have not seen all of it');
    expect(existsSync(join(talk.machine.workspace, 'long.txt'))).toBe(true);
    await model.close();
  },
);

if (isConfined)
  flow(
    'what a command deletes comes first, then what runs later; files and folders are counted, and it is agreed to alone',
    async () => {
      const run = (command: string) => ({ name: 'run_shell_command', arguments: { command } });
      const later = 'echo new > a.txt; echo true > z-hook.sh; chmod +x z-hook.sh; rm keep.txt';
      const model = await startFakeModelServer({
        answers: [{ calls: [run('echo new > first.txt; rm -r old'), run(later)] }, { text: 'Done.' }],
      });
      const files = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`old/${name}`, 'x\n']));
      const talk = await start({
        files: { ...files, 'keep.txt': 'x\n' },
        env: model.environment(),
        rows: 40,
      });
      await talk.ready();
      talk.type('clean up\r');
      await talk.until(() => talk.isAsked(), 'the question');
      expect(talk.text()).toMatch(
        /\? Keep the changes\? Run echo new.*\n {2}Deletes 4 files and 1 folder: old\/a, old\/b, old\/c, old\/d, old\/\n/,
      );
      expect(talk.text()).not.toMatch(/^ {2}.*t yes to/m);
      talk.type('y');
      await talk.until(() => !existsSync(join(talk.machine.workspace, 'old')), 'the deletion');
      await talk.see(/\(2 of 2\)/);
      await talk.until(() => talk.isAsked(), 'the second question');
      expect(talk.text()).toMatch(
        /\(2 of 2\)\n {2}Deletes 1 file: keep\.txt\n {2}! z-hook\.sh: a new executable\n {2}delete keep\.txt[\s\S]*create z-hook\.sh[\s\S]*create a\.txt/,
      );
      await model.close();
    },
  );

flow('an edit of a file that runs later says so first, and is agreed to alone', async () => {
  const write = (file_path: string, content: string) => ({
    name: 'write_file',
    arguments: { file_path, content },
  });
  const long = Array.from({ length: 100 }, (_, at) => `export A${at}=1\n`).join('');
  const calls = [write('.envrc', long), write('package.json', '{}\n'), write('a.txt', 'a\n')];
  const model = await startFakeModelServer({ answers: [{ calls }, { text: 'As you wish.' }] });
  const talk = await start({ env: model.environment() });
  await talk.ready();
  talk.type('go\r');
  await talk.until(() => talk.isAsked(), 'the question');
  expect(talk.text()).toMatch(
    /\? Create \.envrc \+100 -0 \(1 of 3\)\n {2}! \.envrc: protected: direnv runs it\n +1 \+ export A0=1/,
  );
  expect(talk.text()).not.toContain('t yes to');
  talk.type('n\r');
  await talk.see(
    /\? Create package\.json \+1 -0 \(2 of 3\)\n {2}! package\.json: other programs run what is in it\n/,
  );
  await talk.until(() => talk.isAsked(), 'the second question');
  expect(talk.text()).not.toContain('Asked because other programs');
  talk.type('n\r');
  await talk.see(/\(3 of 3\)/);
  await talk.until(() => talk.isAsked(), 'the third question');
  talk.type('n\r');
  await talk.see(/^As you wish\.$/m);
  await model.close();
});

if (isConfined)
  flow('the numbers of four questions about edits and commands never contradict each other', async () => {
    const write = (file_path: string) => ({ name: 'write_file', arguments: { file_path, content: 'x\n' } });
    const run = (command: string) => ({ name: 'run_shell_command', arguments: { command } });
    const calls = [write('a.txt'), run('echo x > b.txt'), write('c.txt'), run('rm keep.txt; echo "+9 -9"')];
    const model = await startFakeModelServer({ answers: [{ calls }, { text: 'Done.' }] });
    const talk = await start({ files: { 'keep.txt': 'x\n' }, env: model.environment() });
    await talk.ready();
    talk.type('go\r');
    for (const title of [
      'Create a.txt +1 -0 (1 of 2 or more)',
      'Keep the changes? Run echo x > b.txt (+1 -0) (2 of 3 or more)',
      'Create c.txt +1 -0 (3 of 3 or more)',
      'Keep the changes? Run rm keep.txt; echo "+9 -9" (+0 -1) (4 of 4)',
    ]) {
      await talk.see(`? ${title}`);
      await talk.until(() => talk.isAsked(), 'the question');
      if (title.includes('rm keep'))
        expect(talk.text()).not.toMatch(/1 file deleted|confined by .*Nothing is kept/);
      talk.type('y');
    }
    await talk.see(/^Done\.$/m);
    await model.close();
  });

if (isConfined)
  flow('Ctrl+O at a question shows all that the command printed, and it can be answered', async () => {
    const call = { name: 'run_shell_command', arguments: { command: 'seq 1 30; echo x > new.txt' } };
    const model = await startFakeModelServer({ answers: [{ calls: [call] }, { text: 'Done.' }] });
    const talk = await start({ env: model.environment(), rows: 60 });
    await talk.ready();
    talk.type('count\r');
    await talk.see('It printed (the last 12 of 30 lines, Ctrl+O shows all):');
    await talk.until(() => talk.isAsked(), 'the question');
    talk.type('\x0f');
    await talk.see(/It printed:\n {4}1\n {4}2\n[\s\S]* {4}30\n/);
    talk.type('y');
    await talk.see(/^Done\.$/m);
    expect(existsSync(join(talk.machine.workspace, 'new.txt'))).toBe(true);
    await model.close();
  });

flow('a command with network says so once', async () => {
  const call = {
    name: 'run_shell_command',
    arguments: { command: 'curl https://example.com', network: true },
  };
  const model = await startFakeModelServer({ answers: [{ calls: [call] }, { text: 'As you wish.' }] });
  const talk = await start({ env: model.environment() });
  await talk.ready();
  talk.type('fetch it\r');
  await talk.until(() => talk.isAsked(), 'the question');
  expect(talk.text().match(/network/g)).toHaveLength(1);
  expect(talk.text()).toContain('Asked because `curl` (example.com) reaches the network.');
  talk.type('n\r');
  await talk.see(/^As you wish\.$/m);
  await model.close();
});
