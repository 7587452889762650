// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of extensions are written so.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeZip } from '../packages/machine/src/base/archives/fixtures/make-archives.js';
import { canConfine } from './extensions/confining.js';
import { createMachine, type Machine } from './program.js';

const server = readFileSync(new URL('./extensions/echo-server.mjs', import.meta.url), 'utf8');
const skill = (name: string): string =>
  `---\nname: ${name}\ndescription: Works on ${name}, whenever a user speaks of it.\nlicense: MIT\nmetadata:\n  author: somebody\n---\nFollow ${name}.\n`;

/** An extension in the shape that is usual for each format. */
const shapes: Record<string, Record<string, string | object>> = {
  'agent-kit': {
    'plugin.json': {
      $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
      name: 'agent-kit',
      version: '1.0.0',
      author: { name: 'Somebody', url: 'https://example.com' },
      keywords: ['tables'],
    },
    'skills/tables/SKILL.md': skill('tables'),
    'skills/tables/references/details.md': 'More.',
    'mcp.json': {
      $schema: 'https://agent-plugins.org/schemas/1.0.0/mcp.schema.json',
      mcpServers: {
        'agent-kit': {
          type: 'stdio',
          command: 'node',
          args: ['${PLUGIN_ROOT}/server.mjs'],
          env: { GREETING: 'ahoy' },
        },
      },
    },
    'server.mjs': server,
  },
  'claude-kit': {
    '.claude-plugin/plugin.json': { name: 'claude-kit', version: '1.2.0', hooks: './hooks/hooks.json' },
    'skills/forms/SKILL.md': skill('forms'),
    'commands/review.md':
      '---\ndescription: Reviews.\nallowed-tools: Bash(git diff:*)\n---\nReview $ARGUMENTS.\n',
    'agents/critic.md':
      '---\nname: critic\ndescription: Finds faults.\ntools: Read, Grep\nmodel: sonnet\n---\nBe strict.\n',
    'hooks/hooks.json': {
      description: 'Formats after edits.',
      hooks: { PostToolUse: [{ matcher: 'Edit|Write', hooks: [{ type: 'command', command: 'true' }] }] },
    },
    '.mcp.json': {
      'claude-kit': {
        command: 'node',
        args: ['${CLAUDE_PLUGIN_ROOT}/server.mjs'],
        env: { GREETING: 'ahoy' },
      },
    },
    'server.mjs': server,
  },
  'gemini-kit': {
    'gemini-extension.json': {
      name: 'gemini-kit',
      version: '0.2.0',
      contextFileName: 'GEMINI.md',
      mcpServers: {
        'gemini-kit': {
          command: 'node',
          args: ['${extensionPath}${/}dist${/}server.mjs'],
          env: { GREETING: 'ahoy' },
        },
      },
    },
    'GEMINI.md': 'Use the tool echo.',
    'commands/kit/say.toml': 'description = "Says it."\nprompt = """\nSay {{args}}.\n"""\n',
    'dist/server.mjs': server,
  },
  'qwen-kit': {
    'qwen-extension.json': {
      name: 'qwen-kit',
      version: '1.0.0',
      mcpServers: {
        'qwen-kit': { command: 'node', args: ['${extensionPath}/server.mjs'], env: { GREETING: 'ahoy' } },
      },
    },
    'skills/ledger/SKILL.md': skill('ledger'),
    'agents/clerk.md': '---\nname: clerk\ndescription: Keeps books.\ntools:\n  - read_file\n---\nCount.\n',
    'server.mjs': server,
  },
  'bundle-kit': {
    'manifest.json': {
      manifest_version: '0.3',
      name: 'bundle-kit',
      display_name: 'Bundle kit',
      version: '2.0.0',
      description: 'A bundle.',
      author: { name: 'Somebody' },
      server: {
        type: 'node',
        entry_point: 'server/index.mjs',
        mcp_config: {
          command: 'node',
          args: ['${__dirname}/server/index.mjs'],
          env: { GREETING: '${user_config.greeting}' },
        },
      },
      user_config: { greeting: { type: 'string', title: 'Greeting', default: 'ahoy' } },
    },
    'server/index.mjs': server,
  },
};

let machine: Machine;
beforeAll(() => {
  machine = createMachine({ 'a.txt': 'alpha\n' });
});
afterAll(() => machine.cleanup());

function sourceOf(name: string): string {
  const files = Object.entries(shapes[name] ?? {}).map(([path, content]) => ({
    path,
    text: typeof content === 'string' ? content : JSON.stringify(content, null, 2),
  }));
  if (name === 'bundle-kit') {
    writeFileSync(join(machine.home, 'bundle-kit.mcpb'), makeZip(files));
    return join(machine.home, 'bundle-kit.mcpb');
  }
  for (const { path, text } of files) {
    const target = join(machine.home, 'sources', name, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  return join(machine.home, 'sources', name);
}

describe.skipIf(!canConfine)('an extension in the usual shape of its format', () => {
  it.each(Object.keys(shapes))(
    '%s is installed, and its server answers in the sandbox',
    async (name) => {
      const { code, stdout, stderr } = await machine.run(['extensions', 'install', sourceOf(name), '--yes']);
      expect(code, stderr).toBe(0);
      expect(stdout).not.toContain('something is wrong');
      await machine.run(['mcp', 'list', name, '--check']);
      const called = await machine.run(['tools', 'run', `${name}__echo`, '--args', '{"text": "ship"}', '-y']);
      expect(called.stdout.trim(), called.stderr).toBe('ahoy ship, in the workspace: a.txt');
    },
    60_000,
  );

  it('all of them together bring their skills and hooks', async () => {
    const skills = await machine.run(['skills', 'list']);
    for (const name of ['tables', 'forms', 'ledger']) expect(skills.stdout).toContain(name);
    expect((await machine.run(['hooks', 'list'])).stdout).toContain('Edit|Write: true (extension claude-kit');
  }, 60_000);
});
