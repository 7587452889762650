import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { linesOf, openStage, type Stage } from './headless/run.js';
import { type Conversation, keys, startConversation } from './terminal/conversation.js';

const canTry = await canStage();
if (!canTry) console.log('evidence: no overlays here: what people do with a fleet was not tried');

let stage: Stage;
const terminals: Conversation[] = [];
afterEach(async () => {
  for (const terminal of terminals.splice(0)) terminal.close();
  await stage.close();
});

const pathOf = (name: string): string => join(stage.machine.workspace, name);
const fileIn = (name: string): string => readFileSync(pathOf(name), 'utf8');
const offline = ['--provider', 'offline', '--approval-mode', 'auto-edit'];
const replacing = (from: string, to: string): string => `replace '${from}' with '${to}' in notes.txt`;

async function terminalWith(
  args: string[],
  size: { columns?: number; rows?: number } = {},
): Promise<Conversation> {
  const terminal = await startConversation({ machine: stage.machine, args, ...size });
  terminals.push(terminal);
  return terminal;
}

function write(name: string, content: string): void {
  mkdirSync(join(pathOf(name), '..'), { recursive: true });
  writeFileSync(pathOf(name), content);
}

const submit = (...tasks: object[]): Promise<unknown> => {
  write('tasks.jsonl', tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
  return stage.run(['fleet', 'submit', 'tasks.jsonl']);
};
const workAll = () => stage.run(['fleet', 'worker', '--slots', '2', '--until-empty', ...offline]);

async function idsOf(): Promise<string[]> {
  const { stdout } = await stage.run(['fleet', 'status', '--tasks', '--json']);
  const records = linesOf(stdout).slice(1) as { task: { id: string } }[];
  return records.map(({ task }) => task.id).sort();
}

const tenLines = 'alpha\n2\n3\n4\n5\n6\n7\n8\n9\nomega\n';

describe.runIf(canTry)('collecting', () => {
  it('merges two tasks of one folder, checks what was merged, keeps nothing of what fails, and collects each once', async () => {
    stage = await openStage({});
    write('svc/notes.txt', tenLines);
    await submit(
      { prompt: replacing('alpha', 'ALPHA'), folder: 'svc' },
      {
        prompt: replacing('omega', 'OMEGA'),
        folder: 'svc',
        check: 'grep -v ALPHA notes.txt; ! grep ALPHA notes.txt',
      },
      { prompt: replacing('omega', 'Omega'), folder: 'svc', check: 'grep Omega notes.txt' },
      { prompt: replacing('alpha', 'Alpha'), folder: 'svc' },
    );
    await workAll();
    const kept = await stage.run(['fleet', 'collect', '--to', 'folder', '--report', 'after']);
    expect(kept.code).toBe(1);
    expect(kept.stdout.match(/svc: .*/g)).toEqual(['svc: 1 change kept', 'svc: 1 change kept']);
    expect(kept.stderr).toContain('merged with what was changed meanwhile, the check fails: exit code 1.');
    expect(kept.stderr).toContain('None of it was kept: notes.txt was changed in the same lines.');
    expect(fileIn('svc/notes.txt')).toBe(tenLines.replace('alpha', 'ALPHA').replace('omega', 'Omega'));
    expect(fileIn('after.md').match(/\| in the folder \|/g)).toHaveLength(2);
    const again = await stage.run(['fleet', 'collect', '--to', 'folder']);
    expect(again.stderr).toContain('2 tasks collected this way before; name them to collect them again.');
    await stage.run(['undo', '--workspace', pathOf('svc')]);
    expect(fileIn('svc/notes.txt')).toBe(tenLines.replace('alpha', 'ALPHA'));
  });

  it('--review asks about each task at the terminal and keeps what the user chose', async () => {
    stage = await openStage({});
    for (const name of ['one', 'two', 'three']) write(`${name}/notes.txt`, 'alpha\n');
    await submit(
      ...['one', 'two', 'three'].map((folder) => ({ prompt: replacing('alpha', 'beta'), folder })),
    );
    await workAll();
    const nobody = await stage.run(['fleet', 'collect', '--review']);
    expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('no terminal to ask at')]);
    const terminal = await terminalWith(['fleet', 'collect', '--review']);
    for (const [place, name, key] of [
      ['1 of 3', 'one', 'y'],
      ['2 of 3', 'two', 'n'],
      ['3 of 3', 'three', 'y'],
    ] as const) {
      await terminal.see(`Task ${place}, ${name}: ${replacing('alpha', 'beta').slice(0, 30)}`);
      await terminal.until(terminal.isAsked, 'the question');
      terminal.type(key);
    }
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('two: nothing was kept');
    expect(['one', 'two', 'three'].map((name) => fileIn(`${name}/notes.txt`))).toEqual([
      'beta\n',
      'alpha\n',
      'beta\n',
    ]);
  });
});

