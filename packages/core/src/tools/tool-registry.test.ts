import { expect, it } from 'vitest';
import { ToolRegistry, type ToolSource } from './tool-registry.js';
import type { Tool } from './tools.js';

function tool(name: string, more: Partial<Tool> = {}): Tool {
  return {
    name,
    displayName: name,
    description: `The tool ${name}.`,
    parameterSchema: { type: 'object', properties: {} },
    validateToolParams: () => null,
    getDescription: () => name,
    shouldConfirmExecute: async () => false,
    execute: async () => ({ llmContent: name, returnDisplay: name }),
    ...more,
  };
}

const signal = new AbortController().signal;

it('the registry finds a tool by name, by alias, and by a bare MCP name that only one server offers', () => {
  const registry = new ToolRegistry();
  registry.registerTool(tool('edit', { nameAliases: ['replace'] }), { kind: 'builtin' });
  registry.registerTool(tool('one__query'), { kind: 'mcp', server: 'one', bareName: 'query' });
  expect(registry.getTool('edit')?.name).toBe('edit');
  expect(registry.getTool('replace')?.name).toBe('edit');
  expect(registry.getTool('query')?.name).toBe('one__query');
  registry.registerTool(tool('two__query'), { kind: 'mcp', server: 'two', bareName: 'query' });
  expect(registry.getTool('query')).toBeUndefined();
});

it('the registry answers an unknown name with the nearest ones', () => {
  const registry = new ToolRegistry();
  registry.registerTool(tool('read_file'));
  registry.registerTool(tool('glob'));
  expect(() => registry.require('readfile')).toThrow(
    'There is no tool called "readfile". Did you mean read_file?',
  );
  expect(() => registry.require('zzzzzz')).toThrow('The tools are: read_file, glob.');
});

it('the registry answers a bare name that several servers offer, or one like it, with the whole names', () => {
  const registry = new ToolRegistry();
  for (const server of ['one', 'two'])
    registry.registerTool(tool(`${server}__query`), { kind: 'mcp', server, bareName: 'query' });
  for (const name of ['query', 'querry'])
    expect(() => registry.require(name)).toThrow(
      `There is no tool called "${name}". Did you mean one__query or two__query?`,
    );
});

it('the registry names a tool of a server once, by its whole name, where its two names are near', () => {
  const registry = new ToolRegistry();
  registry.registerTool(tool('demo__echo'), { kind: 'mcp', server: 'demo', bareName: 'echo' });
  expect(() => registry.require('demo_echo')).toThrow(/Did you mean demo__echo\?$/);
  expect(() => registry.require('ecko')).toThrow(/Did you mean demo__echo\?$/);
});

it('the registry leaves excluded tools out, whoever offers them, and keeps their names from others', async () => {
  const registry = new ToolRegistry({ excluded: ['replace', 'mail__read'] });
  registry.registerTool(tool('edit', { nameAliases: ['replace'] }), { kind: 'builtin' });
  registry.addSource({
    kind: 'mcp',
    name: 'mail',
    discover: async () =>
      ['read', 'send'].map((bareName) => ({
        tool: tool(`mail__${bareName}`),
        origin: { kind: 'mcp', server: 'mail', bareName },
      })),
  });
  await registry.discoverAllTools(new AbortController().signal);
  expect(registry.getAllTools().map(({ name }) => name)).toEqual(['mail__send']);
  expect(() => registry.registerTool(tool('edit'), { kind: 'file', path: 'a.ts' })).toThrow(/edit is taken/);
  registry.registerTool(tool('replace'), { kind: 'library' });
  expect(registry.getTool('replace')).toBeDefined();
});

it('the registry refuses a taken name with both owners named, and never shadows a built-in one', () => {
  const registry = new ToolRegistry();
  registry.registerTool(tool('edit', { nameAliases: ['replace'] }), { kind: 'builtin' });
  expect(() => registry.registerTool(tool('edit'), { kind: 'command', command: 'tools.sh' })).toThrow(
    "The tool name edit is taken: a built-in tool has it, so the discovery command tools.sh can't use it. Rename one of them.",
  );
  expect(() => registry.registerTool(tool('replace'), { kind: 'file', path: 'a.ts' })).toThrow(
    /replace is taken/,
  );
  expect(registry.getAllTools()).toHaveLength(1);
});

it.each(['', 'a b', 'x'.repeat(65), 'naïve', 'a.b'])('the registry refuses the name %j', (name) => {
  expect(() => new ToolRegistry().registerTool(tool(name))).toThrow(/must be 1 to 64 characters/);
});

it('the registry takes a tool out again with the function that registering returned', () => {
  const registry = new ToolRegistry();
  const dispose = registry.registerTool(tool('a'));
  dispose();
  registry.registerTool(tool('a'));
  dispose();
  expect(registry.getTool('a')).toBeDefined();
});

it('the registry declares tools in a stable order with canonical bytes, additions appended', () => {
  const registry = new ToolRegistry();
  registry.registerTool(tool('b', { parameterSchema: { type: 'object', properties: { z: {}, a: {} } } }));
  const before = JSON.stringify(registry.getFunctionDeclarations());
  registry.registerTool(tool('a'));
  const after = JSON.stringify(registry.getFunctionDeclarations());
  expect(after.startsWith(before.slice(0, -1))).toBe(true);
  expect(before).toBe(
    '[{"name":"b","description":"The tool b.","parametersJsonSchema":{"properties":{"a":{},"z":{}},"type":"object"}}]',
  );
});

