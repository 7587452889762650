import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestShell, type TestShell, until } from './fixtures/shell.js';
import type { Blocked } from './processes.js';

let shell: TestShell;
beforeEach(() => {
  shell = openTestShell();
});
afterEach(async () => {
  await shell.processes.end({ kind: 'shutdown' });
  expect(shell.left()).toEqual([]);
});

const terminal = { columns: 100, rows: 30 };

/** Starts a command on a terminal and notes each question that it waits at. */
async function untilBlocked(command: string) {
  const blocks: Blocked[] = [];
  const running = await shell.start(command, { terminal, graceMs: 200 });
  const looking = setInterval(() => {
    const blocked = running.blocked();
    if (blocked && blocked !== blocks.at(-1)) blocks.push(blocked);
  }, 5);
  void running.ended.then(() => clearInterval(looking));
  const next = async (count = 1): Promise<Blocked> => {
    await until(() => blocks.length >= count);
    const blocked = blocks[count - 1];
    if (!blocked) throw new Error('not blocked');
    return blocked;
  };
  return { running, next, blocks };
}

it('a run on a terminal has the size that was given', async () => {
  const ended = await shell.run('test -t 0 && test -t 1 && stty size; exit 4', { terminal });
  expect(ended).toMatchObject({ exitCode: 4, stdout: { head: '30 100\r\n' } });
});

it('a run on a terminal keeps all that was printed, also when it is read long after the program has ended', async () => {
  let isFirst = true;
  const ended = await shell.run('echo first; sleep 0.1; echo last', {
    terminal,
    onBytes() {
      if (!isFirst) return null;
      isFirst = false;
      return new Promise((resolve) => setTimeout(resolve, 600));
    },
  });
  expect(ended).toMatchObject({ exitCode: 0, stdout: { head: 'first\r\nlast\r\n' } });
});

it('a run on a terminal tells what a program asks, and that the answer is shown', async () => {
  const { running, next, blocks } = await untilBlocked('read -p "Go on? [y/N] " answer; echo "so $answer"');
  expect(await next()).toMatchObject({ prompt: 'Go on? [y/N]', echo: true, certain: true });
  expect(running.blocked()).not.toBeNull();
  await running.write('y\n');
  const ended = await running.ended;
  expect(ended.stdout.head).toContain('so y');
  expect(running.blocked()).toBeNull();
  expect(blocks).toHaveLength(1);
});

it('a run on a terminal tells when the answer is not shown: a password', async () => {
  const { running, next } = await untilBlocked(
    'read -s -p "Password: " word; echo; printf %s "$word" | wc -c',
  );
  expect(await next()).toMatchObject({ prompt: 'Password:', echo: false, certain: true });
  await running.write('secret\n');
  const { stdout } = await running.ended;
  expect(stdout.head).toMatch(/\b6\b/);
  expect(stdout.head).not.toContain('secret');
});

it('a run on a terminal tells again for the next question', async () => {
  const { running, next } = await untilBlocked('read -p "First? " a; read -p "Second? " b; echo "$a $b"');
  expect(await next(1)).toMatchObject({ prompt: 'First?' });
  await running.write('1\n');
  expect(await next(2)).toMatchObject({ prompt: 'Second?' });
  await running.write('2\n');
  expect((await running.ended).stdout.head).toContain('1 2');
});

it('a run on a terminal sees a question by a program further down', async () => {
  const { running, next } = await untilBlocked(`echo start; sh -c 'printf "Name: "; read name'`);
  expect(await next()).toMatchObject({ prompt: 'Name:', program: expect.stringContaining('sh -c') });
  expect(await running.stop({ kind: 'input' })).toMatchObject({ stopped: { kind: 'input' }, left: 0 });
});

it('a run on a terminal takes a question of a program with an event loop for one when its line stays open', async () => {
  const program = `const r = require('node:readline').createInterface({ input: process.stdin, output: process.stdout });
    r.question('Package name: ', (name) => { console.log('got ' + name); r.close(); });`;
  const { running, next } = await untilBlocked(`node -e "${program}"`);
  expect(await next()).toMatchObject({ prompt: 'Package name:', echo: true, certain: false });
  await running.write('thing\r');
  expect((await running.ended).stdout.head).toContain('got thing');
});

it('a run on a terminal does not take a busy or sleeping program for one that waits', async () => {
  const { running, blocks } = await untilBlocked(
    'echo working; sleep 0.8; printf "almost: "; sleep 1.5; echo',
  );
  await running.ended;
  expect(blocks).toEqual([]);
});

it('a run on a terminal ends a program on a terminal like any other', async () => {
  const { running, next } = await untilBlocked('setsid -f sleep 1000; trap "" TERM HUP; cat');
  await next();
  expect(await running.stop({ kind: 'user' })).toMatchObject({ stopped: { kind: 'user' }, left: 0 });
});
