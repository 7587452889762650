import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeZip } from '../packages/machine/src/base/archives/fixtures/make-archives.js';
import { canConfine } from './extensions/confining.js';
import { createMachine, type Machine } from './program.js';
import { extensions, type WildExtension } from './wild/extensions.js';
import { besideHooks, type WildHook, wildHooks } from './wild/hooks.js';
import { skills } from './wild/skills.js';
import { table } from './wild/table.js';

const rows: string[][] = [];
let machine: Machine;
beforeAll(() => {
  machine = createMachine({ 'a.txt': 'alpha\n' });
});
afterAll(() => {
  machine.cleanup();
  console.log(table('evidence: pieces in the shape of public ones, installed and used', rows));
});

function write(root: string, files: Record<string, string | object>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    if (/\.(?:sh|py|mjs)$/.test(path)) chmodSync(join(root, path), 0o755);
  }
}

function sourceOf({ name, format, files }: WildExtension): string {
  const root = join(machine.home, 'sources', name);
  if (format !== 'MCP bundle') {
    write(root, files);
    return root;
  }
  const packed = Object.entries(files).map(([path, content]) => ({
    path,
    text: typeof content === 'string' ? content : JSON.stringify(content),
  }));
  writeFileSync(`${root}.mcpb`, makeZip(packed));
  return `${root}.mcpb`;
}

describe.skipIf(!canConfine)('an extension in the shape of a public one', () => {
  beforeAll(() => mkdirSync(join(machine.home, 'sources'), { recursive: true }));

  it.each(extensions.map((extension) => [extension.format, extension.name, extension] as const))(
    'of %s: %s is installed and used',
    async (format, name, extension) => {
      const { what, use } = extension;
      const installed = await machine.run(['extensions', 'install', sourceOf(extension), '--yes']);
      expect(installed.code, installed.stderr).toBe(0);
      expect(installed.stdout).not.toContain('is wrong');
      if (use.what === 'server') await machine.run(['mcp', 'list', name, '--check']);
      const args = use.what === 'context' ? [...use.args, name] : use.args;
      const used = await machine.run([...args]);
      expect(used.stdout + used.stderr).toMatch(use.shows);
      // A hook of one must not stand in the way of the others.
      await machine.run(['extensions', 'disable', name]);
      rows.push(['extension', format, name, what, `used by its ${use.what}`]);
    },
    60_000,
  );
});

describe('a skill in the shape of a public one', () => {
  it.each(Object.keys(skills))(
    '%s is listed and loaded',
    async (name) => {
      const own = createMachine({ 'a.txt': 'alpha\n' });
      write(join(own.home, '.claude/skills', name), skills[name]!);
      const checked = await own.run(['skills', 'check', name]);
      expect(checked.stdout, checked.stdout + checked.stderr).toContain(`ok   ${name}:`);
      const isForUser = skills[name]!['SKILL.md']!.includes('disable-model-invocation');
      const prompt = isForUser ? `/${name} list .` : `use skill with name="${name}"`;
      const used = await own.run(['-p', prompt, '--provider', 'offline']);
      expect(used.code, used.stderr).toBe(0);
      if (!isForUser) expect(used.stdout).toContain(`The skill ${name}.`);
      const keys = [...skills[name]!['SKILL.md']!.matchAll(/^([a-z_-]+):/gm)].map(([, key]) => key);
      rows.push([
        'skill',
        '',
        name,
        keys.join(' '),
        isForUser ? 'called by the user' : 'loaded by the model',
      ]);
      own.cleanup();
    },
    60_000,
  );
});

async function tryHook(agent: 'claude' | 'gemini' | 'qwen', hook: WildHook): Promise<string> {
  const path = `.${agent}/hooks/${hook.file}`;
  const group = JSON.parse(JSON.stringify(hook.group).replaceAll('SCRIPT', path));
  const own = createMachine({ 'a.txt': 'alpha\n' });
  const settings = { ...besideHooks[agent], hooks: { [hook.event]: [group] } };
  write(own.workspace, { [`.${agent}/settings.json`]: settings, [path]: hook.script });
  await own.run(['trust']);
  const { tool, args } = hook.sample ?? {};
  const sample = tool === undefined ? [] : ['--tool', tool, '--args', JSON.stringify(args)];
  const event = {
    BeforeTool: 'PreToolUse',
    AfterTool: 'PostToolUse',
    BeforeAgent: 'UserPromptSubmit',
    AfterAgent: 'Stop',
  }[hook.event];
  const tried = await own.run(['hooks', 'try', event ?? hook.event, ...sample]);
  own.cleanup();
  return tried.stdout + tried.stderr;
}

describe.skipIf(!canConfine).each(['claude', 'gemini', 'qwen'] as const)('a hook script for %s', (agent) => {
  it.each(wildHooks(agent).map((hook) => [hook.what, hook] as const))(
    '%s',
    async (what, hook) => {
      const said = await tryHook(agent, hook);
      expect(said).toMatch(hook.says);
      rows.push(['hook', agent, hook.event, what, hook.says.exec(said)![0]]);
    },
    60_000,
  );
});
