import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startFakeModelServer } from '../packages/core/src/testing/fake-model-server.js';
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

if (isConfined)
  flow(
    'what a command deletes comes first, then what runs later; files and folders are counted, and it is agreed to alone',
    async () => {
      const run = (command: string) => ({ name: 'run_shell_command', arguments: { command } });
      const later = 'echo new > a.txt; echo export A=1 > .envrc; rm keep.txt';
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
        /\(2 of 2\)\n {2}Deletes 1 file: keep\.txt\n {2}! \.envrc: protected: direnv runs it\n {2}delete keep\.txt[\s\S]*create \.envrc[\s\S]*create a\.txt/,
      );
      await model.close();
    },
  );

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
