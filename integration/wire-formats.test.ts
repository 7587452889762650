import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeModelServer, startFakeModelServer } from '@toolwright/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createMachine, type Machine } from './program.js';

const open: (Machine | FakeModelServer)[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await ('cleanup' in each ? each.cleanup() : each.close());
});

async function start(
  wire: 'openai' | 'openai-responses' | 'anthropic' | 'gemini',
  answers: Parameters<typeof startFakeModelServer>[0],
) {
  const server = await startFakeModelServer(answers);
  const machine = createMachine({ 'a.txt': 'alpha\n', 'src/b.txt': 'beta\n' });
  open.push(server, machine);
  const env = server.environment(wire);
  const provider = wire === 'openai-responses' ? ['--provider', wire] : [];
  const run = (args: string[], more = {}) => machine.run([...args, ...provider], { env, ...more });
  return { server, machine, run };
}

describe.each(['openai', 'openai-responses', 'anthropic', 'gemini'] as const)(
  'the built program against a server that speaks %s',
  (wire) => {
    it('prints an answer that is text only', async () => {
      const { run, server } = await start(wire, { answers: [{ text: 'Hello there.' }] });
      expect(await run(['-p', 'hi'])).toMatchObject({ stdout: 'Hello there.\n', stderr: '', code: 0 });
      expect(server.requests[0]?.bytes.length).toBeLessThan(12_000);
      console.log(`evidence: first request to ${wire}: ${server.requests[0]?.bytes.length} bytes`);
    });

    it('makes one call and answers from its result', async () => {
      const { run, server } = await start(wire, {
        answers: [
          { calls: [{ name: 'read_file', arguments: { absolute_path: 'a.txt' } }] },
          { text: 'It says alpha.' },
        ],
      });
      expect(await run(['-p', 'what is in a.txt?'])).toMatchObject({ stdout: 'It says alpha.\n', code: 0 });
      expect(server.requests[1]?.bytes.toString()).toContain('alpha');
    });

    it('makes 20 calls at once and sends 20 responses in order', async () => {
      const calls = Array.from({ length: 20 }, (_, index) => ({
        name: 'grep_search',
        arguments: { pattern: `word${index}`, literal: true },
      }));
      const { run, server } = await start(wire, { answers: [{ calls }, { text: 'None found.' }] });
      const ended = await run(['-p', 'search', '--output-format', 'json']);
      expect(JSON.parse(ended.stdout).stats).toMatchObject({ calls: 20, turns: 2 });
      const body = server.requests[1]!.bytes.toString();
      const places = calls.map((_, index) => body.lastIndexOf(`word${index}`));
      expect(places.every((place) => place > 0)).toBe(true);
    });

    it('says what happened when the stream breaks, keeps what came, and can go on', async () => {
      const { run } = await start(wire, {
        answers: [{ text: 'Half of an answer', afterwards: 'cut' }],
        otherwise: { text: 'Whole again.' },
      });
      const broken = await run(['-p', 'tell me', '--output-format', 'json']);
      const { session_id: id, error } = JSON.parse(broken.stdout);
      if (broken.code !== 0) {
        expect(broken.code).toBe(1);
        expect(error.message).toMatch(/\./);
      }
      const again = await run(['--resume', id, '-p', 'go on']);
      expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/Whole again\./) });
    });

    it('continues an earlier session', async () => {
      const { run, server } = await start(wire, {
        answers: [{ text: 'My name is Tool.' }, { text: 'As I said: Tool.' }],
      });
      await run(['-p', 'who are you?']);
      expect(await run(['--continue', '-p', 'again?'])).toMatchObject({
        stdout: 'As I said: Tool.\n',
        code: 0,
      });
      const body = server.requests[1]!.bytes.toString();
      for (const said of ['who are you?', 'My name is Tool.', 'again?']) expect(body).toContain(said);
    });

    it('ends with 41 when the key is refused', async () => {
      const { run } = await start(wire, {
        otherwise: {
          status: 401,
          body: { error: { message: 'bad key', type: 'authentication_error', status: 'UNAUTHENTICATED' } },
        },
      });
      const ended = await run(['-p', 'hi']);
      expect(ended.code).toBe(41);
      expect(ended.stderr).toMatch(/API_KEY/);
    });
  },
);

describe('a prompt that is stopped', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s ends with 130, the partial answer and a session that goes on',
    async (name) => {
      const { run, server } = await start('openai', {
        answers: [{ text: 'Partial answer', afterwards: 'silence' }, { text: 'And the rest.' }],
      });
      const ended = await run(['-p', 'tell me'], {
        onStart: (kill: (signal: NodeJS.Signals) => void) => {
          const timer = setInterval(() => {
            if (server.requests.length === 0) return;
            clearInterval(timer);
            setTimeout(() => kill(name), 300);
          }, 20);
        },
      });
      expect(ended.code).toBe(130);
      expect(ended.stdout).toBe('Partial answer\n');
      expect(ended.stderr).toMatch(/Cancelled\. To continue: toolwright --resume/);
      expect(await run(['--continue', '-p', 'go on'])).toMatchObject({ stdout: 'And the rest.\n', code: 0 });
    },
  );

  it('at the turn limit ends with 53', async () => {
    const { run } = await start('openai', {
      otherwise: { calls: [{ name: 'read_file', arguments: { absolute_path: 'a.txt' } }] },
    });
    expect(await run(['-p', 'loop', '--max-turns', '2'])).toMatchObject({
      code: 53,
      stderr: expect.stringMatching(/turn limit/),
    });
  });
});

it('a model must read a file before it changes it, and its change can be undone', async () => {
  const edit = { name: 'edit', arguments: { file_path: 'a.txt', old_string: 'alpha', new_string: 'omega' } };
  const { run, machine, server } = await start('openai', {
    answers: [
      { calls: [edit] },
      { calls: [{ name: 'read_file', arguments: { absolute_path: 'a.txt' } }] },
      { calls: [edit] },
      { text: 'Changed.' },
    ],
  });
  const path = join(machine.workspace, 'a.txt');
  expect(await run(['-p', 'change it', '--approval-mode', 'auto-edit'])).toMatchObject({
    stdout: 'Changed.\n',
    code: 0,
  });
  expect(server.requests[1]?.bytes.toString()).toMatch(/read.{0,40}first/i);
  expect(readFileSync(path, 'utf8')).toBe('omega\n');
  expect((await run(['undo'])).code).toBe(0);
  expect(readFileSync(path, 'utf8')).toBe('alpha\n');
  writeFileSync(path, 'alpha\n');
});

it('known secrets reach neither the journal nor the export', async () => {
  const { run } = await start('openai', { answers: [{ text: 'ok' }] });
  const key = ['sk', 'ant', 'api03', 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY'].join('-');
  await run(['-p', `my key is ${key}, keep it`]);
  const shown = await run(['sessions', 'show']);
  expect(shown.stdout).toMatch(/my key is \[redacted\]/);
});
