import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from './agent/events.js';
import { openAgentIn, type Script, scriptedModel } from './agent/fixtures/scripted-agent.js';
import type { Agent } from './create-agent.js';
import type { ModelRequest } from './model/model.js';
import type { CreateAgentOptions } from './options/agent-options.js';
import type { ConfirmRequest } from './scheduler/call.js';
import { startFakeModelServer } from './testing/fake-model-server.js';

let temp: TempWorkspace;
let agent: Agent;
let events: AgentEvent[];
let asked: ConfirmRequest[];

beforeEach(() => {
  temp = createTempWorkspace({ content: { 'a.txt': 'needle\n' } });
  [events, asked] = [[], []];
});
afterEach(async () => {
  await agent.close();
  await temp.cleanup();
});

const isFirst = ({ messages }: ModelRequest): boolean => messages.length === 1;
const call = (name: string, args: object) => ({ name, arguments: args as Record<string, unknown> });
const give = (name: string, task = 'look') => call('agent', { agent: name, task });
const textsIn = ({ messages }: ModelRequest): string => JSON.stringify(messages.at(-1));

async function open(script: Script, more: Partial<CreateAgentOptions> = {}): Promise<void> {
  agent = await openAgentIn(temp, {
    model: scriptedModel(script),
    onEvent: (event) => events.push(event),
    async confirm(request) {
      asked.push(request);
      return { kind: 'once' };
    },
    ...more,
  });
}

function writeAgent(name: string, text: string): NonNullable<CreateAgentOptions['pieces']> {
  mkdirSync(join(temp.outside, 'agents'), { recursive: true });
  writeFileSync(join(temp.outside, 'agents', `${name}.md`), text);
  return { agents: [{ path: join(temp.outside, 'agents'), shown: '~/agents' }] };
}

describe('the agent tool', () => {
  it('is there only when there is use for it', async () => {
    const offered: boolean[] = [];
    await open((_who, { tools }) => {
      offered.push(tools.some(({ name }) => name === 'agent'));
      return 'ok';
    });
    await agent.prompt('hello');
    await agent.prompt('use subagents for this');
    expect(offered).toEqual([false, true]);
  });

  it('gives work to a context of its own, and brings back the report alone', async () => {
    let seen = '';
    await open((who, request) => {
      if (who === 'explorer') {
        if (!isFirst(request)) return `found it: ${/a\.txt/.exec(textsIn(request))?.[0]}`;
        expect(JSON.stringify(request.messages)).not.toContain('secret of the main context');
        expect(request.tools.map(({ name }) => name).sort()).toEqual(
          ['glob', 'grep_search', 'list_directory', 'read_file', 'read_many_files'].sort(),
        );
        return [call('grep_search', { pattern: 'needle' })];
      }
      if (isFirst(request)) return [give('explorer', 'find needle')];
      seen = textsIn(request);
      return 'done';
    });
    await agent.prompt('secret of the main context @agent-explorer');
    expect(seen).toContain('found it: a.txt');
    expect(seen).not.toContain('needle\\n');
    const shown = events.flatMap((event) => (event.type === 'call-update' ? event.delta : []));
    expect(shown.join('')).toContain('needle');
    expect(events.filter(({ type }) => type === 'call-start')).toHaveLength(1);
    expect(JSON.stringify(agent.messages[0])).toMatch(/The user wants this given to the agent explorer/);
  });

  it('keeps an agent to its tools, whatever it asks for; the question says who asks', async () => {
    const reports: string[] = [];
    const pieces = writeAgent(
      'writer',
      '---\nname: writer\ndescription: Writes.\ntools: Write\npermissionMode: bypassPermissions\n---\nWrite well.',
    );
    await open(
      (who, request) => {
        if (who === 'main') return isFirst(request) ? [give('writer')] : 'done';
        if (isFirst(request))
          return [
            call('run_shell_command', { command: 'id' }),
            call('write_file', { file_path: 'b.txt', content: 'x' }),
          ];
        reports.push(textsIn(request));
        return 'written';
      },
      { pieces },
    );
    await agent.prompt('go');
    expect(reports[0]).toMatch(/There is no tool called \\"run_shell_command\\"/);
    expect(asked.map(({ details }) => details.title).join()).toMatch(/[^,]+\(asked by the agent writer\)$/);
    const journal = await readFile(agent.session.journalPath, 'utf8');
    expect(journal).toMatch(/"type":"call-start"[^\n]*"tool":"write_file"[^\n]*"agent":"writer"/);
  });

  it('keeps what an agent is to do without from it, and gives it patches where the model writes those', async () => {
    const front = (name: string, tools: string) => `---\nname: ${name}\ndescription: x\n${tools}\n---\n`;
    writeAgent('editor', front('editor', 'tools: Read, Edit'));
    const pieces = writeAgent('reader', front('reader', 'disallowedTools: Write, Bash, Agent'));
    const offered: Record<string, string> = {};
    const model = scriptedModel((who, request) => {
      offered[who] = request.tools.map(({ name }) => name).join(' ');
      return who === 'main' && isFirst(request) ? [give('editor'), give('reader')] : 'done';
    });
    await open(() => '', { pieces, model: { ...model, model: 'gpt-5' } });
    await agent.prompt('go');
    expect(offered['editor']).toBe('read_file apply_patch');
    expect(offered['reader']).not.toMatch(/\b(?:write_file|apply_patch|run_shell_command|agent)\b/);
  });

  it('goes two levels deep and no further', async () => {
    const levels: boolean[] = [];
    await open((who, request) => {
      const has = request.tools.some(({ name }) => name === 'agent');
      if (isFirst(request)) levels.push(has);
      return has && isFirst(request) ? [give('general', `level ${levels.length}`)] : `${who} is done`;
    });
    await agent.prompt('use subagents');
    expect(levels).toEqual([true, true, false]);
  });

  it('does not wait for itself where many agents give work to others', async () => {
    const done: string[] = [];
    await open((who, request) => {
      const has = request.tools.some(({ name }) => name === 'agent');
      if (has && isFirst(request))
        return Array.from({ length: who === 'main' ? 8 : 2 }, () => give('general'));
      if (!has) done.push(who);
      return 'done';
    });
    await agent.prompt('use subagents');
    expect(done).toHaveLength(16);
  });

  it('reaches all of three side by side with a cancel, and leaves nothing running', async () => {
    const controller = new AbortController();
    let begun = 0;
    await open(
      (who, request) => {
        if (who === 'main')
          return isFirst(request)
            ? [
                give('general'),
                give('general'),
                call('agent', { agent: 'general', task: 'look', apart: true }),
              ]
            : 'done';
        return [call('run_shell_command', { command: `touch started; sleep 987654`, is_background: false })];
      },
      {
        approvalMode: 'yolo',
        onEvent(event) {
          if (event.type === 'call-start' && event.tool === 'agent') begun += 1;
          if (event.type === 'call-update' && begun === 3)
            setTimeout(() => controller.abort({ kind: 'user' }), 1_500);
        },
      },
    );
    const result = await agent.prompt('use subagents', controller.signal);
    expect(result.reason).toBe('cancelled');
    expect(begun).toBe(3);
    const left: string[] = [];
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (line.includes('987654')) left.push(line);
    }
    const copies = await readdir(join(temp.outside, 'state/apart')).catch(() => []);
    console.log(
      `evidence: three subagents side by side, one of them apart, cancelled: processes left ${left.length}, copies left ${copies.length}`,
    );
    expect([...left, ...copies]).toEqual([]);
  });
});

