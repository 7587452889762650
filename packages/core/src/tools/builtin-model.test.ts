import { join } from 'node:path';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Agent, createAgent } from '../create-agent.js';
import { toolboxOfAgent } from '../create-subagents.js';
import type { CreateAgentOptions } from '../options/agent-options.js';
import { type FakeModelServer, startFakeModelServer } from '../testing/fake-model-server.js';
import { defineTool } from './own/define-tool.js';

let temp: TempWorkspace;
let server: FakeModelServer;
let agent: Agent;
beforeEach(async () => {
  temp = createTempWorkspace({ content: { 'a.txt': 'alpha\n' } });
  server = await startFakeModelServer({ otherwise: { text: 'Done.' } });
});
afterEach(async () => {
  await agent.close();
  await server.close();
  await temp.cleanup();
});

const settings = (model: string) =>
  ({ provider: 'openai', model, baseUrl: server.baseUrls.openai, apiKey: 'none' }) as const;

async function begin(model: string, more: Partial<CreateAgentOptions> = {}): Promise<void> {
  agent = await createAgent({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    languages: { enabled: false },
    model: settings(model),
    ...more,
  });
}

/** The tools for changing text, and the program's own ones, as the next prompt declares them. */
async function offered(prompt = 'hi'): Promise<string[]> {
  await agent.prompt(prompt);
  const { tools } = server.requests.at(-1)!.body as {
    tools: { function: { name: string; description: string } }[];
  };
  return tools
    .map(({ function: { name, description } }) => (description === 'Own.' ? `own ${name}` : name))
    .filter((name) => /^own |^(?:edit|apply_patch|todo)$/.test(name));
}

const own = (name: string) =>
  defineTool({
    apiVersion: 1,
    name,
    description: 'Own.',
    parameters: { type: 'object' },
    effects: () => [],
    run: () => 'ran',
  });

it('a model that another one follows in a conversation has the tools of its own family', async () => {
  await begin('claude-x');
  expect(await offered()).toEqual(['edit', 'todo']);
  await agent.useModel(settings('gpt-5.2'));
  expect(await offered()).toEqual(['todo', 'apply_patch']);
  await agent.useModel(settings('gpt-4o'));
  expect(await offered()).toEqual(['todo', 'edit']);
});

it('a model has one tool for changing text, also after settings left it out and brought it back', async () => {
  await begin('claude-x');
  await agent.adopt({ excludeTools: ['edit'] });
  await agent.adopt({});
  await agent.useModel(settings('gpt-5.2'));
  expect(await offered()).toEqual(['apply_patch', 'todo']);
  await agent.adopt({ excludeTools: ['apply_patch'] });
  expect(await offered()).toEqual(['todo']);
  await agent.useModel(settings('claude-x'));
  expect(await offered()).toEqual(['todo', 'edit']);
  await agent.adopt({});
  expect(await offered()).toEqual(['todo', 'edit']);
});

it('a tool of the embedding program keeps its name, whatever the model would have by it', async () => {
  await begin('gpt-5.2', { tools: [own('edit')] });
  expect(await offered()).toEqual(['apply_patch', 'own edit', 'todo']);
  await agent.useModel(settings('claude-x'));
  expect(await offered()).toEqual(['own edit', 'todo']);
  await agent.useModel(settings('gpt-5.2'));
  expect(await offered()).toEqual(['own edit', 'todo', 'apply_patch']);
});

it('a tool of the program keeps its name when settings no longer leave out the built-in one', async () => {
  await begin('claude-x', { tools: [own('edit')], excludeTools: ['edit', 'glob'] });
  await agent.adopt({});
  expect(await offered()).toEqual(['own edit', 'todo']);
  expect(agent.registry.getTool('glob')).toBeDefined();
});

it('a subagent that works apart has the tools that the conversation has by then', async () => {
  const tools = [own('edit')];
  await begin('gpt-5.2', { tools });
  await agent.useModel(settings('claude-x'));
  await agent.adopt({ excludeTools: ['glob', 'web_fetch'] });
  await offered();
  const names = ({ registry }: Pick<Agent, 'registry'>) => registry.getAllTools().map(({ name }) => name);
  const ofAgent = await toolboxOfAgent(agent, {
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    modelName: { provider: 'openai', model: 'claude-x' },
    tools,
  });
  try {
    expect(names(ofAgent)).toEqual(names(agent).filter((name) => name !== 'todo'));
    expect(names(ofAgent)).not.toContain('glob');
  } finally {
    await ofAgent.close();
  }
});
