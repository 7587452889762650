import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRawEditor } from './acp/raw.js';
import { acpStage, choose, type TestEditor } from './acp/stage.js';
import { isLinux } from './mcp/stage.js';
import { createMachine, program } from './program.js';

const write = (path: string, content: string) => ({
  name: 'write_file',
  arguments: { file_path: path, content },
});
const shell = (command: string) => ({ name: 'run_shell_command', arguments: { command } });
const never = (): Promise<never> => new Promise(() => undefined);

/** The moments in which an editor may vanish, each with the way there. */
const moments: Record<string, (open: TestEditor) => Promise<unknown>> = {
  'in the middle of a message': async ({ child }) => void child.stdin.write('{"jsonrpc":"2.0","id":99,"meth'),
  'before a session': async () => undefined,
  'with an idle session': (open) => open.begin(),
  'while the model is silent': async (open) => {
    void open.prompt(await open.begin(), 'wait').catch(() => undefined);
    await open.seen(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
  },
  'while a command runs': async (open) => {
    void open.prompt(await open.begin(), 'RUN IT').catch(() => undefined);
    await open.seen((update) => JSON.stringify(update).includes('```\\none'));
  },
  'while a cancelled command ends': async (open) => {
    const sessionId = await open.begin();
    void open.prompt(sessionId, 'RUN IT').catch(() => undefined);
    await open.seen((update) => JSON.stringify(update).includes('```\\none'));
    await open.connection.agent.notify('session/cancel', { sessionId });
  },
  'while an earlier session is told again': async (open) => {
    const sessionId = await open.begin();
    await open.prompt(sessionId, 'TELL MUCH');
    const { sessions } = await open.request('session/list', {});
    void open.request('session/load', { ...sessions[0]!, mcpServers: [] }).catch(() => undefined);
    await open.seen(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk');
  },
  'while a question waits': async (open) => {
    void open.prompt(await open.begin(), 'ASK ME').catch(() => undefined);
    await expect.poll(() => open.asked).toHaveLength(1);
  },
};

describe('an editor that vanishes', () => {
  const ways: Record<string, (open: TestEditor) => void> = {
    'closes its end': ({ child }) => void child.stdin.end(),
    'closes both ends': ({ child }) => {
      child.stdout.destroy();
      child.stdin.destroy();
    },
  };
  const cases = Object.keys(moments).flatMap((moment) =>
    Object.keys(ways).map((way) => [way, moment] as const),
  );

  it.each(cases)('%s %s: everything ends, and what was said can be told again', async (way, moment) => {
    const stage = await acpStage({
      otherwise: ({ body }) => {
        const text = JSON.stringify(body['messages']);
        if (text.includes('RUN IT')) return { calls: [shell('echo one; sleep 300')] };
        if (text.includes('TELL MUCH')) return { text: 'much '.repeat(100_000) };
        if (text.includes('ASK ME')) return { calls: [write('b.txt', '1\n')] };
        return { text: 'Partly', afterwards: 'silence' };
      },
    });
    const args = moment.includes('command') ? ['--approval-mode', 'yolo'] : [];
    const open = await stage.editor({ args, permission: never });
    await moments[moment]!(open);
    ways[way]!(open);
    expect(await open.ended).toBe(0);
    if (isLinux) expect(stage.left()).toEqual([]);
    expect(existsSync(join(stage.machine.workspace, 'b.txt'))).toBe(false);

    const again = await stage.editor();
    const { sessions } = await again.request('session/list', {});
    expect(sessions).toHaveLength(moment.startsWith('while') ? 1 : 0);
    for (const { sessionId, cwd } of sessions)
      await again.request('session/load', { sessionId, cwd, mcpServers: [] });
    expect(again.of('user_message_chunk')).toHaveLength(sessions.length);
  });
});

it('an editor that ends before it introduced itself ends us too', async () => {
  const stage = await acpStage();
  const editor = openRawEditor(stage.machine, stage.model);
  expect(await editor.close()).toBe(0);
  expect([editor.lines, editor.errors()]).toEqual([[], '']);
});

/** Sends lines as they are; gives what came back, by line, once `enough` says so. */
async function speak(
  lines: string,
  enough: (answers: object[]) => boolean,
): Promise<{ answers: Answer[]; code: number | null }> {
  const machine = createMachine();
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [program, 'acp', '--provider', 'offline'], {
    cwd: machine.workspace,
    env: { PATH, HOME: machine.home },
  });
  const answers: Answer[] = [];
  let rest = '';
  const done = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      answers.push(...parts.map((line) => JSON.parse(line) as Answer));
      if (enough(answers)) resolve();
    });
  });
  const ended = new Promise<number | null>((resolve) => void child.on('close', resolve));
  child.stdin.write(lines);
  await Promise.race([done, ended]);
  child.stdin.end();
  const code = await ended;
  machine.cleanup();
  return { answers, code };
}