function source(kind: 'command' | 'mcp', name: string, discover: () => Promise<Tool[]>): ToolSource {
  const origin = kind === 'mcp' ? { kind, server: name, bareName: name } : { kind, command: name };
  return { kind, name, discover: async () => (await discover()).map((found) => ({ tool: found, origin })) };
}

it('the registry discovers from every source, replaces what a source gave before, and survives one that fails', async () => {
  const registry = new ToolRegistry();
  let names = ['one'];
  registry.addSource(source('command', 'good.sh', async () => names.map((name) => tool(name))));
  registry.addSource(
    source('mcp', 'bad', async () => {
      throw new Error('it does not answer');
    }),
  );
  expect(await registry.discoverAllTools(signal)).toEqual({
    added: ['one'],
    problems: ['bad: it does not answer'],
  });
  names = ['two', 'two'];
  const report = await registry.discoverAllTools(signal);
  expect(report.added).toEqual(['two']);
  expect(report.problems.join()).toMatch(/two is taken/);
  expect(registry.getAllTools().map(({ name }) => name)).toEqual(['two']);
});

it('the registry asks only MCP servers when only they are wanted', async () => {
  const registry = new ToolRegistry();
  registry.addSource(source('command', 'c.sh', async () => [tool('c')]));
  registry.addSource(source('mcp', 'm', async () => [tool('m')]));
  expect((await registry.discoverMcpTools(signal)).added).toEqual(['m']);
});

it('the registry leaves what a source gives again in its place, takes out what is gone and appends what is new', async () => {
  const registry = new ToolRegistry();
  let found = [tool('a'), tool('b'), tool('c')];
  registry.addSource(source('mcp', 'm', async () => found));
  await registry.discoverMcpTools(signal);
  registry.registerTool(tool('later'));
  found = [tool('d'), tool('c', { description: 'Changed.' }), tool('a')];
  expect((await registry.discoverMcpTools(signal)).added).toEqual(['d', 'c']);
  const declared = registry.getFunctionDeclarations();
  expect(declared.map(({ name }) => name)).toEqual(['a', 'later', 'd', 'c']);
  expect(registry.getTool('a')).toBe(found[2]);
});

it('the registry asks one MCP server when one is named', async () => {
  const registry = new ToolRegistry();
  registry.addSource(source('mcp', 'm', async () => [tool('m')]));
  registry.addSource(source('mcp', 'n', async () => [tool('n')]));
  expect((await registry.discoverMcpTools(signal, 'n')).added).toEqual(['n']);
});

it('the registry asks folders and commands separately from servers, and says what could not be used', async () => {
  const registry = new ToolRegistry();
  registry.addSource({
    kind: 'file',
    name: '/tools',
    async discover(_signal, problem) {
      problem('bad.ts is broken.');
      return [{ tool: tool('f'), origin: { kind: 'file', path: '/tools/f.ts' } }];
    },
  });
  registry.addSource(source('mcp', 'server', async () => [tool('m')]));
  expect(await registry.discoverOwnTools(signal)).toEqual({
    added: ['f'],
    problems: ['/tools: bad.ts is broken.'],
  });
  expect(registry.getTool('m')).toBeUndefined();
});

it('the registry leaves out other names later on: tools go and come back, and listeners hear of it', async () => {
  const registry = new ToolRegistry({ excluded: ['glob'] });
  let changes = 0;
  registry.onChange(() => void (changes += 1));
  const names = (): string[] => registry.getAllTools().map(({ name }) => name);
  for (const name of ['edit', 'glob']) registry.registerTool(tool(name), { kind: 'builtin' });
  registry.registerTool(tool('mine'));
  const files = ['a', 'b'].map((name) => ({
    tool: tool(name),
    origin: { kind: 'file' as const, path: name },
  }));
  registry.addSource({ kind: 'file', name: 'folder', discover: async () => files });
  await registry.discoverOwnTools(signal);
  expect(names()).toEqual(['edit', 'mine', 'a', 'b']);
  changes = 0;
  await registry.exclude(['edit', 'a', 'mine']);
  expect(names()).toEqual(['mine', 'b', 'glob']);
  expect(changes).toBe(3);
  expect(registry.misspelt('edit')).toEqual([]);
  files.pop();
  await registry.exclude([]);
  await registry.discoverOwnTools(signal);
  expect(names()).toEqual(['mine', 'glob', 'edit', 'a']);
});

it('the search for tools comes with tools that come back and find no room', async () => {
  const registry = new ToolRegistry({ excluded: ['long'], declarationsBudget: 1_000 });
  const found = ['short', 'long'].map((name) => ({
    tool: tool(name, { description: name === 'long' ? 'x'.repeat(2_000) : name }),
    origin: { kind: 'file' as const, path: name },
  }));
  registry.addSource({ kind: 'file', name: 'folder', discover: async () => found });
  await registry.discoverOwnTools(signal);
  await registry.exclude([]);
  expect(registry.waiting().map(({ tool: { name } }) => name)).toEqual(['long']);
  expect(registry.getFunctionDeclarations().map(({ name }) => name)).toEqual(['short', 'tool_search']);
});

it('a built-in tool that waits for a search comes back as well, and leaves its name to the program that has it', async () => {
  const registry = new ToolRegistry({ excluded: ['todo'] });
  registry.registerTool(tool('script'));
  await registry.registerWaiting([tool('todo'), tool('script')], { kind: 'builtin' });
  expect(registry.getAllTools().map(({ name }) => name)).toEqual(['script']);
  await registry.exclude([]);
  expect(registry.getAllTools().map(({ name }) => name)).toEqual(['script', 'todo']);
});
