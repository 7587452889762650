import { textOf } from '@toolwright/machine/base/content.js';
import { afterAll, describe, expect, it } from 'vitest';
import type { McpConnection, McpElicitRequest, McpSampleRequest } from '../contract/connection.js';
import type { McpNeeds } from '../contract/needs.js';
import { createMcpBench, never } from '../fixtures/mcp-bench.js';

const bench = createMcpBench();
afterAll(() => bench.close());

const ask = async (server: McpConnection, tool: string) =>
  textOf((await server.callTool(tool, {}, { signal: never })).parts);
const open = (needs: Partial<McpNeeds> = {}) => bench.openFile('asking', [], { needs });

describe('a server that asks', () => {
  it('learns only of what can be answered here', async () => {
    expect(await ask(await open(), 'capabilities')).toBe('["roots"]');
    const both = { onElicit: async () => ({ action: 'cancel' as const }), onSample: async () => null };
    expect(await ask(await open(both), 'capabilities')).toBe('["elicitation","roots","sampling"]');
  });

  it('gets the roots', async () => {
    const server = await open();
    expect(await ask(server, 'roots')).toBe(
      JSON.stringify({ roots: [{ uri: `file://${bench.directory}`, name: 'bench' }] }),
    );
  });

  it('gets the answer of the user, who sees no hidden characters', async () => {
    const asked: McpElicitRequest[] = [];
    const server = await open({
      async onElicit(request) {
        asked.push(request);
        return { action: 'accept', content: { count: 3 } };
      },
    });
    expect(JSON.parse(await ask(server, 'form'))).toEqual({ action: 'accept', content: { count: 3 } });
    expect(asked).toMatchObject([{ kind: 'form', server: 'asking', message: 'How many?' }]);
  });

  it('can not bury the user under questions', async () => {
    const answers: (() => void)[] = [];
    const server = await open({
      onElicit: () => new Promise((resolve) => answers.push(() => resolve({ action: 'decline' }))),
    });
    const flood = ask(server, 'flood');
    await expect.poll(() => answers).toHaveLength(3);
    for (const answer of answers) answer();
    const refused = 'Too many questions at once: wait for the answers first.';
    expect(JSON.parse(await flood)).toEqual([...Array(3).fill('answered'), ...Array(5).fill(refused)]);
  });

  it('gets an answer of the model within its budget', async () => {
    const sampled: McpSampleRequest[] = [];
    const server = await open({
      samplingBudget: { requests: 1, tokens: 60, tokensPerRequest: 50 },
      async onSample(request) {
        sampled.push(request);
        return { text: 'Hello.', model: 'test' };
      },
    });
    expect(JSON.parse(await ask(server, 'sample'))).toMatchObject({ content: { text: 'Hello.' } });
    expect(sampled).toMatchObject([
      {
        messages: [{ role: 'user', parts: [{ text: 'Hello?' }] }],
        maxTokens: 50,
        left: { requests: 0, tokens: 10 },
      },
    ]);
    expect(await ask(server, 'sample')).toContain('The sampling budget is used up');
    expect(sampled).toHaveLength(1);
  });

  it.each([
    ['accept', 'welcome'],
    ['decline', 'visit first'],
  ] as const)('for a visit to an address: with "%s" the call gives %s', async (action, expected) => {
    const asked: McpElicitRequest[] = [];
    const server = await open({
      async onElicit(request) {
        asked.push(request);
        return { action };
      },
    });
    const said = await ask(server, 'address').catch((error: Error) => error.message);
    expect(said).toContain(expected);
    expect(asked).toEqual([
      { kind: 'url', server: 'asking', message: 'Sign the form', url: 'https://sign.example/form' },
    ]);
  });

  it('is heard when it logs', async () => {
    const server = await open();
    await ask(server, 'log');
    await expect.poll(() => server.stderrTail()).toContain('asking: level info');
    expect(bench.logged.filter((line) => line.server === 'asking')).toEqual([
      { server: 'asking', level: 'warning', text: 'disk: almost full' },
      { server: 'asking', level: 'info', text: '{"free":3}' },
    ]);
  });
});
