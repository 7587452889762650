import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import {
  type FakeModelServer,
  startFakeModelServer,
} from '../packages/core/src/testing/fake-model-server.js';
import { describeTree } from '../packages/machine/src/changes/staged-run/fixtures/describe-tree.js';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { leftIn, nothingLeft, waitingIn } from './apart/leftovers.js';
import { createMachine, type Machine } from './program.js';
import { type Conversation, keys } from './terminal/conversation.js';
import { flowsOf, start } from './terminal/flows.js';

const canTry = await canStage();
if (!canTry) console.log('evidence: no overlays here: sessions apart were not tried');

let machine: Machine;
const models: FakeModelServer[] = [];
afterEach(async () => {
  for (const model of models.splice(0)) await model.close();
  expect(leftIn(machine)).toEqual(nothingLeft);
  machine.cleanup();
});

async function open(args: string[] = [], env: Record<string, string> = {}): Promise<Conversation> {
  const talk = await start({ machine, args, env, columns: 120, rows: 40 });
  await talk.ready();
  return talk;
}

type Answers = NonNullable<Parameters<typeof startFakeModelServer>[0]>['answers'];

/** A conversation with a model that says what the script says. */
async function openWith(answers: Answers, args: string[] = []): Promise<Conversation> {
  const model = await startFakeModelServer({ answers });
  models.push(model);
  return open(args, model.environment());
}

function openMachine(): Machine {
  machine = createMachine({ 'a.txt': 'one\ntwo\n', 'b.txt': 'alpha\n' });
  return machine;
}

