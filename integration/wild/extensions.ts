// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of extensions are written so.
import { readFileSync } from 'node:fs';

/** The use of an extension, and the result it must have. */
export interface Use {
  what: 'skill' | 'command' | 'server' | 'hook' | 'agent' | 'context';
  args: readonly string[];
  shows: RegExp;
}

/** An extension in the shape of a public one. */
export interface WildExtension {
  name: string;
  format: string;
  what: string;
  files: Record<string, string | object>;
  use: Use;
}

const server = readFileSync(new URL('../extensions/echo-server.mjs', import.meta.url), 'utf8');
const offline = (prompt: string): string[] => ['-p', prompt, '--provider', 'offline'];
const skill = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: Helps with ${name}, when somebody asks for it.\n${more}---\n\nFollow ${name}.\n`;
const loads = (name: string): Use => ({
  what: 'skill',
  args: offline(`use skill with name="${name}"`),
  shows: new RegExp(`Follow ${name}\\.`),
});
const calls = (line: string): Use => ({ what: 'command', args: offline(line), shows: /alpha/ });
const answers = (name: string): Use => ({
  what: 'server',
  args: ['tools', 'run', `${name}__echo`, '--args', '{"text": "ship"}', '-y'],
  shows: /ahoy ship, in the workspace/,
});
const refuses = (tool: string, args: object): Use => ({
  what: 'hook',
  args: ['tools', 'run', tool, '--args', JSON.stringify(args), '-y'],
  shows: /says no: not here/,
});
const listed = (text: RegExp): Use => ({ what: 'context', args: ['extensions', 'show'], shows: text });
const gate = '#!/bin/bash\ncat >/dev/null\necho "not here" >&2\nexit 2\n';
const node = (root: string, name = 'server.mjs') => ({
  command: 'node',
  args: [`${root}/${name}`],
  env: { GREETING: 'ahoy' },
});
const markdown =
  '---\ndescription: Shows a file.\nargument-hint: "[file]"\nallowed-tools: Read\n---\nshow $ARGUMENTS\n';
const toml = 'description = "Shows a file."\nprompt = """\nshow {{args}}\n"""\n';

const plugins: WildExtension[] = [
  {
    name: 'ap-tables',
    format: 'Agent Plugins 1.0',
    what: 'two skills with references and scripts',
    files: {
      'plugin.json': {
        $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
        name: 'ap-tables',
        version: '1.0.0',
        license: 'MIT',
      },
      'skills/ap-join/SKILL.md': skill('ap-join', 'license: MIT\n'),
      'skills/ap-join/references/kinds.md': 'Inner, outer.\n',
      'skills/ap-pivot/SKILL.md': skill('ap-pivot'),
      'README.md': '# Tables\n',
    },
    use: loads('ap-join'),
  },
  {
    name: 'ap-server',
    format: 'Agent Plugins 1.0',
    what: 'a server alone',
    files: {
      'plugin.json': {
        name: 'ap-server',
        version: '0.3.0',
        author: { name: 'Somebody', email: 'a@example.com' },
      },
      'mcp.json': { mcpServers: { 'ap-server': { type: 'stdio', ...node('${PLUGIN_ROOT}') } } },
      'server.mjs': server,
    },
    use: answers('ap-server'),
  },
  {
    name: 'ap-commands',
    format: 'Agent Plugins 1.0',
    what: 'commands in a folder of their own',
    files: {
      'plugin.json': { name: 'ap-commands', version: '2.0.0' },
      'commands/ap/show.md': markdown,
    },
    use: calls('/ap:show a.txt'),
  },
  {
    name: 'ap-guard',
    format: 'Agent Plugins 1.0',
    what: 'a hook with a condition',
    files: {
      'plugin.json': { name: 'ap-guard', version: '1.0.0' },
      'hooks/hooks.json': {
        hooks: {
          PreToolUse: [
            {
              matcher: 'Bash',
              hooks: [{ type: 'command', if: 'Bash(git push *)', command: '${PLUGIN_ROOT}/hooks/no.sh' }],
            },
          ],
        },
      },
      'hooks/no.sh': gate,
    },
    use: refuses('run_shell_command', { command: 'git push origin main' }),
  },
  {
    name: 'ap-all',
    format: 'Agent Plugins 1.0',
    what: 'skills, agents, commands and a server',
    files: {
      'plugin.json': {
        name: 'ap-all',
        version: '1.1.0',
        repository: 'https://example.com/ap-all',
        keywords: ['all'],
      },
      'skills/ap-all/SKILL.md': skill('ap-all'),
      'agents/ap-critic.md':
        '---\nname: ap-critic\ndescription: Finds faults.\ntools: Read, Grep\n---\nBe strict.\n',
      'commands/ap-look.md': markdown,
      'mcp.json': { mcpServers: { 'ap-all': node('${PLUGIN_ROOT}') } },
      'server.mjs': server,
    },
    use: answers('ap-all'),
  },
];

const claude: WildExtension[] = [
  {
    name: 'cc-review',
    format: 'Claude Code',
    what: 'commands and agents',
    files: {
      '.claude-plugin/plugin.json': {
        name: 'cc-review',
        description: 'Reviews.',
        version: '1.0.0',
        author: { name: 'Somebody' },
      },
      'commands/cc-review.md': markdown,
      'agents/cc-reviewer.md':
        '---\nname: cc-reviewer\ndescription: Reviews changes. Use after an edit.\ntools: Glob, Grep, LS, Read\nmodel: sonnet\ncolor: green\n---\nReview.\n',
    },
    use: calls('/cc-review a.txt'),
  },
  {
    name: 'cc-guidance',
    format: 'Claude Code',
    what: 'hooks around edits, with a description',
    files: {
      '.claude-plugin/plugin.json': { name: 'cc-guidance', version: '1.0.0' },
      'hooks/hooks.json': {
        description: 'Warns before edits.',
        hooks: {
          PreToolUse: [
            {
              matcher: 'Edit|Write|MultiEdit',
              hooks: [{ type: 'command', command: '${CLAUDE_PLUGIN_ROOT}/hooks/gate.sh' }],
            },
          ],
        },
      },
      'hooks/gate.sh': gate,
    },
    use: refuses('write_file', { file_path: 'b.txt', content: 'x' }),
  },
  {
    name: 'cc-toolkit',
    format: 'Claude Code',
    what: 'places named in the manifest',
    files: {
      '.claude-plugin/plugin.json': {
        name: 'cc-toolkit',
        version: '2.3.1',
        homepage: 'https://example.com',
        commands: ['./custom/show.md'],
        mcpServers: './servers.json',
      },
      'custom/show.md': markdown,
      'servers.json': { mcpServers: { 'cc-toolkit': node('${CLAUDE_PLUGIN_ROOT}') } },
      'server.mjs': server,
    },
    use: answers('cc-toolkit'),
  },
  {
    name: 'cc-skills',
    format: 'Claude Code',
    what: 'skills with scripts and a licence',
    files: {
      '.claude-plugin/plugin.json': {
        name: 'cc-skills',
        version: '1.0.0',
        license: 'MIT',
        keywords: ['skills'],
      },
      'skills/cc-sheets/SKILL.md': skill('cc-sheets', 'license: Proprietary\n'),
      'skills/cc-sheets/scripts/recalc.py': 'print(1)\n',
    },
    use: loads('cc-sheets'),
  },
  {
    name: 'cc-bare-server',
    format: 'Claude Code',
    what: 'a server file without its outer key',
    files: {
      '.claude-plugin/plugin.json': { name: 'cc-bare-server' },
      '.mcp.json': { 'cc-bare-server': node('${CLAUDE_PLUGIN_ROOT}') },
      'server.mjs': server,
    },
    use: answers('cc-bare-server'),
  },
];

/** Gemini CLI and Qwen Code have the same folders; the names and a few members differ. */
function terminal(agent: 'gemini' | 'qwen'): WildExtension[] {
  const [short, format, manifest, context] =
    agent === 'gemini'
      ? (['gm', 'Gemini CLI', 'gemini-extension.json', 'GEMINI.md'] as const)
      : (['qw', 'Qwen Code', 'qwen-extension.json', 'QWEN.md'] as const);
  const matcher = agent === 'gemini' ? 'write_file|replace' : 'WriteFile|Edit';
  const event = agent === 'gemini' ? 'BeforeTool' : 'PreToolUse';
  return [
    {
      name: `${short}-context`,
      format,
      what: 'a context file',
      files: {
        [manifest]: { name: `${short}-context`, version: '1.0.0', contextFileName: context },
        [context]: 'Use short names.\n',
      },
      use: listed(new RegExp(context)),
    },
    {
      name: `${short}-server`,
      format,
      what: 'a server with settings',
      files: {
        [manifest]: {
          name: `${short}-server`,
          version: '0.1.0',
          mcpServers: {
            [`${short}-server`]: {
              command: 'node',
              args: ['${extensionPath}${/}dist${/}server.mjs'],
              cwd: '${extensionPath}',
              env: { GREETING: 'ahoy' },
              trust: true,
            },
          },
          settings: [{ name: 'Key', description: 'A key.', envVar: 'SOME_OPTIONAL_KEY', sensitive: true }],
        },
        'dist/server.mjs': server,
      },
      use: answers(`${short}-server`),
    },
    {
      name: `${short}-commands`,
      format,
      what: 'commands in TOML, in groups',
      files: {
        [manifest]: { name: `${short}-commands`, version: '1.0.0' },
        [`commands/${short}/show.toml`]: toml,
      },
      use: calls(`/${short}:show a.txt`),
    },
    {
      name: `${short}-guard`,
      format,
      what: 'a hook, its limit in milliseconds',
      files: {
        [manifest]: { name: `${short}-guard`, version: '1.0.0', excludeTools: ['run_shell_command(rm -rf)'] },
        'hooks/hooks.json': {
          hooks: {
            [event]: [
              {
                matcher,
                hooks: [
                  {
                    type: 'command',
                    name: 'guard',
                    command: '${extensionPath}/hooks/gate.sh',
                    timeout: 5_000,
                  },
                ],
              },
            ],
          },
        },
        'hooks/gate.sh': gate,
      },
      use: refuses('write_file', { file_path: 'b.txt', content: 'x' }),
    },
    {
      name: `${short}-skills`,
      format,
      what: 'skills and an agent',
      files: {
        [manifest]: { name: `${short}-skills`, version: '3.0.0', description: 'Skills.' },
        [`skills/${short}-notes/SKILL.md`]: skill(`${short}-notes`),
        [`agents/${short}-clerk.md`]: `---\nname: ${short}-clerk\ndescription: Keeps books.\ntools:\n  - read_file\n---\nCount.\n`,
      },
      use: loads(`${short}-notes`),
    },
  ];
}

const bundle = (
  name: string,
  what: string,
  more: object,
  run: object = node('${__dirname}'),
): WildExtension => ({
  name,
  format: 'MCP bundle',
  what,
  files: {
    'manifest.json': {
      manifest_version: '0.3',
      name,
      version: '1.0.0',
      description: 'A bundle.',
      author: { name: 'Somebody' },
      server: { type: 'node', entry_point: 'server.mjs', mcp_config: run },
      ...more,
    },
    'server.mjs': server,
  },
  use: answers(name),
});

const asked = {
  command: 'node',
  args: ['${__dirname}/server.mjs'],
  env: { GREETING: '${user_config.greeting}' },
};
const bundles: WildExtension[] = [
  bundle('mb-plain', 'a server and nothing else', {}),
  bundle('mb-tools', 'tools and prompts that are declared', {
    tools: [{ name: 'echo', description: 'Says it.' }],
    prompts: [],
    tools_generated: true,
  }),
  bundle(
    'mb-config',
    'a value of the user with a default',
    { user_config: { greeting: { type: 'string', title: 'Greeting', default: 'ahoy' } } },
    asked,
  ),
  bundle(
    'mb-systems',
    'other ways to start on other systems',
    { compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: '>=18' } } },
    { ...node('${__dirname}'), platforms: { win32: { command: 'node.exe' } } },
  ),
  bundle('mb-older', 'an older version of the format', {
    manifest_version: undefined,
    dxt_version: '0.1',
    icon: 'icon.png',
  }),
];

export const extensions: readonly WildExtension[] = [
  ...plugins,
  ...claude,
  ...terminal('qwen'),
  ...terminal('gemini'),
  ...bundles,
];
