import { join } from 'node:path';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import { createAgent } from '../create-agent.js';
import { startFakeModelServer } from '../testing/fake-model-server.js';

it('a model that another one follows in a conversation has the tools of its own family', async () => {
  const temp = createTempWorkspace({ content: { 'a.txt': 'alpha\n' } });
  const server = await startFakeModelServer({ otherwise: { text: 'Done.' } });
  const settings = (model: string) =>
    ({ provider: 'openai', model, baseUrl: server.baseUrls.openai, apiKey: 'none' }) as const;
  const agent = await createAgent({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    languages: { enabled: false },
    model: settings('claude-x'),
  });
  const offered = async (): Promise<string[]> => {
    await agent.prompt('hi');
    const { tools } = server.requests.at(-1)!.body as { tools: { function: { name: string } }[] };
    const names = tools.map(({ function: { name } }) => name);
    return names.filter((name) => ['edit', 'apply_patch'].includes(name));
  };
  try {
    expect(await offered()).toEqual(['edit']);
    await agent.useModel(settings('gpt-5.2'));
    expect(await offered()).toEqual(['apply_patch']);
    await agent.useModel(settings('gpt-4o'));
    expect(await offered()).toEqual(['edit']);
  } finally {
    await agent.close();
    await server.close();
    await temp.cleanup();
  }
});
