import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createMachine } from './program.js';
import { type Conversation, keys } from './terminal/conversation.js';
import { flowsOf, start, tidy } from './terminal/flows.js';

const flow = flowsOf('commands');
const isConfined = spawnSync('bwrap', ['--version']).status === 0;
if (!isConfined) console.log('evidence: bubblewrap is missing; staged commands were not tried');

const read = (talk: Conversation, path: string): string =>
  readFileSync(join(talk.machine.workspace, path), 'utf8');

/** The question is there and can be answered. */
async function asked(talk: Conversation): Promise<void> {
  await talk.until(() => talk.isAsked(), 'a question');
}

function processesWith(text: string): number {
  const { stdout } = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes(text)).length;
}

flow('a command that only reads: no question, its output in the block', async () => {
  const talk = await start({ files: { 'a.txt': 'one\n' } });
  await talk.ready();
  await talk.say('run cat a.txt');
  expect(talk.text()).toMatch(/● Run cat a\.txt\n {2}one\n\n/);
});

flow('a command with a live tail, cancelled with Esc: nothing of it is left', async () => {
  const talk = await start();
  await talk.ready();
  talk.type('run for i in 1 2 3; do echo tick $i; sleep 0.2; done; sleep 7351\r');
  await talk.see(/tick 3/);
  talk.type(keys.escape);
  await talk.see(/[Cc]ancelled/);
  await talk.ready();
  expect(processesWith('sleep 7351')).toBe(0);
});

if (isConfined) {
  flow(
    'a command that changes files: summary, output and diff; kept with yes, undone with /undo',
    async () => {
      const talk = await start({ files: { 'a.txt': 'one\n' }, rows: 40 });
      await talk.ready();
      talk.type('run sed -i s/one/two/ a.txt; echo made > b.txt; echo done\r');
      await asked(talk);
      expect(talk.text()).toMatch(/\? Keep the changes\?/);
      expect(talk.text()).toMatch(/It printed:\n {4}done\n {2}1 file changed, 1 file created\./);
      expect(talk.text()).toMatch(/1 - one\n {2}1 \+ two/);
      expect(read(talk, 'a.txt')).toBe('one\n');
      talk.type('y\r');
      await talk.ready();
      expect([read(talk, 'a.txt'), read(talk, 'b.txt')]).toEqual(['two\n', 'made\n']);
      await talk.say('/undo last');
      expect(read(talk, 'a.txt')).toBe('one\n');
      expect(existsSync(join(talk.machine.workspace, 'b.txt'))).toBe(false);
    },
  );

  flow('a command that changes files: dropped with no', async () => {
    const talk = await start({ files: { 'a.txt': 'one\n' } });
    await talk.ready();
    talk.type('run rm a.txt\r');
    await asked(talk);
    talk.type('n keep it\r');
    await talk.ready();
    expect(read(talk, 'a.txt')).toBe('one\n');
    expect(talk.text()).toMatch(/keep it/);
  });
}

flow('!command: the user’s own, with their rights, without a question', async () => {
  const talk = await start();
  await talk.ready();
  await talk.say('!echo mine > own.txt; cat own.txt; echo $HOME');
  expect(read(talk, 'own.txt')).toBe('mine\n');
  expect(talk.text()).toContain(talk.machine.home);
  expect(talk.text()).not.toMatch(/^\? /m);
  await talk.say('/undo list');
  expect(talk.text()).toMatch(/ {2}your own command: 1 file created\n +\$ echo mine > own\.txt/);
});

flow(
  '/jobs lists, shows and stops what runs in the background, and the end of the program ends it',
  async () => {
    const talk = await start({ args: ['--approval-mode', 'yolo'] });
    await talk.ready();
    await talk.say('/jobs');
    expect(talk.text()).toContain('Nothing is running in the background.');
    await talk.say('use run_shell_command with command="echo begun; sleep 7352" is_background=true');
    await talk.say('use run_shell_command with command="sleep 7353" is_background=true');
    await talk.say('/jobs');
    expect(talk.text()).toMatch(/job-1 {2}echo begun; sleep 7352: running/);
    await talk.say('/jobs output job-1');
    expect(talk.text()).toMatch(/begun\n/);
    await talk.say('/jobs stop job-1');
    expect(talk.text()).toMatch(/stopped \(by you\)/);
    expect(processesWith('sleep 7352')).toBe(0);
    talk.type(keys.ctrlD);
    await talk.ended();
    expect(processesWith('sleep 7353')).toBe(0);
  },
);

flow(
  'a custom command with a command in it: the question shows the line that would run, and a no sends nothing',
  async () => {
    const machine = createMachine();
    const own = join(machine.home, '.toolwright');
    mkdirSync(join(own, 'commands'), { recursive: true });
    writeFileSync(join(own, 'commands', 'news.md'), 'Sum up: !`date -u -d $1`\n');
    writeFileSync(join(own, 'settings.json'), '{"permissions": {"ask": ["Shell(date)"]}}');
    const talk = await start({ machine, rows: 40 });
    await talk.ready();
    talk.type('/news today\r');
    await asked(talk);
    const shown = talk.text().slice(talk.text().lastIndexOf('? '));
    console.log(
      `evidence: the question about a command in /news:\n${shown.split('\n').slice(0, 12).join('\n')}`,
    );
    expect(shown).toContain("date -u -d 'today'");
    talk.type('n\r');
    await talk.see(/\/news was not sent\. Its command was refused: date -u -d 'today'/);
    await tidy(machine, talk);
  },
);
