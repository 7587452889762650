import { definitions, tool } from '@toolwright/mcp/catalogue/fixtures/fake-server.js';
import type { McpCallOptions, McpCallResult, McpConnection } from '@toolwright/mcp/contract/connection.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DiscoveredMCPTool, mcpToolName } from './mcp-tool.js';
import { mcpToolSource } from './mcp-tool-source.js';
import { ReadMcpResourceTool } from './read-resource-tool.js';

const signal = new AbortController().signal;
const calls: { tool: string; args: object; options: McpCallOptions }[] = [];

const connection = {
  readResource: async (uri: string) => ({
    parts: [{ text: `[${uri}]\nalpha` }],
    warnings: ['Left out: a block.'],
  }),
  listResources: async () => ({
    items: [
      {
        uri: 'note://1',
        name: 'one',
        title: '',
        description: 'First\nnote.',
        mimeType: 'text/plain',
        size: null,
      },
      { uri: 'note://2', name: 'note://2', title: '', description: '', mimeType: '', size: null },
    ],
    warnings: [],
  }),
  listResourceTemplates: async () => ({ items: [], warnings: [] }),
  subscribe: async () => false,
  changedResources: () => [],
} as unknown as McpConnection;

function serving(result: Partial<McpCallResult> = {}, sent = tool('send')) {
  return {
    config: { alias: 'mail', trust: false, includeTools: null, excludeTools: [] as string[] },
    record: { resources: true },
    use: <Result>(work: (connection: McpConnection) => Promise<Result>) => work(connection),
    tools: () => definitions(sent),
    async call(name: string, args: object, options: McpCallOptions): Promise<McpCallResult> {
      calls.push({ tool: name, args, options });
      options.onProgress?.({ progress: 1, total: 2, message: 'half' });
      options.onProgress?.({ progress: 2 });
      return { parts: [], warnings: [], isError: false, structured: null, replayed: false, ...result };
    },
  };
}

function made(result?: Partial<McpCallResult>, sent?: ReturnType<typeof tool>): DiscoveredMCPTool {
  const server = serving(result, sent);
  return new DiscoveredMCPTool(server, server.tools()[0]!);
}

it.each<[string, string, RegExp]>([
  ['mail', 'send', /^mail__send$/],
  ['mail', 'send-all_2', /^mail__send-all_2$/],
  ['mail', 'send.all', /^mail__send_all_[0-9a-f]{8}$/],
  ['mail', 'größe', /^mail__gr_e_[0-9a-f]{8}$/],
  ['my.server', 'send', /^my_server__send_[0-9a-f]{8}$/],
  ['a__b', 'c', /^a__b__c_[0-9a-f]{8}$/],
  ['a_', 'c', /^a___c_[0-9a-f]{8}$/],
  ['mail', 'x'.repeat(58), /^mail__x{58}$/],
  ['mail', 'x'.repeat(59), /^mail__x{49}_[0-9a-f]{8}$/],
  ['s'.repeat(64), 'send', /^s{24}__send_[0-9a-f]{8}$/],
  ['mail', '', /^mail__$/],
])('an MCP tool names the tool of server %j called %j', (alias, name, expected) => {
  expect(mcpToolName(alias, name)).toMatch(expected);
});

it('an MCP tool names are valid, stable, and different for different tools', () => {
  const alias = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/);
  const pair = fc.tuple(alias, fc.string({ minLength: 1, maxLength: 90, unit: 'binary' }));
  fc.assert(
    fc.property(pair, pair, ([alias, name], [otherAlias, otherName]) => {
      const given = mcpToolName(alias, name);
      expect(given).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(mcpToolName(alias, name)).toBe(given);
      if (alias !== otherAlias || name !== otherName)
        expect(mcpToolName(otherAlias, otherName)).not.toBe(given);
    }),
    { numRuns: 150 },
  );
});

it('an MCP tool asks with the server, the tool and the arguments', async () => {
  expect(await made().shouldConfirmExecute({ text: 'hello' }, signal)).toEqual({
    kind: 'mcp',
    title: 'Call send on the MCP server mail',
    server: 'mail',
    tool: 'send',
    arguments: { text: 'hello' },
    effects: [{ kind: 'mcp', server: 'mail', tool: 'send' }],
  });
});

it('an MCP tool passes arguments and consent on, shows progress, and gives the content to model and user', async () => {
  const updates: string[] = [];
  const parts = [{ text: 'sent' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }];
  const result = await made({ parts, warnings: ['Left out: a block.'] }).execute(
    { text: 'x', more: 1 },
    signal,
    (delta) => updates.push(delta),
  );
  expect(result).toEqual({
    llmContent: [...parts, { text: '[Left out: a block.]' }],
    returnDisplay: 'sent\n[Left out: a block.]\n[image/png]',
  });
  expect(updates).toEqual(['1/2 half\n', '2\n']);
  expect(calls.at(-1)).toMatchObject({
    tool: 'send',
    args: { text: 'x', more: 1 },
    options: { consented: { name: 'send' } },
  });
});

it('a tool that says it failed has failed', async () => {
  const result = await made({ parts: [{ text: 'no such mailbox' }], isError: true }).execute({}, signal);
  expect(result.error).toEqual({ code: 'failed', message: 'no such mailbox' });
  expect((await made({ isError: true }).execute({}, signal)).error?.message).toBe(
    'The tool failed and said nothing.',
  );
});