interface Answer {
  id?: number | null;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

const message = (id: number, method: string, params: object = {}): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const hello = message(0, 'initialize', { protocolVersion: 1 });

describe('an editor that talks nonsense', () => {
  it('is told so each time, and is served all the same', async () => {
    const nonsense = [
      'not json\n',
      '[]\n',
      '42\n',
      '{"jsonrpc":"2.0"}\n',
      '{"jsonrpc":"2.0","id":9,"result":{}}\n',
      message(1, 'session/new', { cwd: '/tmp', mcpServers: [] }),
      hello,
      message(2, 'no/such/method'),
      message(3, 'session/new', { cwd: 7 }),
      message(4, 'session/prompt', { sessionId: 'x', prompt: [{ type: 'smell' }] }),
      message(5, 'session/load', { sessionId: '../../etc/passwd', cwd: '/tmp', mcpServers: [] }),
      message(6, 'session/delete', { sessionId: '..' }),
      message(7, 'session/set_config_option', { sessionId: 'x', configId: 'mode', value: 'plan' }),
      '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"x"}}\n',
      message(8, 'session/list'),
    ].join('');
    const { answers, code } = await speak(nonsense, (all) => all.some((each) => (each as Answer).id === 8));
    const errorOf = (id: number): unknown => answers.find((each) => each.id === id)?.error?.code;
    expect(answers.filter(({ id }) => id === null)).toHaveLength(4);
    expect(errorOf(2)).toBe(-32601);
    expect([1, 3, 4, 5, 7].map(errorOf)).toEqual([-32600, -32602, -32602, -32002, -32002]);
    expect(answers.find(({ id }) => id === 6)?.result).toEqual({});
    expect(answers.find(({ id }) => id === 8)?.result).toEqual({ sessions: [] });
    expect(code).toBe(0);
  });

  it('may flood: no more sessions than there may be, every request answered once', async () => {
    const cwd = join(import.meta.dirname, 'acp');
    const count = 500;
    const flood = Array.from({ length: count }, (_, index) =>
      index % 5 === 0
        ? message(index + 1, 'session/new', { cwd, mcpServers: [] })
        : message(index + 1, 'session/prompt', { sessionId: `s${index}`, prompt: [] }),
    );
    const { answers, code } = await speak(
      hello + flood.join(''),
      (all) => all.filter((each) => typeof (each as Answer).id === 'number').length > count,
    );
    const ids = answers.flatMap(({ id }) => (typeof id === 'number' ? [id] : []));
    expect([...ids].sort((left, right) => left - right)).toEqual(
      Array.from({ length: count + 1 }, (_, id) => id),
    );
    expect(answers.filter(({ result }) => result?.['sessionId'])).toHaveLength(32);
    expect(code).toBe(0);
  });
});

describe('an editor with much to read', () => {
  it('gets 500 calls and a change of 50,000 lines whole, however slowly it reads', async () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}`).join('\n');
    const calls = Array.from({ length: 499 }, (_, index) => ({
      name: 'read_file',
      arguments: { absolute_path: 'a.txt', limit: index + 1 },
    }));
    const { editor, machine } = await acpStage({
      answers: [
        ...Array.from({ length: 10 }, (_, batch) => ({ calls: calls.slice(batch * 50, batch * 50 + 50) })),
        { calls: [write('big.txt', `${lines}\n`)] },
        { text: 'Done.' },
      ],
    });
    const open = await editor({ permission: choose('allow_once') });
    const id = await open.begin();
    const prompt = open.prompt(id, 'work');
    open.child.stdout.pause();
    await new Promise((resolve) => setTimeout(resolve, 500));
    open.child.stdout.resume();
    expect(await prompt).toBe('end_turn');
    expect(readFileSync(join(machine.workspace, 'big.txt'), 'utf8')).toHaveLength(lines.length + 1);
    const begun = new Set(open.of('tool_call').map(({ toolCallId }) => toolCallId));
    const ended = open.of('tool_call_update').filter(({ status }) => status === 'completed');
    expect(begun.size).toBe(500);
    expect(new Set(ended.map(({ toolCallId }) => toolCallId))).toEqual(begun);
    const told = open
      .of('tool_call_update')
      .filter(({ toolCallId }) => toolCallId === ended.at(-1)?.toolCallId);
    expect(JSON.stringify(told)).toContain('50,000 lines added');
    expect(told.at(-1)?.content).toEqual([
      { type: 'diff', path: join(machine.workspace, 'big.txt'), oldText: null, newText: `${lines}\n` },
    ]);
    const again = await editor();
    await open.request('session/close', { sessionId: id });
    await again.request('session/load', { sessionId: id, cwd: machine.workspace, mcpServers: [] });
    expect(again.of('tool_call')).toHaveLength(500);
  });
});
