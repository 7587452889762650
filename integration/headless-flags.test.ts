import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../packages/cli/src/base/exit-codes.js';
import { readDocument, tableWith } from './documents/blocks.js';
import { runLines } from './documents/shell.js';
import { calls, killAtRequest, linesOf, openStage, type Stage } from './headless/run.js';

const open: Stage[] = [];
afterEach(async () => {
  for (const stage of open.splice(0)) await stage.close();
});

async function start(script: Parameters<typeof openStage>[0]): Promise<Stage> {
  const stage = await openStage(script);
  open.push(stage);
  return stage;
}

const bodyOf = (stage: Stage, index: number): string => stage.server.requests[index]!.bytes.toString();

describe('what comes in and goes out', () => {
  it('standard input is appended to the prompt, after a blank line', async () => {
    const stage = await start({ otherwise: { text: 'Yes.' } });
    await stage.run(['-p', 'Is this right?'], { input: 'one\ntwo\n' });
    expect(bodyOf(stage, 0)).toContain('Is this right?\\n\\none\\ntwo\\n');
  });

  it('what is said before and after calls stands on lines of its own, notices on standard error', async () => {
    const stage = await start({
      answers: [
        { status: 503, body: { error: { message: 'busy' } }, headers: { 'retry-after': '0' } },
        { text: 'I will look.', calls: [calls.read] },
        { text: 'It says alpha.' },
      ],
    });
    const { stdout, stderr, code } = await stage.run(['-p', 'What is in a.txt?']);
    expect([stdout, code]).toEqual(['I will look.\nIt says alpha.\n', 0]);
    expect(stderr).toMatch(/^toolwright: .*overloaded or broken.*\n$/);
  });

  it.each(['text', 'json', 'stream-json'])('a closed pipe ends a run quietly (%s)', async (format) => {
    const line = `${'a long line of an answer '.repeat(40)}\n`;
    const stage = await start({ otherwise: { text: Array.from({ length: 500 }, () => line) } });
    const { output, code } = await runLines(
      stage.machine,
      `set +o pipefail
      toolwright -p "Tell me all." --output-format ${format} 2> stderr.txt | head -c 100 > stdout.txt
      echo "exit code \${PIPESTATUS[0]}"
      wc -c < stderr.txt
      wc -c < stdout.txt`,
      stage.server.environment(),
    );
    expect([output.split(/\s+/).join(' '), code]).toEqual(['exit code 0 0 100 ', 0]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s ends with the partial object, 130 and a session that goes on',
    async (signal) => {
      const stage = await start({
        answers: [{ text: 'Half of', afterwards: 'silence' }],
        otherwise: { text: 'The rest.' },
      });
      const ended = await stage.run(['-p', 'Tell me.', '--output-format', 'json'], {
        onStart: killAtRequest(stage.server, 1, signal),
      });
      const [object] = linesOf(ended.stdout);
      expect(object).toMatchObject({ response: 'Half of', stats: { reason: 'cancelled' } });
      expect(ended.code).toBe(130);
      const id = String(object?.['session_id']);
      expect(await stage.run(['--resume', id, '-p', 'Go on.'])).toMatchObject({
        stdout: 'The rest.\n',
        code: 0,
      });
      expect(bodyOf(stage, 1)).toContain('Tell me.');
    },
  );
});

describe('--debug', () => {
  it('says where the log is, which has requests and calls and no secret', async () => {
    const stage = await start({ answers: [{ calls: [calls.read] }, { text: 'Done.' }] });
    const env = { OPENAI_API_KEY: 'key-of-the-test-0123456789', DEPLOY_TOKEN: 'correct-horse-battery' };
    const prompt = 'Read a.txt; the word is correct-horse-battery.';
    const { stdout, stderr } = await stage.run(['-p', prompt, '--debug'], { env });
    const path = join(stage.machine.state, 'log/debug.log');
    expect([stdout, stderr]).toEqual(['Done.\n', `toolwright: The log is in ${path}\n`]);
    const log = readFileSync(path, 'utf8');
    const messages = linesOf(log).map(({ message }) => message);
    expect(messages.filter((message) => message === 'model-request')).toHaveLength(2);
    expect(messages).toEqual(
      expect.arrayContaining(['model-call', 'call-start', 'call-end', 'model-finish']),
    );
    expect(log).toContain('Read a.txt; the word is [redacted].');
    for (const secret of Object.values(env)) expect(log).not.toContain(secret);
  });

  it('works for tools run, and without it there is no log', async () => {
    const stage = await start({});
    const run = ['tools', 'run', 'glob', '--args', '{"pattern":"*.txt"}'];
    const path = join(stage.machine.state, 'log/debug.log');
    expect(await stage.run(run)).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(path)).toBe(false);
    expect((await stage.run([...run, '--debug'])).stderr).toBe(`toolwright: The log is in ${path}\n`);
    expect(linesOf(readFileSync(path, 'utf8')).map(({ message }) => message)).toEqual([
      'call-start',
      'call-end',
    ]);
  });
});

describe('--settings', () => {
  it('a broken file is exit code 52 and names file, line and the nearest key', async () => {
    const stage = await start({});
    stage.machine.write('broken.json', '{\n  "sandbox": { "mod": "x" },\n  "permisions": {}\n}\n');
    const ended = await stage.run(['-p', 'Hi', '--settings', 'broken.json', '--output-format', 'json']);
    expect(ended).toMatchObject({ code: 52, stdout: '' });
    expect(ended.stderr).toMatch(
      /broken\.json:2:16: unknown key sandbox\.mod\. Did you mean sandbox\.mode\?/,
    );
    expect(ended.stderr).toMatch(/broken\.json:3:3: unknown key permisions\. Did you mean permissions\?/);
    expect(stage.server.requests).toHaveLength(0);
  });

  it('stands above the settings of the user', async () => {
    const stage = await start({ otherwise: { text: 'Hi.' } });
    mkdirSync(stage.machine.state, { recursive: true, mode: 0o700 });
    writeFileSync(join(stage.machine.state, 'settings.json'), '{ "model": { "name": "mine" } }');
    stage.machine.write('other.json', '{ "model": { "name": "other" }, /* comments are fine */ }');
    const env = { OPENAI_MODEL: '' };
    await stage.run(['-p', 'Hi'], { env });
    await stage.run(['-p', 'Hi', '--settings', 'other.json'], { env });
    expect(stage.server.requests.map(({ body }) => body['model'])).toEqual(['mine', 'other']);
  });
});

describe('which tools may do what', () => {
  const script = () => ({
    answers: [
      { calls: [calls.write, { name: 'write_file', arguments: { file_path: 'b/c.md', content: 'c\n' } }] },
      { text: 'Done.' },
    ],
  });

  it.each<[string, string[], string[], number]>([
    ['a rule allows what it covers and nothing else', ['--allowed-tools', 'Edit(b/**)'], ['b/c.md'], 54],
    ['a name allows the tool', ['--allowed-tools', 'write_file'], ['b/c.md', 'new.txt'], 0],
    [
      'lists are separated by commas, or the flag is repeated',
      ['--allowed-tools', 'Edit(b/**),glob', '--allowed-tools', 'Edit(new.txt)'],
      ['b/c.md', 'new.txt'],
      0,
    ],
    ['a tool that is left out is not there in any mode', ['--exclude-tools', 'write_file,edit', '-y'], [], 0],
  ])('%s', async (_name, args, made, code) => {
    const stage = await start(script());
    const ended = await stage.run(['-p', 'Write.', ...args]);
    const there = ['b/c.md', 'new.txt'].filter((path) => existsSync(join(stage.machine.workspace, path)));
    expect([there, ended.code]).toEqual([made, code]);
    const offered = /"name":"write_file"/.test(JSON.stringify(stage.server.requests[0]?.body['tools']));
    expect(offered).toBe(!args.includes('--exclude-tools'));
  });

  it('--include-directories opens a folder beside the workspace, and only then', async () => {
    const stage = await start({});
    const beside = join(dirname(stage.machine.workspace), 'beside');
    mkdirSync(beside);
    const write = { name: 'write_file', arguments: { file_path: join(beside, 'x.txt'), content: 'x\n' } };
    stage.server.answer({ calls: [write] }, { text: 'No.' }, { calls: [write] }, { text: 'Yes.' });
    await stage.run(['-p', 'Write.', '-y']);
    expect(existsSync(join(beside, 'x.txt'))).toBe(false);
    expect(bodyOf(stage, 1)).toContain('outside the folders this session may use');
    await stage.run(['-p', 'Write.', '-y', '--include-directories', beside]);
    expect(readFileSync(join(beside, 'x.txt'), 'utf8')).toBe('x\n');
  });

  it('--max-turns counts the answers of the model', async () => {
    const stage = await start({
      otherwise: ({ bytes }) => ({
        calls: [{ name: 'grep_search', arguments: { pattern: `word${bytes.length}`, literal: true } }],
      }),
    });
    const { code, stderr } = await stage.run(['-p', 'Search.', '--max-turns', '3']);
    expect([code, stage.server.requests.length]).toEqual([53, 3]);
    expect(stderr).toMatch(
      /Stopped at the turn limit \(--max-turns\)\. To continue: toolwright --resume \S+ -p/,
    );
  });
});

describe('the table of modes in docs/headless.md', () => {
  const [head = [], ...rows] = tableWith(readDocument('headless.md'), '`--approval-mode`  ');
  const tried = [
    calls.read,
    calls.write,
    { name: 'write_file', arguments: { file_path: '.github/x.yml', content: 'x\n' } },
    { name: 'save_memory', arguments: { fact: 'Tests need Docker.' } },
    { name: 'save_memory', arguments: { fact: 'Answers should be short.', scope: 'global' } },
    { name: 'web_fetch', arguments: { url: 'http://a.example/', prompt: 'What?' } },
  ];
  const words: Record<string, string> = { rule: 'no', 'nobody-to-ask': 'no, 54' };

  it.each(['plan', 'default', 'auto-edit', 'yolo'])('says what happens in %s mode', async (mode) => {
    const column = head.findIndex((cell) => cell.includes(mode));
    expect(rows).toHaveLength(tried.length);
    const stage = await start({ answers: [{ calls: tried }, { text: 'Done.' }] });
    const ended = await stage.run(['-p', 'Go.', '--output-format', 'stream-json', '--approval-mode', mode]);
    const lines = linesOf(ended.stdout);
    const ids = lines.filter(({ type }) => type === 'call-start').map(({ callId }) => callId);
    const denials = lines.at(-1)?.['permission_denials'] as { callId: string; by: string }[];
    const happened = ids.map((id) => words[denials.find(({ callId }) => callId === id)?.by ?? ''] ?? 'yes');
    expect(happened).toEqual(rows.map((row) => row[column]));
    expect(ended.code).toBe(happened.includes('no, 54') ? 54 : 0);
    console.log(`evidence: docs/headless.md: mode ${mode} as tried: ${happened.join('; ')}`);
  });
});

it('docs/headless.md lists the exit codes that there are', () => {
  const listed = tableWith(readDocument('headless.md'), '| code |').slice(1);
  expect(listed.map(([code]) => Number(code))).toEqual(Object.values(exitCodes));
});
