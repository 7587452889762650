import { textOf } from '@toolwright/machine/base/content.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { afterAll, describe, expect, it } from 'vitest';
import type { McpConnection, McpSampleAnswer, McpSampleRequest } from '../contract/connection.js';
import type { McpNeeds } from '../contract/needs.js';
import { createMcpBench, never } from '../fixtures/mcp-bench.js';

const bench = createMcpBench();
afterAll(() => bench.close());

/** A model that wants the weather of a city each time it is asked, for so many times. */
function modelCalling(times: number) {
  const asked: McpSampleRequest[] = [];
  const needs: Partial<McpNeeds> = {
    samplesWithTools: true,
    async onSample(request): Promise<McpSampleAnswer> {
      asked.push(request);
      const call = { id: `call-${asked.length}`, name: 'get.weather', args: { city: 'Bonn' } };
      return asked.length <= times
        ? { text: 'Let me look.', calls: [call], model: 'test' }
        : { text: 'It is sunny.', model: 'test' };
    },
  };
  return { asked, needs };
}

const say = async (server: McpConnection, tool: string) =>
  textOf((await server.callTool(tool, {}, { signal: never })).parts);
const failureOf = async (work: Promise<unknown>) => messageOf(await work.catch((error: unknown) => error));

describe.each(['older', 'newer'] as const)('a server of the %s revision that samples with tools', (era) => {
  const open = (needs: Partial<McpNeeds>) => bench.openFile('sampling-tools', [era], { needs });

  it('learns that it may, exactly where the calls of the model are given back', async () => {
    const { onSample } = modelCalling(0).needs;
    expect(await say(await open({ onSample, samplesWithTools: true }), 'capability')).toBe('{"tools":{}}');
    expect(await say(await open({ onSample }), 'capability')).toBe('{}');
    expect(await say(await open({ samplesWithTools: true }), 'capability')).toBe('null');
  });

  it('gets the calls of the model and gives it their results, until it answers in words', async () => {
    const { asked, needs } = modelCalling(2);
    expect(await say(await open(needs), 'weather')).toBe('It is sunny.');
    expect(asked).toHaveLength(3);
    expect(asked[0]).toMatchObject({
      toolChoice: 'auto',
      tools: [{ name: 'get.weather', description: 'The weather of a city.' }],
    });
    expect(asked[2]!.messages.slice(1, 3)).toEqual([
      {
        role: 'model',
        parts: [
          { text: 'Let me look.' },
          { functionCall: { id: 'call-1', name: 'get.weather', args: { city: 'Bonn' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              id: 'call-1',
              name: 'get.weather',
              response: { output: 'sunny in Bonn' },
              parts: undefined,
            },
          },
        ],
      },
    ]);
  });

  it.each([
    ['result-without-call', 'the result "a" belongs to no call before it'],
    ['call-without-result', 'the call of "get.weather" has no result'],
    ['other-result', 'the result "b" belongs to no call before it'],
    ['mixed-content', 'results of calls are mixed with other content'],
    ['wrong-schema', `the input schema of the tool "bad" can't be used, properties.a refers to #/nowhere`],
    ['many-tools', 'it offers 500 tools, more than 100'],
    ['required-nothing', 'it requires a call but offers no tools'],
  ])('with a %s is refused before the model or the user is asked, and goes on', async (tool, why) => {
    const { asked, needs } = modelCalling(0);
    const server = await open(needs);
    const message = await failureOf(say(server, tool));
    console.log(`evidence: ${era}: ${message}`);
    expect(message).toContain(`nvalid sampling request: ${why}`);
    expect(message.includes('-32602')).toBe(era === 'older');
    expect(asked).toEqual([]);
    expect(await say(server, 'weather')).toBe('It is sunny.');
  });

  it('that never comes to an end is stopped after ten rounds', async () => {
    const { asked, needs } = modelCalling(1_000);
    const message = await failureOf(say(await open(needs), 'endless'));
    console.log(`evidence: ${era}: ${message}`);
    expect(message).toMatch(/it has more than 10 rounds of calls|asked for more input 10 times/);
    expect(asked.length).toBeLessThanOrEqual(11);
  });

  it('is told that it may not where nobody passes tools on', async () => {
    const { onSample } = modelCalling(0).needs;
    const message = await failureOf(say(await open({ onSample }), 'weather'));
    expect(message).toContain('nvalid sampling request: the model can be offered no tools here.');
  });
});