it('arguments that do not fit never reach the server', async () => {
  calls.length = 0;
  const { error } = await made().execute({ text: { nested: true } }, signal);
  expect(error?.code).toBe('invalid_params');
  expect(calls).toEqual([]);
});

it('an MCP tool has a description for the model without hidden characters and of bounded length', () => {
  expect(made({}, tool('send', 'Sends.\u200b\u202e\u0007 Now.')).description).toBe('Sends. Now.');
  expect(made({}, tool('send', 'x'.repeat(9_000))).description).toHaveLength(4_001);
  expect(made({}, tool('send', '')).description).toBe('The tool send of the MCP server mail.');
});

it('a source gives the same tool for the same definition', async () => {
  const list = definitions(tool('send'), tool('read'));
  const server = { ...serving(), tools: () => list };
  const source = mcpToolSource(server);
  const found = () => source.discover(signal, () => undefined);
  const [first, second] = [await found(), await found()];
  expect(first.map(({ tool, origin }) => [tool.name, origin])).toEqual([
    ['mail__send', { kind: 'mcp', server: 'mail', bareName: 'send' }],
    ['mail__read', { kind: 'mcp', server: 'mail', bareName: 'read' }],
    ['mail__read_resource', { kind: 'mcp', server: 'mail', bareName: 'read_resource' }],
  ]);
  expect(second[0]?.tool).toBe(first[0]?.tool);
});

it('a server with resources has a tool that reads them, unless it has one of that name itself', async () => {
  const names = async (server: ReturnType<typeof serving>) =>
    (await mcpToolSource(server).discover(signal, () => undefined)).map(({ tool: { name } }) => name);
  expect(await names(serving())).toEqual(['mail__send', 'mail__read_resource']);
  expect(await names(serving({}, tool('read_resource')))).toEqual(['mail__read_resource']);
  expect(await names({ ...serving(), record: { resources: false } })).toEqual(['mail__send']);
  const config = { alias: 'mail', trust: false, includeTools: null, excludeTools: ['read_resource'] };
  expect(await names({ ...serving(), config })).toEqual(['mail__send']);
});

it('the tool for resources reads one, lists all, and asks as every tool of the server does', async () => {
  const reader = new ReadMcpResourceTool(serving());
  expect((await reader.execute({ uri: 'note://1' }, signal)).llmContent).toEqual([
    { text: '[note://1]\nalpha' },
    { text: '[Left out: a block.]' },
  ]);
  expect((await reader.execute({}, signal)).llmContent).toBe(
    'note://1  one (text/plain) First note.\nnote://2',
  );
  expect(await reader.shouldConfirmExecute({ uri: 'note://1' }, signal)).toMatchObject({
    kind: 'mcp',
    title: 'Read note://1 of the MCP server mail',
    tool: 'read_resource',
    effects: [{ kind: 'mcp', server: 'mail', tool: 'read_resource' }],
  });
});

it('the tool for resources fills in templates, and tells which resources have changed since they were read', async () => {
  const changed: string[] = [];
  const subscribed: string[] = [];
  const told = {
    ...connection,
    readResource: async (uri: string) => ({ parts: [{ text: uri }], warnings: [] }),
    listResourceTemplates: async () => ({
      items: [
        { uriTemplate: 'note://{id}', name: 'note', title: 'A note', description: 'By id.', mimeType: '' },
      ],
      warnings: [],
    }),
    async subscribe(uri: string) {
      if (subscribed.push(uri) > 1) throw new Error('no more subscriptions');
      return true;
    },
    changedResources: () => changed,
  } as McpConnection;
  const reader = new ReadMcpResourceTool({
    ...serving(),
    use: <Result>(work: (connection: McpConnection) => Promise<Result>) => work(told),
  });
  const values = { id: 'a b' };
  expect(reader.getDescription({ uri: 'note://{id}', values })).toBe(
    'Read note://{id} with {"id":"a b"} of the MCP server mail',
  );
  const first = await reader.execute({ uri: 'note://{id}', values }, signal);
  expect(first.llmContent).toEqual([{ text: 'note://a%20b' }]);
  changed.push('note://a%20b', 'note://1');
  expect((await reader.execute({ uri: 'note://1' }, signal)).llmContent).toEqual([
    { text: 'note://1' },
    { text: '[note://a%20b has changed since you read it.]' },
  ]);
  expect(subscribed).toEqual(['note://a%20b', 'note://1']);
  expect((await reader.execute({}, signal)).llmContent).toBe(
    [
      'note://1  (changed since you read it) one (text/plain) First note.',
      'note://2',
      'note://{id}  (template) A note By id.',
    ].join('\n'),
  );
});

it('a tool says that a repeat changes nothing only where the user trusts its server', () => {
  const [definition] = definitions({
    name: 'send',
    inputSchema: { type: 'object' },
    annotations: { idempotentHint: true },
  });
  const isRepeatable = (trust: boolean): boolean => {
    const server = serving();
    return new DiscoveredMCPTool({ ...server, config: { ...server.config, trust } }, definition!)
      .isRepeatable;
  };
  expect([isRepeatable(true), isRepeatable(false)]).toEqual([true, false]);
});
