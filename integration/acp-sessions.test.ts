import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { acpStage, choose } from './acp/stage.js';
import { isConfined } from './confined.js';
import { isLinux, server } from './mcp/stage.js';

const read = (path: string) => ({ name: 'read_file', arguments: { absolute_path: path } });
const write = (path: string, content: string) => ({
  name: 'write_file',
  arguments: { file_path: path, content },
});
const shell = (command: string) => ({ name: 'run_shell_command', arguments: { command } });

type Stdio = { command: string; args: string[] };

const kinds = (updates: readonly SessionUpdate[]): string[] =>
  updates.map(({ sessionUpdate }) => sessionUpdate).filter((kind) => kind !== 'available_commands_update');

describe('a session of an editor', () => {
  it('is listed, told again, goes on, and is deleted', async () => {
    const { editor, machine, model } = await acpStage({
      answers: [
        { text: 'Look.', calls: [read('a.txt'), { name: 'no_such_tool', arguments: {} }] },
        { text: 'It says alpha.' },
        { text: 'Again.' },
        { text: 'And again.' },
      ],
    });
    const cwd = machine.workspace;
    const first = await editor();
    const id = await first.begin();
    await first.prompt(id, 'what is in a.txt?');
    expect(await first.end()).toBe(0);

    const second = await editor();
    const { sessions } = await second.request('session/list', { cwd });
    expect(sessions).toMatchObject([{ sessionId: id, cwd, title: 'what is in a.txt?' }]);
    expect((await second.request('session/list', { cwd: '/elsewhere' })).sessions).toEqual([]);
    expect((await second.request('session/list', {})).sessions).toHaveLength(1);

    const loaded = await second.request('session/load', { sessionId: id, cwd, mcpServers: [] });
    expect(loaded.modes?.currentModeId).toBe('default');
    expect(kinds(second.updates)).toEqual([
      'user_message_chunk',
      'agent_message_chunk',
      'tool_call',
      'tool_call',
      'tool_call_update',
      'tool_call_update',
      'agent_message_chunk',
    ]);
    expect(second.text()).toBe('Look.It says alpha.');
    const ends = second.of('tool_call_update').map(({ status }) => status);
    expect(ends.sort()).toEqual(['completed', 'failed']);
    expect(second.of('tool_call')).toContainEqual(
      expect.objectContaining({ kind: 'read', locations: [{ path: join(cwd, 'a.txt') }] }),
    );
    await second.prompt(id, 'go on');
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('It says alpha.');

    const other = await editor();
    await expect(other.request('session/resume', { sessionId: id, cwd })).rejects.toThrow(
      /is in use by process/,
    );
    await second.request('session/close', { sessionId: id });
    await expect(second.prompt(id, 'x')).rejects.toThrow(/is not open/);
    await other.request('session/resume', { sessionId: id, cwd, mcpServers: [] });
    expect(kinds(other.updates)).toEqual([]);
    await other.prompt(id, 'once more');

    await other.request('session/delete', { sessionId: id });
    expect((await other.request('session/list', {})).sessions).toEqual([]);
    await expect(other.request('session/load', { sessionId: id, cwd, mcpServers: [] })).rejects.toThrow(
      `There is no session ${id}.`,
    );
  });

  it('shows the list of things to do as a plan, while it works and when it is loaded again', async () => {
    const todo = (...items: [string, string][]) => ({
      calls: [{ name: 'todo', arguments: { items: items.map(([text, state]) => ({ text, state })) } }],
    });
    const { editor, machine } = await acpStage({
      answers: [
        todo(['Look', 'active'], ['Mend', 'open']),
        todo(['Look', 'done'], ['Mend', 'active']),
        { text: 'Half done.' },
      ],
    });
    const first = await editor();
    const sessionId = await first.begin();
    await first.prompt(sessionId, 'Mend it, with a list');
    const plan = (look: string, mend: string) => ({
      sessionUpdate: 'plan',
      entries: [
        { content: 'Look', priority: 'medium', status: look },
        { content: 'Mend', priority: 'medium', status: mend },
      ],
    });
    expect(first.of('plan')).toEqual([plan('in_progress', 'pending'), plan('completed', 'in_progress')]);
    await first.end();

    const again = await editor();
    await again.request('session/load', { sessionId, cwd: machine.workspace, mcpServers: [] });
    expect(again.updates.at(-1)).toEqual(plan('completed', 'in_progress'));
  });

  it('shows the output of a command while it runs, and ends it when the prompt is cancelled', async () => {
    const { editor, left } = await acpStage({
      answers: [{ calls: [shell('echo one; sleep 300; echo two')] }, { text: 'never asked for' }],
    });
    const open = await editor({ args: ['--approval-mode', 'yolo'] });
    const id = await open.begin();
    const prompt = open.prompt(id, 'run it');
    await open.seen((update) => JSON.stringify(update).includes('```\\none'));
    expect(left().some((command) => command.includes('sleep 300'))).toBe(isLinux);
    await open.connection.agent.notify('session/cancel', { sessionId: id });
    expect(await prompt).toBe('cancelled');
    expect(left().filter((command) => command.includes('sleep 300'))).toEqual([]);
    expect(open.of('tool_call_update').at(-1)?.status).toBe('failed');
  });

  it('works on two folders at once, and refuses a second prompt in one of them', async () => {
    const { editor, machine } = await acpStage({ otherwise: { text: 'partly', afterwards: 'silence' } });
    const other = await acpStage();
    const open = await editor();
    const [one, two] = [await open.begin(), await open.begin({ cwd: other.machine.workspace })];
    const prompts = [open.prompt(one, 'hi'), open.prompt(two, 'hi')];
    await open.seen(() => open.of('agent_message_chunk').length === 2);
    await expect(open.prompt(one, 'more')).rejects.toThrow('This session is already working on a prompt.');
    for (const sessionId of [one, two]) await open.connection.agent.notify('session/cancel', { sessionId });
    expect(await Promise.all(prompts)).toEqual(['cancelled', 'cancelled']);
    expect(existsSync(machine.workspace)).toBe(true);
  });

  it('performs slash commands without the model', async () => {
    const { editor, machine, model } = await acpStage({
      answers: [{ calls: [write('b.txt', '1\n')] }, { text: 'Done.' }],
    });
    const open = await editor({ permission: choose('allow_once') });
    const id = await open.begin();
    await open.prompt(id, 'write');
    expect(existsSync(join(machine.workspace, 'b.txt'))).toBe(true);
    open.answer(choose('allow_once'));
    expect(await open.prompt(id, '/undo')).toBe('end_turn');
    expect(open.asked.at(-1)?.toolCall.title).toBe('Undo which change?');
    expect(existsSync(join(machine.workspace, 'b.txt'))).toBe(false);
    await open.prompt(id, '/stats');
    expect(open.text()).toContain('Tool calls  1');
    await open.prompt(id, '/unod');
    expect(open.text()).toContain('There is no /unod. Did you mean /undo?');
    await open.prompt(id, '/clear');
    expect(open.text()).toContain('/clear is for the terminal.');
    expect(model.requests).toHaveLength(2);
  });

  it('performs commands of the user, which are prompts', async () => {
    const { editor, machine, model } = await acpStage({ otherwise: { text: 'Done.' } });
    machine.write('../home/.toolwright/commands/tidy.md', 'Tidy up $ARGUMENTS, please.');
    const open = await editor();
    await open.prompt(await open.begin(), '/tidy src');
    expect(JSON.stringify(model.requests[0]?.body)).toContain('Tidy up src, please.');
  });

  it.runIf(isConfined)(
    'works apart, shows what waits as a plan, and keeps it after a review with diffs',
    async () => {
      const { editor, machine } = await acpStage({
        answers: [{ calls: [write('b.txt', '1\n')] }, { text: 'Done.' }],
      });
      const path = join(machine.workspace, 'b.txt');
      const open = await editor({ args: ['--apart'], permission: choose('allow_once', 'keep all') });
      const id = await open.begin();
      await open.prompt(id, 'write');
      expect(open.asked).toEqual([]);
      expect(existsSync(path)).toBe(false);
      expect(open.of('plan').at(-1)?.entries).toMatchObject([
        { content: expect.stringContaining('Review b.txt (create, +1 -0)'), status: 'pending' },
      ]);
      await expect(open.request('session/delete', { sessionId: id })).rejects.toThrow(
        /changes that wait for a review/,
      );

      await open.request('session/resume', { sessionId: id, cwd: machine.workspace, mcpServers: [] });
      await open.prompt(id, '/review');
      const [{ toolCall, options }] = open.asked as [(typeof open.asked)[0]];
      expect(toolCall.content).toContainEqual({ type: 'diff', path, oldText: null, newText: '1\n' });
      expect(options.map(({ kind, name }) => `${kind}: ${name}`)).toEqual([
        'allow_once: keep all changes',
        'allow_once: choose which to keep, file by file',
        'allow_once: drop all changes for good',
        'reject_once: keep working: the changes stay apart',
      ]);
      expect(readFileSync(path, 'utf8')).toBe('1\n');
    },
  );

  it.runIf(isConfined)(
    'is offered with the first question to work apart, and asks no more about files',
    async () => {
      const { editor, machine } = await acpStage({
        answers: [{ calls: [write('b.txt', '1\n')] }, { calls: [write('c.txt', '2\n')] }, { text: 'Done.' }],
      });
      const open = await editor({ permission: choose('allow_once', 'work apart from here on') });
      await open.prompt(await open.begin(), 'write both');
      expect(open.asked).toHaveLength(1);
      expect(['b.txt', 'c.txt'].filter((name) => existsSync(join(machine.workspace, name)))).toEqual([]);
      const diffs = open.of('tool_call_update').flatMap(({ content }) => content ?? []);
      expect(diffs).toContainEqual({
        type: 'diff',
        path: join(machine.workspace, 'c.txt'),
        oldText: null,
        newText: '2\n',
      });
      expect(
        open
          .of('plan')
          .at(-1)
          ?.entries.map(({ content }) => content.split(':')[0]),
      ).toEqual(['Review b.txt (create, +1 -0)', 'Review c.txt (create, +1 -0)']);
    },
  );

  it('asks by a permission request whether a folder is trusted, and its settings count after a yes', async () => {
    const files = { '.toolwright/settings.json': '{"permissions": {"deny": ["Edit(b.txt)"]}}' };
    const { editor, machine, model } = await acpStage(
      { answers: [{ calls: [write('b.txt', '1\n')] }, { text: 'Denied.' }] },
      files,
    );
    const open = await editor({ permission: choose('allow_once') });
    const id = await open.begin();
    await open.prompt(id, 'write');
    expect(open.asked).toHaveLength(1);
    expect(open.asked[0]?.toolCall.title).toBe(`Do you trust ${machine.workspace}?`);
    expect(JSON.stringify(open.asked[0]?.toolCall.content)).toContain('.toolwright/settings.json');
    expect(JSON.stringify(model.requests[1]?.body)).toContain('Edit(b.txt)');
    expect(existsSync(join(machine.workspace, 'b.txt'))).toBe(false);
    // The answer is kept.
    const again = await editor();
    await again.prompt(await again.begin(), '/stats');
    expect(again.asked).toEqual([]);
  });

  it('takes MCP servers along: confined like any other, and asked about', async () => {
    const { editor, left } = await acpStage({
      answers: [{ calls: [{ name: 'My-Notes__read_graph', arguments: {} }] }, { text: 'Read.' }],
    });
    const { command, args } = server.memory;
    const open = await editor({ permission: choose('allow_once', 'yes, this once') });
    const bad = { type: 'http' as const, name: 'bad', url: 'no address', headers: [] };
    const id = await open.begin({ mcpServers: [{ name: 'My Notes', command, args, env: [] }, bad] });
    await open.prompt(id, 'Use My-Notes');
    expect(open.asked[0]?.options.map(({ name }) => name)).toContain(
      'yes, and allow read_graph of the MCP server My-Notes for this session: rule Mcp(My-Notes/read_graph)',
    );
    expect(open.of('tool_call_update').at(-1)).toMatchObject({ status: 'completed' });
    expect(open.text()).toContain('the server "bad"');
    if (isConfined)
      expect(
        left()
          .filter((each) => each.includes('server-memory'))
          .join(),
      ).toContain('bwrap');
  });

  it('does not offer what a server of the editor has changed since it was first seen', async () => {
    const { editor, machine, model } = await acpStage({ otherwise: { text: 'Hello.' } });
    const { command, args } = server.misbehaving('crash', join(machine.home, 'calls')) as Stdio;
    const mcpServers = (annotations: object) => [
      { name: 'notes', command, args, env: [{ name: 'ANNOTATIONS', value: JSON.stringify(annotations) }] },
    ];
    const declared = (): string => JSON.stringify(model.requests.at(-1)?.body['tools']);

    const first = await editor();
    await first.prompt(await first.begin({ mcpServers: mcpServers({}) }), 'Use notes');
    expect(declared()).toContain('notes__add');
    await first.end();

    const second = await editor();
    const id = await second.begin({ mcpServers: mcpServers({ readOnlyHint: true }) });
    await second.prompt(id, '/mcp notes');
    await second.prompt(id, 'Use notes');
    expect(declared()).not.toContain('notes__add');
    expect(second.text()).toContain(
      '1 tool that you have not accepted: add (changed). They stay off until: /mcp accept notes',
    );
    second.answer(choose('allow_once'));
    await second.prompt(id, '/mcp accept notes');
    await second.prompt(id, 'Use notes');
    expect(declared()).toContain('notes__add');
  });
});
