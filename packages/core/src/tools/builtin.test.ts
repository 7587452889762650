import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterAll, describe, expect, it } from 'vitest';
import { createToolbox, type Toolbox } from '../create-toolbox.js';
import type { ToolboxOptions } from '../options/toolbox-options.js';
import { sampleParams } from '../testing/grading/sample-params.js';
import type { ToolOrigin } from './loading/tool-origin.js';
import type { Tool } from './tools.js';

const temp = createTempWorkspace({ content: { 'src/a.ts': 'const a = 1;\n' } });
const toolbox = await openToolbox({ search: { provider: 'searxng', baseUrl: 'http://127.0.0.1:9' } });
const tools = toolbox.registry.getAllTools();
const { signal } = new AbortController();
afterAll(async () => {
  await toolbox.close();
  await temp.cleanup();
});

function openToolbox(more: Partial<ToolboxOptions> = {}): Promise<Toolbox> {
  return createToolbox({ workspace: temp.directory, stateFolder: join(temp.outside, 'state'), ...more });
}

function testsBeside(): string[] {
  const folder = import.meta.dirname;
  return readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

it('every built-in tool is opened as in a session and checked by its own test', () => {
  const texts = testsBeside();
  const isChecked = ({ name }: Tool): boolean =>
    texts.some((text) => text.includes(`openBuiltin('${name}'`) && text.includes('.check({'));
  expect(tools.filter((tool) => !isChecked(tool)).map(({ name }) => name)).toEqual([]);
});

/** The parameters of all tools that name a path, told by their names. */
const pathParameters = tools.flatMap((tool) =>
  Object.keys(tool.parameterSchema['properties'] as object)
    .filter((parameter) => /(path|paths|directory)$/.test(parameter))
    .map((parameter) => [tool.name, parameter] as const),
);

async function codeFor(name: string, parameter: string, path: string): Promise<string | undefined> {
  const tool = toolbox.registry.getTool(name)!;
  const params = {
    ...sampleParams(tool.parameterSchema),
    [parameter]: parameter === 'paths' ? [path] : path,
  };
  return (await tool.execute(params, signal)).error?.code;
}

describe('a path that names nothing', () => {
  it.each(pathParameters)('is refused by %s as its parameter %s', async (name, parameter) => {
    for (const path of ['', ' ', '\t \n', '\u00a0', 'a\0b', '\0'])
      expect([path, await codeFor(name, parameter, path)]).toEqual([
        path,
        parameter === 'paths' && path !== '' ? 'not_found' : 'invalid_params',
      ]);
  });

  it.each(['write_file', 'edit'])('%s makes no file of a path that is that of a folder', async (name) => {
    for (const path of ['.', './', 'none/', 'none/.', 'none/..', 'none/ ', 'src/', 'src'])
      expect([path, await codeFor(name, 'file_path', path)]).toEqual([path, 'invalid_params']);
    expect(temp.exists('none')).toBe(false);
  });
});

describe('the names and aliases of built-in tools', () => {
  const elsewhere: ToolOrigin[] = [
    { kind: 'command', command: 'x' },
    { kind: 'file', path: 'x' },
  ];
  const names = tools.flatMap(({ name, nameAliases = [] }) => [name, ...nameAliases]);
  const named = (name: string) => ({ ...tools[0]!, name, nameAliases: [] }) as Tool;

  it('are taken, also those of tools that come later or are not configured', async () => {
    const { registry } = await openToolbox();
    for (const name of [...names, 'jobs', 'tool_search'])
      for (const origin of elsewhere)
        expect(() => registry.registerTool(named(name), origin)).toThrow(`The tool name ${name} is taken`);
  });

  it('are left to the embedding program, and to nobody else, where the tools are left out', async () => {
    const { registry } = await openToolbox({ excludeTools: names });
    for (const name of names) {
      for (const origin of elsewhere) registry.registerTool(named(name), origin);
      expect(registry.getTool(name)).toBeUndefined();
      registry.registerTool(named(name), { kind: 'library' });
      expect(registry.getTool(name)).toBeDefined();
    }
  });
});

it('the declarations are short enough for a small first request', () => {
  const bytes = JSON.stringify(toolbox.registry.getFunctionDeclarations()).length;
  console.log(`evidence: declarations of ${tools.length} tools: ${bytes} bytes`);
  expect(bytes / tools.length).toBeLessThan(9_500 / 11);
});

it('without a search provider web_search is not offered', async () => {
  const plain = await openToolbox();
  expect(plain.registry.getTool('web_search')).toBeUndefined();
});

it('a model that was trained on patches gets apply_patch in place of edit', async () => {
  const { registry } = await openToolbox({ modelName: { provider: 'openai', model: 'gpt-5.2' } });
  const offered = registry.getFunctionDeclarations().map(({ name }) => name);
  expect(offered).toContain('apply_patch');
  expect(offered).not.toContain('edit');
  expect(offered).toHaveLength(tools.length - 1);
});
