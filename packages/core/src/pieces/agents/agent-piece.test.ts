import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findAgents } from './agent-piece.js';

async function read(files: Record<string, string>) {
  const path = mkdtempSync(join(tmpdir(), 'toolwright-agents-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  mkdirSync(path, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  const { agents, problems } = await findAgents([{ path, shown: '~/agents' }]);
  return { agents: agents.slice(2), problems };
}

const withFields = (...fields: string[]): string =>
  ['---', 'description: Looks.', ...fields, '---', 'Look.'].join('\n');

it.each([
  ['', undefined],
  ['tools:', undefined],
  ['tools: "*"', undefined],
  ['tools: []', []],
  ['tools: Read, Grep', ['Read', 'Grep']],
])('an agent with %j has the tools %j', async (field, tools) => {
  const { agents } = await read({ 'a.md': withFields(field) });
  expect(agents[0]?.tools).toEqual(tools);
});

it('an agent may have a limit of turns of its own', async () => {
  const { agents, problems } = await read({
    'a.md': withFields('maxTurns: 3'),
    'b.md': withFields('maxTurns: many'),
  });
  expect(agents.map(({ maxTurns }) => maxTurns)).toEqual([3]);
  expect(problems).toMatchObject([{ line: 3, problem: 'maxTurns must be a whole number above 0' }]);
});

it('fields of an agent that have no effect here are known by name', async () => {
  const { agents } = await read({ 'a.md': withFields('color: red', 'hooks:', 'mcpServers: [docs]') });
  expect(agents[0]?.withoutEffect).toEqual(['hooks', 'mcpServers']);
});

it('agents beyond the limit of a folder are told', async () => {
  const files = Array.from({ length: 502 }, (_, number) => [`a${number}.md`, withFields()]);
  const { agents, problems } = await read(Object.fromEntries(files) as Record<string, string>);
  expect(agents).toHaveLength(500);
  expect(problems.map(({ problem }) => problem)).toEqual([
    '2 of its 502 agents are not read: 500 is the limit',
  ]);
});