async function asked(talk: Conversation, title: string): Promise<void> {
  const isAsked = (): boolean => talk.isAsked() && talk.text().includes(title);
  await talk.until(isAsked, `the question "${title}"`);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const read = (path: string): string => readFileSync(join(machine.workspace, path), 'utf8');

describe.runIf(canTry)('a conversation apart', () => {
  const flow = flowsOf('apart');

  flow(
    'an edit and a command ask nothing; /review keeps a part, the end of the conversation the rest',
    async () => {
      const before = describeTree(openMachine().workspace);
      const talk = await open(['--apart']);
      expect(talk.text()).toContain('approval mode default, apart.');
      await talk.say("replace 'two' with 'three' in a.txt");
      await talk.say('!rm b.txt; echo new > c.txt');
      expect(talk.text()).not.toContain('Asked because');
      expect(describeTree(machine.workspace)).toEqual(before);
      talk.type('/review\r');
      await asked(talk, 'Keep what this session changed?');
      expect(talk.text()).toContain('1 file deleted, 1 file changed, 1 file created.');
      expect(talk.text().indexOf('b.txt')).toBeLessThan(talk.text().lastIndexOf('c.txt'));
      talk.type('s\r');
      await asked(talk, 'Keep the deletion of b.txt? (1 of 3)');
      talk.type('n\r');
      await asked(talk, 'Keep a.txt? (2 of 3)');
      talk.type('y\r');
      await asked(talk, 'Keep c.txt? (3 of 3)');
      talk.type('n\r');
      await talk.see(/Kept: 1 file changed\. To undo it: \/undo \S+/);
      await talk.see('Still waiting apart: 1 file deleted, 1 file created.');
      await talk.ready();
      expect([read('a.txt'), read('b.txt')]).toEqual(['one\nthree\n', 'alpha\n']);
      talk.type(keys.ctrlD);
      await asked(talk, 'leave them waiting: toolwright apart keep');
      talk.type('y\r');
      expect(await talk.ended()).toBe(0);
      expect(talk.text()).toMatch(/Kept: 1 file deleted, 1 file created\. To undo it: toolwright undo \S+/);
      expect(read('c.txt')).toBe('new\n');
      expect(waitingIn(machine)).toEqual([]);
    },
  );

  flow('what is left waiting at the end goes on with --continue, and can be dropped there', async () => {
    const before = describeTree(openMachine().workspace);
    const first = await open(['--apart']);
    await first.say("replace 'two' with 'three' in a.txt");
    first.type('/quit\r');
    await asked(first, 'Keep what this session changed?');
    first.type('n\r');
    expect(await first.ended()).toBe(0);
    const [id] = waitingIn(machine);
    expect(first.text()).toContain(`To keep: toolwright apart keep ${id}`);
    const second = await open(['--continue']);
    expect(second.text()).toContain('approval mode default, apart.');
    await second.say('!cat a.txt > d.txt');
    second.type('/review\r');
    await asked(second, '1 file changed, 1 file created.');
    second.type('d\r');
    await second.see('All changes were dropped.');
    await second.ready();
    second.type('/quit\r');
    expect(await second.ended()).toBe(0);
    expect(describeTree(machine.workspace)).toEqual(before);
    expect(waitingIn(machine)).toEqual([]);
  });

  flow('the first question that apart would have spared offers it, once', async () => {
    const before = describeTree(openMachine().workspace);
    const talk = await open();
    talk.type("replace 'two' with 'three' in a.txt\r");
    await asked(talk, 'work apart (one review');
    talk.type('w\r');
    await talk.ready();
    expect(describeTree(machine.workspace)).toEqual(before);
    await talk.say("replace 'alpha' with 'beta' in b.txt");
    talk.type('/review\r');
    await asked(talk, '2 files changed.');
    talk.type('n\r');
    await talk.ready();
    talk.type('/quit\r');
    await asked(talk, 'leave them waiting');
    talk.type('y\r');
    expect(await talk.ended()).toBe(0);
    expect([read('a.txt'), read('b.txt')]).toEqual(['one\nthree\n', 'beta\n']);
  });

  flow('the offer holds for a command that has run on a copy already', async () => {
    const before = describeTree(openMachine().workspace);
    const command = { command: 'rm b.txt; echo new > c.txt' };
    const talk = await openWith([
      { calls: [{ name: 'run_shell_command', arguments: command }] },
      { text: 'Made.' },
    ]);
    talk.type('Make it.\r');
    await asked(talk, 'work apart (one review');
    talk.type('w\r');
    await talk.see('Made.');
    await talk.ready();
    expect(describeTree(machine.workspace)).toEqual(before);
    talk.type('/quit\r');
    await asked(talk, '1 file deleted, 1 file created.');
    talk.type('y\r');
    expect(await talk.ended()).toBe(0);
    expect(read('c.txt')).toBe('new\n');
  });

  flow('a job is named in the review and stopped before something is kept', async () => {
    openMachine();
    const job = { command: 'echo by a job > job.txt; sleep 300', is_background: true };
    const talk = await openWith(
      [{ calls: [{ name: 'run_shell_command', arguments: job }] }, { text: 'Started.' }],
      ['--apart'],
    );
    await talk.say('Start it.');
    talk.type('/review\r');
    await asked(talk, 'is still running. It is stopped before something is kept or dropped.');
    talk.type('y\r');
    await talk.see('job-1 was stopped.');
    await talk.ready();
    expect(read('job.txt')).toBe('by a job\n');
    talk.type('/quit\r');
    expect(await talk.ended()).toBe(0);
    expect(waitingIn(machine)).toEqual([]);
  });

  flow(
    'a change in the same place meanwhile is left out, named, and waits; a closed window loses nothing',
    async () => {
      openMachine();
      machine.write('../home/.toolwright/settings.json', '{"session": {"apart": "always"}}');
      const talk = await open();
      expect(talk.text()).toContain('approval mode default, apart.');
      await talk.say("replace 'two' with 'three' in a.txt");
      machine.write('a.txt', 'one\nTWO\n');
      talk.type('/review\r');
      await asked(talk, 'Keep what this session changed?');
      talk.type('y\r');
      await talk.see('Left out: a.txt:');
      await talk.see('Still waiting apart: 1 file changed.');
      await talk.ready();
      expect(read('a.txt')).toBe('one\nTWO\n');
      talk.type('/quit\r');
      await asked(talk, 'leave them waiting');
      const [id] = waitingIn(machine);
      talk.hangUp();
      await talk.until(() => leftIn(machine).processes === 0 && !isRunning(talk.pid), 'the end');
      expect(waitingIn(machine)).toEqual([id]);
      expect(read('a.txt')).toBe('one\nTWO\n');
    },
  );

  flow('/apart is refused while a job runs, with the sentence that names it', async () => {
    openMachine();
    const job = { command: 'sleep 300', is_background: true };
    const talk = await openWith([
      { calls: [{ name: 'run_shell_command', arguments: job }] },
      { text: 'Started.' },
    ]);
    talk.type('Start it.\r');
    await asked(talk, 'work apart (one review');
    talk.type('y\r');
    await talk.see('Started.');
    await talk.ready();
    await talk.say('/apart');
    expect(talk.text()).toContain('A job still runs: job-1 (sleep 300). Stop it first.');
    await talk.say('/jobs stop job-1');
    await talk.say('/apart');
    expect(talk.text()).toContain('From here on this conversation works apart');
    talk.type('/quit\r');
    expect(await talk.ended()).toBe(0);
    expect(waitingIn(machine)).toEqual([]);
  });

  flow('an offer that was declined is not made again', async () => {
    openMachine();
    const talk = await open();
    talk.type("replace 'two' with 'three' in a.txt\r");
    await asked(talk, 'work apart (one review');
    talk.type('y\r');
    await talk.ready();
    talk.type("replace 'alpha' with 'beta' in b.txt\r");
    await asked(talk, '? Edit b.txt');
    expect(talk.text()).not.toContain('work apart (one review');
    talk.type('n\r');
    await talk.ready();
    expect([read('a.txt'), read('b.txt')]).toEqual(['one\nthree\n', 'alpha\n']);
  });

  flow('/apart begins in the middle of a conversation; session.apart never offers it', async () => {
    openMachine();
    machine.write('../home/.toolwright/settings.json', '{"session": {"apart": "never"}}');
    const talk = await open();
    await talk.say('/review');
    expect(talk.text()).toContain('This conversation does not work apart, so there is nothing to review.');
    talk.type("replace 'two' with 'three' in a.txt\r");
    await asked(talk, '? Edit a.txt');
    expect(talk.text()).not.toContain('work apart (one review');
    talk.type('n\r');
    await talk.ready();
    await talk.say('/apart');
    await talk.say('/apart');
    expect(talk.text()).toContain('This session already works apart.');
    await talk.say("replace 'two' with 'three' in a.txt");
    expect(read('a.txt')).toBe('one\ntwo\n');
    talk.type('/quit\r');
    await asked(talk, 'Keep what this session changed?');
    talk.type('y\r');
    expect(await talk.ended()).toBe(0);
    expect(read('a.txt')).toBe('one\nthree\n');
  });
});