it('of many agents those that fit a task are found, and the description says how', async () => {
  let pieces = writeAgent('tailor', '---\nname: tailor\ndescription: Sews coats.\n---\n');
  for (let index = 0; index < 40; index++)
    pieces = writeAgent(`a${index}`, `---\nname: a${index}\ndescription: ${'Work. '.repeat(20)}\n---\n`);
  const seen: string[] = [];
  const script: Script = (_who, request) => {
    seen.push(textsIn(request), JSON.stringify(request.tools));
    return isFirst(request) ? [give('?', 'sew a coat')] : 'done';
  };
  await open(script, { pieces });
  await agent.prompt('hello');
  expect(seen[1]).toMatch(/And \d\d more: the agent \? tells which of them fit a task\./);
  expect(seen[2]).toContain('- tailor: Sews coats.');
  expect(seen[2]).not.toContain('- a0:');
});

it('hooks of SubagentStop are told when an agent has ended its work, and which one', async () => {
  const [told, path] = [join(temp.outside, 'told.txt'), join(temp.outside, 'hooks.json')];
  const hooks = [{ matcher: 'explorer', hooks: [{ type: 'command', command: `cat >> '${told}'` }] }];
  writeFileSync(path, JSON.stringify({ hooks: { SubagentStop: hooks } }));
  const script: Script = (who, request) =>
    who === 'main' && isFirst(request) ? [give('explorer'), give('general')] : 'done';
  await open(script, { pieces: { hooks: [{ path, shown: 'hooks.json', format: 'claude', isOwn: true }] } });
  await agent.prompt('use agents');
  expect(JSON.parse(await readFile(told, 'utf8'))).toMatchObject({
    hook_event_name: 'SubagentStop',
    agent_type: 'explorer',
    stop_hook_active: false,
  });
});

it('a broken file is told with its line, and a name is taken once', async () => {
  const pieces = writeAgent('a', '---\nname: a\ndescription: "x\n---\n');
  writeAgent('b', '---\nname: general\ndescription: x\n---\n');
  writeAgent('c', '---\nname: c\n---\n');
  await open(() => 'ok', { pieces });
  const { agents, problems } = await agent.pieces.findAgents();
  expect(agents.map(({ name }) => name)).toEqual(['general', 'explorer']);
  expect(problems.map(({ line, problem }) => `${line} ${problem}`)).toEqual([
    '3 the value of description has a quote or a bracket that is never closed',
    'undefined the name general is taken (built in); rename one of them',
    '1 description is missing: it tells the model what the agent is for',
  ]);
});

