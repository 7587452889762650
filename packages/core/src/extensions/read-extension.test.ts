// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of extensions are written so.
import { createTempWorkspace, type TempWorkspace } from '@toolwright/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { broughtServers } from './brought-servers.js';
import type { ReadExtension } from './extension.js';
import { readExtension } from './read-extension.js';

let made: TempWorkspace | undefined;
afterEach(() => made?.cleanup());

type Content = Record<string, string | object>;

async function read(content: Content): Promise<ReadExtension & { root: string }> {
  made = createTempWorkspace({ content: asText(content) });
  const result = await readExtension(made.directory);
  if ('problem' in result) throw new Error(`${result.line}: ${result.problem}`);
  return { ...result, root: made.directory };
}

function asText(content: Content): Record<string, string> {
  return Object.fromEntries(
    Object.entries(content).map(([path, value]) => [
      path,
      typeof value === 'string' ? value : JSON.stringify(value, null, 2),
    ]),
  );
}

const skill = '---\nname: a\ndescription: A skill that is one.\n---\nDo it.\n';

describe('the common standard', () => {
  it('brings skills and servers, and our folders beside them', async () => {
    const { extension, unused, problems } = await read({
      'plugin.json': {
        $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
        name: 'kit.one',
        colour: 'blue',
      },
      'skills/a/SKILL.md': skill,
      'mcp.json': { mcpServers: { sea: { type: 'stdio', command: 'node' }, sky: { type: 'stdio' } } },
      'tools/x.json': '{}',
    });
    expect(extension).toMatchObject({
      name: 'kit.one',
      format: 'agent-plugin',
      skills: [{ path: 'skills' }],
      tools: [{ path: 'tools' }],
      servers: { sea: { type: 'stdio', command: 'node' } },
    });
    expect(unused).toEqual([{ what: 'colour', why: 'the standard has no such member' }]);
    expect(problems.map(({ problem }) => problem)).toEqual([
      'the server sky is off: it has neither a command nor an address',
    ]);
  });
});

describe('a plugin of Claude Code', () => {
  it('brings its usual folders, and what its manifest names', async () => {
    const { extension, unused } = await read({
      '.claude-plugin/plugin.json': {
        name: 'tools',
        commands: ['./commands/one.md', './more/two.md'],
        skills: './other/a',
        hooks: { PreToolUse: [] },
        mcpServers: './servers.json',
        lspServers: {},
      },
      'commands/one.md': 'x',
      'more/two.md': 'x',
      'other/a/SKILL.md': skill,
      'agents/b.md': 'x',
      'hooks/hooks.json': '{}',
      'servers.json': { db: { command: 'db', trust: true }, old: { command: 'x', disabled: true } },
    });
    expect(extension).toMatchObject({
      commands: [{ path: 'commands' }, { path: 'more', only: ['two.md'] }],
      skills: [{ path: 'other', only: ['a'] }],
      agents: [{ path: 'agents' }],
      hooks: [
        { path: 'hooks/hooks.json', format: 'claude' },
        { path: '.claude-plugin/plugin.json', format: 'claude' },
      ],
    });
    expect(extension.servers).toEqual({ db: { command: 'db' } });
    expect(unused).toEqual([
      { what: 'lspServers', why: 'language servers of extensions are not started' },
      { what: 'trust of the MCP server db', why: 'its tools are asked about until you say otherwise' },
      { what: 'the MCP server old', why: 'its author turned it off' },
    ]);
  });

  it('names no path outside of its folder, and the line says where it tried', async () => {
    const { extension, problems, root } = await read({
      '.claude-plugin/plugin.json': { name: 'x', commands: '../../etc', agents: '/root', skills: './none' },
    });
    expect(extension).toMatchObject({ commands: [], agents: [], skills: [] });
    const file = `${root}/.claude-plugin/plugin.json`;
    expect(problems).toEqual([
      { file, line: 5, problem: 'there is no none in the extension' },
      { file, line: 3, problem: '"../../etc" is a path out of the extension' },
      { file, line: 4, problem: '"/root" is a path out of the extension' },
    ]);
  });
});

