import { expect, it } from 'vitest';
import { scriptedTool } from '../../testing/scripted-tool.js';
import { ToolRegistry } from '../../tools/tool-registry.js';
import { listTools } from './tool-list.js';

it('everything is listed but the tools of other servers and the search for them', () => {
  const registry = new ToolRegistry();
  registry.registerTool(scriptedTool('read_file', { more: { effectKinds: ['read'] } }), { kind: 'builtin' });
  registry.registerTool(scriptedTool('other__read'), { kind: 'mcp', server: 'other', bareName: 'read' });
  registry.registerTool(scriptedTool('tool_search'), { kind: 'builtin' });
  registry.registerTool(scriptedTool('script'), { kind: 'builtin' });
  registry.registerTool(scriptedTool('own'), { kind: 'file', path: '/own.ts' });
  expect(listTools(registry)).toEqual([
    {
      name: 'read_file',
      title: 'read_file',
      description: 'The tool read_file, for tests.',
      inputSchema: { type: 'object', properties: {} },
      annotations: { title: 'read_file', readOnlyHint: true, openWorldHint: false },
      execution: { taskSupport: 'optional' },
    },
    {
      name: 'own',
      title: 'own',
      description: 'The tool own, for tests.',
      inputSchema: { type: 'object', properties: {} },
      annotations: { title: 'own' },
      execution: { taskSupport: 'optional' },
    },
  ]);
});

it('a schema keeps what it says beside its properties', () => {
  const registry = new ToolRegistry();
  const schema = {
    $schema: 'x',
    $defs: { a: { type: 'string' } },
    properties: {},
    additionalProperties: false,
  };
  registry.registerTool(scriptedTool('own', { schema }));
  expect(listTools(registry)[0]?.inputSchema).toEqual({ ...schema, type: 'object' });
});

it('whoever listens to the registry hears of a tool that comes and goes', () => {
  const registry = new ToolRegistry();
  const heard: string[] = [];
  const stop = registry.onChange(() =>
    heard.push(
      listTools(registry)
        .map(({ name }) => name)
        .join(' '),
    ),
  );
  const remove = registry.registerTool(scriptedTool('one'));
  registry.registerTool(scriptedTool('two'));
  remove();
  stop();
  registry.registerTool(scriptedTool('three'));
  expect(heard).toEqual(['one', 'one two', 'two']);
});
