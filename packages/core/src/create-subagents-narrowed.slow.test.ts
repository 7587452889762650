import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Agent, createAgent } from './create-agent.js';
import type { ModelClient, ModelEvent, RawCall } from './model/model.js';

let temp: TempWorkspace;
let agent: Agent;
beforeEach(() => {
  temp = createTempWorkspace({ content: { 'a.txt': 'one\n', 'docs/a.md': 'one\n' } });
});
afterEach(async () => {
  await agent.close();
  await temp.cleanup();
});

type Call = Omit<RawCall, 'id'>;

/** The conversation gives work to the agent, which makes these calls at once and then reports. */
function working(calls: readonly Call[]): ModelClient {
  return {
    provider: 'scripted',
    model: 'scripted',
    async *stream({ system = '', messages }): AsyncGenerator<ModelEvent> {
      const isAgent = system.includes('You are the subagent');
      const made = messages.length > 1 ? [] : isAgent ? calls : [{ name: 'agent', arguments: work }];
      const named = made.map((call, index) => ({ ...call, id: `c${index}` }));
      for (const call of named) yield { type: 'call', call };
      const parts = named.map(({ id, name, arguments: args }) => ({
        functionCall: { id, name, args: args as Record<string, unknown> },
      }));
      if (named.length === 0) yield { type: 'text-delta', text: 'done' };
      yield {
        type: 'finish',
        reason: named.length === 0 ? 'stop' : ('tool-calls' as never),
        parts: named.length === 0 ? [{ text: 'done' }] : parts,
      };
    },
  };
}

const work = { agent: 'narrow', task: 'go' };

/** The errors of the agent's calls, `ran` where there was none; and what the user was told meanwhile. */
async function tried(tools: string, calls: readonly Call[]) {
  const folder = join(temp.outside, 'agents');
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'narrow.md'),
    `---\nname: narrow\ndescription: x\ntools: ${tools}\n---\nWork.\n`,
  );
  let told = '';
  agent = await createAgent({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    model: working(calls),
    approvalMode: 'yolo',
    pieces: { agents: [{ path: folder, shown: '~/agents' }] },
    onEvent(event) {
      if (event.type === 'call-update') told += event.delta;
    },
  });
  await agent.prompt('use subagents');
  const entries = readFileSync(agent.session.journalPath, 'utf8').trim().split('\n');
  const ends = entries
    .map((line) => JSON.parse(line) as { type: string; tool: string; error?: { message: string } })
    .filter(({ type, tool }) => type === 'call-end' && tool !== 'agent');
  // They ended in an order of their own.
  return { errors: ends.map(({ error }) => error?.message ?? 'ran').sort(), told };
}

const run = (command: string, more: object = {}): Call => ({
  name: 'run_shell_command',
  arguments: { command, ...more },
});
const write = (file_path: string): Call => ({
  name: 'write_file',
  arguments: { file_path, content: 'new\n' },
});

it('an agent whose file gives it some commands runs those, and no others, whatever the mode allows', async () => {
  const { errors } = await tried('Bash(git:*), Bash(wc:*)', [
    run('git status --short && git diff'),
    run('wc -l a.md', { directory: 'docs' }),
    run('git status; rm a.txt'),
    run('cat a.txt'),
    run('git log > docs/a.md'),
    write('b.txt'),
  ]);
  const beyond = (what: string): string =>
    `Denied: this agent is limited to Shell(git) and Shell(wc) (~/agents/narrow.md), which does not cover ${what}. Do not try to get around this; find another way or tell the user.`;
  expect(errors).toEqual([
    beyond('running cat a.txt'),
    beyond('running git status; rm a.txt'),
    beyond('writing docs/a.md'),
    expect.stringContaining('There is no tool called "write_file"'),
    'ran',
    'ran',
  ]);
  expect(temp.read('a.txt')).toBe('one\n');
});

it('an agent whose file gives it some files changes those alone', async () => {
  const { errors } = await tried('Write(docs/**), Read', [write('docs/new.md'), write('b.txt')]);
  expect(errors).toEqual([expect.stringContaining('limited to Edit(docs/**)'), 'ran']);
  expect(temp.tree()).toMatchObject({ 'docs/new.md': 'new\n' });
  expect(temp.tree()).not.toHaveProperty(['b.txt']);
});

it('a tool that a file gives by a pattern nobody understands is not given, and the user is told', async () => {
  const { errors, told } = await tried('Bash(git * log), Read', [run('git status')]);
  expect(errors).toEqual([expect.stringContaining('There is no tool called "run_shell_command"')]);
  expect(told).toContain('It works without Bash(git * log): a star inside of a command has no meaning');
});
