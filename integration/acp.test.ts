import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { acpStage, choose } from './acp/stage.js';

const edit = (path: string, old_string: string, new_string: string) => ({
  name: 'edit',
  arguments: { file_path: path, old_string, new_string },
});
const read = (path: string) => ({ name: 'read_file', arguments: { absolute_path: path } });
const write = (path: string, content: string) => ({
  name: 'write_file',
  arguments: { file_path: path, content },
});

describe('an editor', () => {
  it('introduces itself, begins a session and is answered in pieces, with thinking and usage', async () => {
    const usage = { inputTokens: 100, outputTokens: 5 };
    const { editor, machine, model } = await acpStage({
      answers: [{ thinking: 'hm', text: ['Hello', ' there'], usage }],
    });
    machine.write('../home/.toolwright/settings.json', '{"model": {"contextWindow": 10000}}');
    machine.write('../home/.toolwright/commands/look.md', '---\nargument-hint: FOLDER\n---\nLook at $1.\n');
    const open = await editor();
    const introduced = await open.request('initialize', { protocolVersion: 1 });
    const manifest = new URL('../packages/cli/package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
    expect(introduced).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'toolwright', version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {} },
      },
    });
    const id = await open.begin();
    expect(await open.prompt(id, 'hi')).toBe('end_turn');
    expect(open.text()).toBe('Hello there');
    expect(model.requests).toHaveLength(1);
    expect(open.of('agent_thought_chunk').map(({ content }) => content)).toEqual([
      { type: 'text', text: 'hm' },
    ]);
    expect(open.of('usage_update')).toMatchObject([{ used: 105, size: 10_000 }]);
    expect(open.of('session_info_update')).toMatchObject([{ title: 'hi' }]);
    await open.seen(({ sessionUpdate }) => sessionUpdate === 'available_commands_update');
    const commands = open.of('available_commands_update')[0]?.availableCommands ?? [];
    const names = commands.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['undo', 'review', 'apart', 'mcp']));
    expect(commands.at(-1)).toEqual({ name: 'look', description: 'Look at $1.', input: { hint: 'FOLDER' } });
    expect(await open.end()).toBe(0);
    expect(open.stderr()).toBe('');
  });

  it('sees a call with its place, is asked with a diff and each rule, and a yes changes the file', async () => {
    const { editor, machine } = await acpStage({
      answers: [{ calls: [read('a.txt')] }, { calls: [edit('a.txt', 'alpha', 'beta')] }, { text: 'Done.' }],
    });
    const path = join(machine.workspace, 'a.txt');
    const open = await editor({ permission: choose('allow_once') });
    const id = await open.begin();
    expect(await open.prompt(id, 'change it')).toBe('end_turn');
    expect(readFileSync(path, 'utf8')).toBe('beta\n');
    expect(open.of('tool_call').map(({ kind, name, locations }) => ({ kind, name, locations }))).toEqual([
      { kind: 'read', name: 'read_file', locations: [{ path }] },
      { kind: 'edit', name: 'edit', locations: [{ path }] },
    ]);
    const [{ toolCall, options }] = open.asked as [(typeof open.asked)[0]];
    const diff = { type: 'diff', path, oldText: 'alpha\n', newText: 'beta\n' };
    expect(toolCall.content).toContainEqual(diff);
    expect(options.map(({ kind, name }) => `${kind}: ${name}`)).toEqual([
      'allow_once: yes, this once',
      'allow_always: yes, and allow changes to a.txt for this session: rule Edit(a.txt)',
      'allow_always: yes, and allow changes to a.txt, saved for this workspace: rule Edit(a.txt)',
      'allow_always: yes, and allow every call of edit for this session: rule edit',
      'allow_always: yes, and allow every call of edit, saved for this workspace: rule edit',
      'allow_once: yes, and work apart from here on: no more questions about files, one review at the end',
      'reject_once: no',
      'reject_always: no, and deny changes to a.txt for this session: rule Edit(a.txt)',
    ]);
    const last = open.of('tool_call_update').at(-1);
    expect(last).toMatchObject({ status: 'completed', content: [diff], locations: [{ path, line: 1 }] });
  });

  it('can allow for the session, and refuse for it: then nothing is asked again', async () => {
    const { editor, machine, model } = await acpStage({
      answers: [
        { calls: [write('b.txt', '1\n')] },
        { calls: [write('b.txt', '2\n')] },
        { calls: [write('c.txt', '1\n')] },
        { calls: [write('c.txt', '2\n')] },
        { text: 'Done.' },
      ],
    });
    const open = await editor({
      permission: (request) =>
        choose(request.toolCall.title?.includes('b.txt') ? 'allow_always' : 'reject_always')(request),
    });
    await open.prompt(await open.begin(), 'write');
    expect(open.asked).toHaveLength(2);
    expect(readFileSync(join(machine.workspace, 'b.txt'), 'utf8')).toBe('2\n');
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain(
      'the rule Edit(c.txt) (your no for this session)',
    );
    expect(open.of('tool_call_update').filter(({ status }) => status === 'failed')).toHaveLength(2);
  });

  it('is never offered a lasting yes for a protected file', async () => {
    const { editor } = await acpStage({ answers: [{ calls: [write('.npmrc', 'a=b\n')] }, { text: 'No.' }] });
    const open = await editor();
    await open.prompt(await open.begin(), 'write');
    expect(open.asked[0]?.options.map(({ kind }) => kind)).toEqual([
      'allow_once',
      'reject_once',
      'reject_always',
    ]);
  });

  it('rewrites a proposal where it has forms', async () => {
    const { editor, machine } = await acpStage({
      answers: [{ calls: [write('b.txt', 'draft\n')] }, { text: 'Done.' }],
    });
    const open = await editor({
      capabilities: { elicitation: { form: {} } },
      permission: (request) =>
        choose(
          'allow_once',
          open.asked.length === 1 ? 'change the proposed content' : 'yes, this once',
        )(request),
      elicit: ({ requestedSchema }: { requestedSchema?: unknown } & object) => {
        expect(JSON.stringify(requestedSchema)).toContain('"default":"draft\\n"');
        return { action: 'accept', content: { text: 'mine\n' } };
      },
    });
    await open.prompt(await open.begin(), 'write');
    expect(open.asked).toHaveLength(2);
    expect(readFileSync(join(machine.workspace, 'b.txt'), 'utf8')).toBe('mine\n');
  });

  it('gives images, links and files as it shows them; one that is not saved is not changed', async () => {
    const { editor, machine, model } = await acpStage({
      answers: [
        { calls: [edit('a.txt', 'alpha', 'beta')] },
        { text: 'It is not saved.' },
        { calls: [edit('a.txt', 'alpha', 'beta')] },
        { text: 'Done.' },
      ],
    });
    const path = join(machine.workspace, 'a.txt');
    const uri = pathToFileURL(path).href;
    const open = await editor({ permission: choose('allow_once') });
    const id = await open.begin();
    const data =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
    await open.prompt(id, [
      { type: 'text', text: 'Look at ' },
      { type: 'resource', resource: { uri, text: 'alpha\nmine\n' } },
      { type: 'text', text: ' and ' },
      { type: 'resource_link', name: 'b.txt', uri: `${uri.slice(0, -5)}b.txt` },
      { type: 'image', mimeType: 'image/png', data },
      { type: 'audio', mimeType: 'audio/wav', data },
    ]);
    const first = JSON.stringify(model.requests[0]?.body);
    expect(first).toContain(`Look at ${path} and ${join(machine.workspace, 'b.txt')}`);
    expect(first).toContain('with changes that are not saved yet]\\nalpha\\nmine\\n');
    expect(first).toContain(data);
    expect(open.text()).toContain('An attachment of the type audio/wav was left out');
    expect(JSON.stringify(model.requests[1]?.body)).toContain("is open in the user's editor with changes");
    expect(readFileSync(path, 'utf8')).toBe('alpha\n');
    expect(open.asked).toEqual([]);

    writeFileSync(path, 'alpha\nmine\n');
    await open.prompt(id, [{ type: 'text', text: 'Saved.' }]);
    expect(readFileSync(path, 'utf8')).toBe('beta\nmine\n');
  });

  it('changes the mode; plan keeps every file as it is', async () => {
    const { editor, model } = await acpStage({
      answers: [{ calls: [write('b.txt', '1\n')] }, { text: 'Planned.' }],
    });
    const open = await editor();
    const { sessionId, modes, configOptions } = await open.request('session/new', {
      cwd: (await acpStage()).machine.workspace,
      mcpServers: [],
    });
    expect(modes?.currentModeId).toBe('default');
    expect(configOptions?.map(({ id, category }) => [id, category])).toEqual(
      expect.arrayContaining([
        ['mode', 'mode'],
        ['model', 'model'],
      ]),
    );
    await open.request('session/set_mode', { sessionId, modeId: 'yolo' });
    const set = await open.request('session/set_config_option', {
      sessionId,
      configId: 'mode',
      value: 'plan',
    });
    expect(set.configOptions[0]).toMatchObject({ id: 'mode', currentValue: 'plan' });
    expect(open.of('current_mode_update').map(({ currentModeId }) => currentModeId)).toEqual([
      'yolo',
      'plan',
    ]);
    await open.prompt(sessionId, 'write');
    expect(open.asked).toEqual([]);
    expect(JSON.stringify(model.requests[1]?.body)).toContain('plan mode');
    await expect(open.request('session/set_mode', { sessionId, modeId: 'wild' })).rejects.toThrow(
      'There is no mode "wild". The modes are plan, default, auto-edit, yolo.',
    );
  });

  it('chooses among the models that the server lists, and how long they think', async () => {
    const { editor, model } = await acpStage({ models: ['small', 'large'], otherwise: { text: 'Hello.' } });
    const open = await editor();
    const sessionId = await open.begin();
    await open.seen((update) => JSON.stringify(update).includes('"large"'));
    const set = (configId: string, value: string) =>
      open.request('session/set_config_option', { sessionId, configId, value });
    await set('model', 'large');
    const { configOptions } = await set('effort', 'high');
    expect(configOptions.map(({ id, currentValue }) => [id, currentValue])).toEqual([
      ['mode', 'default'],
      ['model', 'large'],
      ['effort', 'high'],
    ]);
    await open.prompt(sessionId, 'hi');
    expect(model.requests[0]?.body).toMatchObject({ model: 'large', reasoning_effort: 'high' });
    await expect(set('model', 'huge')).rejects.toThrow('Model can\'t be "huge".');
    await expect(set('colour', 'red')).rejects.toThrow(
      'There is no option colour. The options are mode, model, effort.',
    );
  });

  it('is told what went wrong, in a sentence', async () => {
    const { editor } = await acpStage({
      otherwise: { status: 401, body: { error: { message: 'bad key' } } },
    });
    const open = await editor();
    const id = await open.begin();
    await expect(open.prompt(id, 'hi')).rejects.toThrow(/key/);
    await expect(open.begin({ cwd: 'relative' })).rejects.toThrow('"relative" is not an absolute path.');
    await expect(open.begin({ cwd: '/no/such/folder' })).rejects.toThrow(/no\/such\/folder/);
    await expect(open.prompt('gone', 'hi')).rejects.toThrow('The session gone is not open.');
  });
});