describe('extensions of Gemini CLI and Qwen Code', () => {
  it('bring context, variables for their servers, and take away whole tools only', async () => {
    const { extension, unused } = await read({
      'gemini-extension.json': {
        name: 'sea',
        version: '1.0.0',
        mcpServers: { s: { command: 'node', args: ['${extensionPath}${/}s.js'], trust: true } },
        excludeTools: ['web_fetch', 'run_shell_command(rm)'],
        settings: [{ name: 'Key', envVar: 'SEA_KEY', description: 'The key.' }],
      },
      'GEMINI.md': 'Ahoy.',
      'hooks/hooks.json': '{}',
    });
    expect(extension).toMatchObject({
      context: ['GEMINI.md'],
      excludeTools: ['web_fetch'],
      hooks: [{ path: 'hooks/hooks.json', format: 'gemini' }],
      variables: [{ name: 'SEA_KEY', description: 'The key.', isRequired: false }],
    });
    expect(extension.servers['s']).toEqual({
      command: 'node',
      args: ['${extensionPath}${/}s.js'],
      env: { SEA_KEY: '${SEA_KEY:-}' },
    });
    expect(unused.map(({ what }) => what)).toEqual([
      'trust of the MCP server s',
      'excludeTools run_shell_command(rm)',
    ]);
  });

  it('that carry several manifests are read by the first, and the page says so', async () => {
    const { extension, unused } = await read({
      'qwen-extension.json': { name: 'q', contextFileName: ['A.md', 'gone.md'] },
      'gemini-extension.json': { name: 'g' },
      'A.md': 'x',
    });
    expect(extension).toMatchObject({ name: 'q', format: 'qwen', context: ['A.md'] });
    expect(unused).toEqual([
      { what: 'gemini-extension.json', why: 'qwen-extension.json is read in its place' },
    ]);
  });
});

it('an MCP bundle brings its server, with its settings as variables', async () => {
  const { extension } = await read({
    'manifest.json': {
      manifest_version: '0.3',
      name: 'weather-now',
      server: {
        type: 'node',
        entry_point: 'server/index.js',
        mcp_config: {
          command: 'node',
          args: ['${__dirname}/server/index.js', '${user_config.place}', '${user_config.folders}'],
          env: { KEY: '${user_config.api_key}' },
        },
      },
      user_config: {
        api_key: { type: 'string', title: 'Key', required: true },
        place: { type: 'string', title: 'Place', default: 'Kiel' },
        folders: { type: 'directory', multiple: true, default: ['${HOME}/Desktop', '${DOCUMENTS}'] },
      },
    },
    'server/index.js': '',
  });
  expect(extension.servers).toEqual({
    'weather-now': {
      command: 'node',
      args: [
        '${__dirname}/server/index.js',
        '${WEATHER_NOW_PLACE:-Kiel}',
        '${WEATHER_NOW_FOLDERS:-${HOME}/Desktop:${DOCUMENTS}}',
      ],
      env: { KEY: '${WEATHER_NOW_API_KEY}' },
    },
  });
  expect(extension.variables.map(({ name, isRequired }) => [name, isRequired])).toEqual([
    ['WEATHER_NOW_API_KEY', true],
    ['WEATHER_NOW_PLACE', false],
    ['WEATHER_NOW_FOLDERS', false],
  ]);
  const environment = { WEATHER_NOW_API_KEY: 'k' };
  const places = { root: '/ext', workspace: '/work', home: '/home/ada', environment };
  expect(broughtServers(extension, places)).toMatchObject([
    { server: { args: ['/ext/server/index.js', 'Kiel', '/home/ada/Desktop', '/home/ada/Documents'] } },
  ]);
});

it.each<[string, Content, string]>([
  ['nothing', { 'a.txt': 'x' }, 'undefined: this is not an extension: it has none of plugin.json,'],
  ['no JSON', { 'plugin.json': '{\n  "name": "x",\n  oops\n}' }, '3: it is not JSON:'],
  ['no object', { 'plugin.json': '[]' }, '1: it must be an object'],
  ['no name', { 'plugin.json': { version: '1' } }, '1: name must be text of at most 64'],
  ['a path for a name', { 'plugin.json': { name: '../x' } }, '2: name must be text of at most 64'],
  ['a number for a name', { 'gemini-extension.json': { name: 7 } }, '2: name must be text'],
])('the reader of extensions says what is wrong, and where, with %s', async (_what, content, message) => {
  await expect(read(content)).rejects.toThrow(message);
});