it('an agent works with the model that its file names, on the same server', async () => {
  const server = await startFakeModelServer({
    answers: [
      { calls: [{ name: 'agent', arguments: { agent: 'cheap', task: 'look' } }] },
      { text: 'The report.' },
      { text: 'Done.' },
    ],
  });
  const pieces = writeAgent('cheap', '---\ndescription: Looks.\nmodel: small-model\n---\nLook.\n');
  agent = await openAgentIn(temp, {
    environment: { ...process.env, ...server.environment('openai') },
    model: { provider: 'openai', model: 'large-model' },
    pieces,
  });
  await agent.prompt('go');
  const models = server.requests.map(({ body }) => (body as { model: string }).model);
  await server.close();
  expect(models).toEqual(['large-model', 'small-model', 'large-model']);
});

describe('an agent that works apart', () => {
  const merges = (request: ConfirmRequest): boolean => request.details.title?.startsWith('Merge') === true;
  const write = (file_path: string, content: string) => call('write_file', { file_path, content });

  it('changes a copy, and its changes are merged once the user agreed to exactly these', async () => {
    let report = '';
    let atQuestion: string[] = [];
    await open(
      (who, request) => {
        if (who === 'main') {
          if (isFirst(request)) return [call('agent', { agent: 'general', task: 'write', apart: true })];
          report = textsIn(request);
          return 'done';
        }
        return isFirst(request) ? [write('b.txt', 'made apart\n')] : 'I wrote b.txt.';
      },
      {
        async confirm(request) {
          asked.push(request);
          atQuestion = await readdir(temp.directory);
          return { kind: 'once' };
        },
      },
    );
    const result = await agent.prompt('use subagents');
    expect(asked.map(({ details }) => details.title)).toEqual([
      'Merge the work of the agent general: 1 file created',
    ]);
    expect(atQuestion).toEqual(['a.txt']);
    expect(asked[0]!.details).toMatchObject({ kind: 'edit', diff: { files: [{ path: 'b.txt', added: 1 }] } });
    expect(await readFile(join(temp.directory, 'b.txt'), 'utf8')).toBe('made apart\n');
    expect(report).toMatch(/I wrote b\.txt\..*Its changes are in the workspace: 1 file created/);
    expect(result.changes).toHaveLength(1);
    const journal = await readFile(agent.session.journalPath, 'utf8');
    expect(journal).toMatch(/"type":"call-start"[^\n]*"tool":"write_file"[^\n]*"agent":"general"/);
    const changeSets = journal.split('\n').filter((line) => line.includes('"type":"changes"'));
    expect(changeSets).toHaveLength(1);
    expect(await readdir(join(temp.outside, 'state/apart')).catch(() => [])).toEqual([]);
  });

  it('leaves nothing behind after a no', async () => {
    const pieces = writeAgent(
      'writer',
      '---\nname: writer\ndescription: Writes.\nisolation: worktree\n---\nWrite well.',
    );
    await open(
      (who, request) => {
        if (who === 'main') return isFirst(request) ? [give('writer')] : 'done';
        return isFirst(request) ? [write('b.txt', 'x')] : 'written';
      },
      {
        pieces,
        async confirm(request) {
          asked.push(request);
          return { kind: 'cancel' };
        },
      },
    );
    await agent.prompt('go');
    expect(asked.filter(merges)).toHaveLength(1);
    expect(await readdir(temp.directory)).toEqual(['a.txt']);
    expect(await readdir(join(temp.outside, 'state/apart')).catch(() => [])).toEqual([]);
  });

  it('has its work beside that of another, and what both changed in one place waits for a look', async () => {
    const reports: string[] = [];
    await open((who, request) => {
      if (who === 'main') {
        if (isFirst(request))
          return ['one', 'two'].map((task) => call('agent', { agent: 'general', task, apart: true }));
        reports.push(...request.messages.at(-1)!.parts.map((part) => JSON.stringify(part)));
        return 'done';
      }
      const task = request.messages[0]!.parts[0]!.text!;
      return isFirst(request) ? [write(`${task}.txt`, task), write('both.txt', task)] : 'written';
    });
    await agent.prompt('use subagents');
    expect(asked.map(({ details }) => details.title)).toHaveLength(2);
    const one = await readFile(join(temp.directory, 'one.txt'), 'utf8');
    const two = await readFile(join(temp.directory, 'two.txt'), 'utf8');
    expect([one, two]).toEqual(['one', 'two']);
    expect(await readFile(join(temp.directory, 'both.txt'), 'utf8')).toBe('one');
    expect(reports[1]).toMatch(/both\.txt was left out: .*toolwright apart review/);
    expect(await readdir(join(temp.outside, 'state/apart'))).toHaveLength(1);
  });

  it('is no copy of a copy: in a session apart it works where the session does', async () => {
    let said = '';
    await open(
      (who, request) => {
        if (who !== 'main') return 'never';
        if (isFirst(request)) return [call('agent', { agent: 'general', task: 'x', apart: true })];
        said = textsIn(request);
        return 'done';
      },
      { apart: true },
    );
    await agent.prompt('use subagents');
    expect(said).toMatch(/This session works apart already/);
  });
});