describe.runIf(canTry)('looking on', () => {
  it('logs -f shows calls as they happen and ends with the task; watch draws bars, also on a narrow screen, and ends with the queue', async () => {
    stage = await openStage({});
    await submit({ prompt: 'run echo one; sleep 1; echo two' }, { prompt: 'list .', folder: '/etc' });
    const { stdout } = await stage.run(['fleet', 'submit', 'tasks.jsonl', '--json']);
    const first = String(linesOf(stdout)[0]?.['first']);
    let begun = (): void => undefined;
    const isFollowed = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const logs = stage.run(['fleet', 'logs', first, '-f'], { onOutput: () => begun() });
    const watched = await terminalWith(['fleet', 'watch'], { columns: 40, rows: 12 });
    await watched.see(/queued +4/);
    await isFollowed;
    await workAll();
    const followed = await logs;
    expect(followed.stdout).toMatch(/^queued\n/);
    expect(followed.stdout).toContain('· Run echo one; sleep 1; echo two');
    expect(followed.stdout).toMatch(/done\n$/);
    expect(await watched.ended()).toBe(0);
    expect(watched.raw()).toMatch(/running +\d/);
    expect(watched.raw()).toContain('last failure: /etc: list .');
    expect(watched.text()).toContain('2 done, 2 failed');
    const after = await stage.run(['fleet', 'watch', '--json']);
    expect(linesOf(after.stdout)).toMatchObject([{ type: 'fleet-status', states: { done: 2, failed: 2 } }]);
  });

  it('Ctrl+C of a run gives tasks back and says how to go on', async () => {
    stage = await openStage({});
    write(
      'tasks.yaml',
      Array.from({ length: 3 }, () => '- prompt: run sleep 3; echo built > out.txt\n').join(''),
    );
    const terminal = await terminalWith(['fleet', 'run', 'tasks.yaml', '--workers', '1', ...offline]);
    await terminal.see(/running +1/);
    terminal.type(keys.ctrlC);
    expect(await terminal.ended()).toBe(130);
    expect(terminal.text().replace(/\s+/g, ' ')).toContain(
      '3 tasks wait in the queue: toolwright fleet worker --until-empty',
    );
    expect((await stage.run(['fleet', 'status'])).stdout).toBe('3 queued\n');
  });
});

describe.runIf(canTry)('questions', () => {
  it('are asked one after the other at a terminal, and the tasks go on with what was said', async () => {
    stage = await openStage({});
    await submit(
      ...[1, 2, 3].map((number) => ({ prompt: `fetch https://example.com/${number} and list the links` })),
    );
    await workAll();
    const terminal = await terminalWith(['fleet', 'questions']);
    for (const [number, typed] of [
      [1, 'n'],
      [2, 'l'],
      [3, 'n'],
    ] as const) {
      await terminal.see(`Question ${number} of 3, .: fetch https://example.com/${number}`);
      await terminal.until(terminal.isAsked, 'the question');
      terminal.type(typed);
      if (typed === 'n') {
        await terminal.see('No, because');
        terminal.type(number === 1 ? 'not this one\r' : '\r');
      }
    }
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('2 questions answered, 1 still waits.');
    await workAll();
    expect((await stage.run(['fleet', 'status'])).stdout).toBe('2 done, 1 parked\n');
    const [first] = await idsOf();
    expect((await stage.run(['fleet', 'show', first!])).stdout).toContain('not this one');
    expect((await stage.run(['fleet', 'questions'])).stdout).toMatch(/fleet answer \w+ yes\|no\n$/);
  });
});

describe.runIf(canTry)('what is refused', () => {
  it('is named with what to do, and nothing is done in part', async () => {
    stage = await openStage({});
    await submit({ prompt: 'list .' });
    writeFileSync(pathOf('gone-folder.jsonl'), '{"prompt": "list .", "folder": "gone"}\n');
    const failing: [string[], number, string][] = [
      [['run', 'gone.jsonl'], 2, "toolwright: gone.jsonl can't be read: there is no such file.\n"],
      [['run', 'tasks.jsonl', '--report', 'tasks.jsonl/x'], 2, 'toolwright: --report tasks.jsonl/x:'],
      [['status', '--engine', 'tasks.jsonl'], 2, 'toolwright: --engine tasks.jsonl: it is not a folder.\n'],
      [
        ['status', '--engine', 'http://127.0.0.1:1'],
        2,
        'toolwright: --engine http://127.0.0.1:1: it takes a folder, nats://host:port or tls://host:port.\n',
      ],
      [['run', '.'], 2, "toolwright: . can't be read: it is a folder.\n"],
      [['run', 'gone-folder.jsonl'], 2, 'gone-folder.jsonl:1:1: the folder '],
      [['retry', 'gone'], 52, 'toolwright: There is no task gone in this fleet.'],
      [['cancel'], 2, 'toolwright: fleet cancel needs the id of a task.'],
      [['collect', '--author', 'me'], 2, 'toolwright: --author me: write it as "Name <mail>".\n'],
      [
        ['collect', '--review', '--to', 'branches'],
        2,
        'toolwright: --review keeps changes in the folder: leave --to out.\n',
      ],
      [['answer', 'x', 'maybe'], 2, 'toolwright: Say which question, and yes or no'],
    ];
    for (const [words, code, message] of failing) {
      const ended = await stage.run(['fleet', ...words]);
      expect([ended.code, ended.stderr], words.join(' ')).toEqual([code, expect.stringContaining(message)]);
    }
    expect((await stage.run(['fleet', 'status'])).stdout).toBe('1 queued\n');
    expect(existsSync(pathOf('tasks.jsonl'))).toBe(true);
    expect(readdirSync(stage.machine.workspace)).not.toContain('report.md');
  });
});
