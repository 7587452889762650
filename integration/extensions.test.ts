// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of extensions are written so.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTar, makeZip } from '../packages/machine/src/base/archives/fixtures/make-archives.js';
import { canConfine } from './extensions/confining.js';
import { startRegistry } from './extensions/registry.js';
import { createMachine, type Machine } from './program.js';

const server = readFileSync(new URL('./extensions/echo-server.mjs', import.meta.url), 'utf8');

let machine: Machine;
beforeAll(() => {
  machine = createMachine({ 'a.txt': 'alpha\n' });
});
afterAll(() => machine.cleanup());

/** Writes an extension beside the workspace; gives its path. */
function extension(name: string, files: Record<string, string | object>): string {
  const root = join(machine.home, 'sources', name);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
    if (path.endsWith('.sh')) chmodSync(join(root, path), 0o755);
  }
  return root;
}

const skill = (name: string): string =>
  `---\nname: ${name}\ndescription: A skill about ${name}, for tests.\n---\nFollow ${name}.\n`;
const run = (...args: string[]) => machine.run(['extensions', ...args]);

describe.skipIf(!canConfine)('an extension that is installed', () => {
  it('brings skills, commands, hooks and servers, which work, and keep to what was accepted', async () => {
    const root = extension('harbour', {
      '.claude-plugin/plugin.json': { name: 'harbour', version: '1.0.0' },
      'skills/tides/SKILL.md': skill('tides'),
      'commands/look.md': 'Look: !`cat ${CLAUDE_PLUGIN_ROOT}/chart.txt`',
      'chart.txt': 'rocks ahead\n',
      'agents/pilot.md': '---\nname: pilot\ndescription: Steers.\n---\nSteer.\n',
      'hooks/hooks.json': {
        hooks: {
          PreToolUse: [
            {
              matcher: 'Write',
              hooks: [{ type: 'command', command: '"${CLAUDE_PLUGIN_ROOT}/hooks/no.sh"', timeout: 10 }],
            },
          ],
        },
      },
      'hooks/no.sh': '#!/bin/sh\ngrep -q forbidden && { echo "not that word" >&2; exit 2; }\nexit 0\n',
      '.mcp.json': {
        mcpServers: {
          echo: {
            command: 'node',
            args: ['${CLAUDE_PLUGIN_ROOT}/server.mjs'],
            env: { GREETING: '${HARBOUR_GREETING}' },
          },
        },
      },
      'server.mjs': server,
    });
    expect((await run('install', root, '--yes')).code).toBe(0);
    const loaded = await machine.run(['-p', 'use skill with name="tides"', '--provider', 'offline']);
    expect(loaded.stdout).toContain('Follow tides.');
    expect(loaded.stderr).toContain(
      'The MCP server echo of the extension harbour is off: it needs $HARBOUR_GREETING, which is not set.',
    );
    const env = { HARBOUR_GREETING: 'ahoy' };
    const words = ['tools', 'run', 'echo__echo', '--args', '{"text": "ship"}', '-y'];
    await machine.run(['mcp', 'list', '--check'], { env });
    expect((await machine.run(words, { env })).stdout.trim()).toBe('ahoy ship, in the workspace: a.txt');
    const written = { file_path: 'b.txt', content: 'forbidden' };
    const refused = await machine.run(
      ['tools', 'run', 'write_file', '--args', JSON.stringify(written), '-y'],
      {
        env,
      },
    );
    expect(refused.stderr + refused.stdout).toContain('says no: not that word');

    const [version = ''] = readdirSync(join(machine.state, 'extensions', 'harbour'));
    const installed = join(machine.state, 'extensions', 'harbour', version);
    chmodSync(join(installed, 'server.mjs'), 0o600);
    appendFileSync(join(installed, 'server.mjs'), '// another line\n');
    const changed = 'extension harbour is not what was accepted';
    const refusedServer = await machine.run(words, { env });
    expect(refusedServer.stdout + refusedServer.stderr).toContain(changed);
    const prompts = [
      'use skill with name="tides"',
      '/tides',
      '/look',
      'use agent with {"agent": "pilot", "task": "x"}',
    ];
    for (const prompt of prompts) {
      const { stdout, stderr } = await machine.run(['-p', prompt, '--provider', 'offline']);
      expect(stdout + stderr, prompt).toContain(changed);
    }
    expect(await run('show', 'harbour')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('This is not what was accepted, so none of it is used.'),
    });
    expect((await run('list')).stdout).toContain('harbour 1.0.0 (changed on disk, not used)');
    expect((await run('update', 'harbour', '--yes')).stdout).toContain('Updated harbour.');
    expect((await machine.run(words, { env })).stdout).toContain('ahoy ship');
    expect((await run('remove', 'harbour')).code).toBe(0);
    expect(readdirSync(join(machine.state, 'extensions'))).toEqual([]);
  }, 60_000);
});

it('an update of all goes on where one fails, and its end says so', async () => {
  const mine = createMachine({ 'a.txt': 'alpha\n' });
  const places = ['gone', 'kept'].map((name) => {
    const root = join(mine.home, 'sources', name);
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, 'plugin.json'), JSON.stringify({ name, version: '1.0.0' }));
    return root;
  });
  for (const place of places) await mine.run(['extensions', 'install', place, '--yes']);
  renameSync(places[0]!, `${places[0]}-elsewhere`);
  writeFileSync(join(places[1]!, 'plugin.json'), JSON.stringify({ name: 'kept', version: '2.0.0' }));
  const { code, stdout } = await mine.run(['extensions', 'update', '--all', '--yes']);
  expect(stdout).toMatch(/^gone stays as it was accepted: .+\n.*Updated kept\./s);
  expect(code).toBe(1);
  mine.cleanup();
}, 60_000);

describe('an extension of a project', () => {
  it('counts once the folder is trusted, and no longer when a file of it changes', async () => {
    const project = createMachine({
      '.toolwright/extensions/port/gemini-extension.json': '{"name": "port", "version": "2.0.0"}',
      '.toolwright/extensions/port/skills/tides/SKILL.md': skill('tides'),
      '.toolwright/extensions/port/commands/look.toml': 'prompt = "show a.txt"\n',
      '.toolwright/extensions/broken/plugin.json': '{\n  "name": oops\n}',
      'a.txt': 'alpha\n',
    });
    const skills = () => project.run(['skills', 'list']);
    expect((await skills()).stdout).toContain('There are no skills here.');
    await project.run(['trust']);
    const trusted = await skills();
    expect(trusted.stdout).toContain('tides  A skill about tides, for tests. (the extension port)');
    expect(trusted.stderr).toMatch(/extensions\/broken\/plugin\.json:2: .*The extension is off\./);
    expect((await project.run(['extensions', 'list'])).stdout).toContain('port 2.0.0 (on, of this project)');
    expect((await project.run(['-p', '/look', '--provider', 'offline'])).stdout).toContain('alpha');
    appendFileSync(join(project.workspace, '.toolwright/extensions/port/commands/look.toml'), '# more\n');
    expect((await skills()).stdout).toContain('There are no skills here.');
    project.cleanup();
  }, 60_000);
});

describe('extensions of another agent', () => {
  it('are brought over switched off, and count once their page is accepted', async () => {
    const mine = createMachine({ 'a.txt': 'alpha\n' });
    const root = join(mine.home, '.gemini/extensions');
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    write('port/gemini-extension.json', '{"name": "port", "version": "2.0.0"}');
    write('port/skills/tides/SKILL.md', skill('tides'));
    write('gone/.gemini-extension-install.json', '{"type": "link", "source": "/nowhere"}');
    const imported = await mine.run(['import', '--yes']);
    expect(imported.stdout).toMatch(
      /Extensions, each off until you accept its page:\n {4}gone .*\n {4}port /,
    );
    expect(imported.stdout).toContain('port is here, switched off.');
    expect(imported.stdout).toMatch(/The extension gone was not imported\. There is no \/nowhere\./);
    const skills = async (): Promise<string> => (await mine.run(['skills', 'list'])).stdout;
    expect(await skills()).toContain('There are no skills here.');
    expect((await mine.run(['import', '--yes'])).stdout).toContain(
      'The extension port is installed already.',
    );
    expect((await mine.run(['extensions', 'list'])).stdout).toContain(
      'port 2.0.0 (off; toolwright extensions enable port shows its page)',
    );
    const unasked = await mine.run(['extensions', 'enable', 'port']);
    expect([unasked.code, unasked.stdout]).toEqual([
      54,
      expect.stringContaining('skill tides: A skill about'),
    ]);
    expect(await skills()).toContain('There are no skills here.');
    expect((await mine.run(['extensions', 'enable', 'port', '--yes'])).stdout).toContain('port is on from');
    expect(await skills()).toContain('(the extension port)');
    mine.cleanup();
  }, 60_000);
});

describe('names that are taken', () => {
  it('stay with whoever has them, and the page and the program say so', async () => {
    machine.write('../home/.claude/skills/tides/SKILL.md', skill('tides'));
    machine.write('../home/.claude/commands/deploy.md', 'Mine.');
    const root = extension('second', {
      'plugin.json': { name: 'second' },
      'skills/tides/SKILL.md': skill('tides'),
      'commands/deploy.md': 'Theirs.',
      'commands/help.md': 'Theirs.',
      'agents/general.md': '---\nname: general\ndescription: Another one.\n---\nx\n',
    });
    const { stdout } = await run('install', root, '--yes');
    expect(stdout).toContain(`Names that are taken already:
  the skill tides is off: the name is taken by the one in ~/.claude/skills
  /deploy is called /second:deploy: the name is taken by ~/.claude/commands
  /help is called /second:help: the name is taken by the program
Off, because something is wrong:
  agents/general.md: the name general is taken (built in); rename one of them.`);
    const told = await machine.run(['skills', 'list']);
    expect(told.stdout).toContain('the name tides is taken by the skill in');
    const again = await run('install', root);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain(`The extension second is already installed, from ${root}.`);
    await run('remove', 'second');
  }, 30_000);
});

describe('where extensions come from', () => {
  it('a git repository is fetched without its hooks and submodules, and an update says what changes', async () => {
    const root = extension('repository', {
      'gemini-extension.json': { name: 'whales', version: '0.1.0' },
      'GEMINI.md': 'Speak of whales.',
      '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = https://example.invalid/x\n',
    });
    const git = (...words: string[]) =>
      execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words]);
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    expect((await run('install', `file://${root}`, '--yes')).stdout).toMatch(
      /from file:.* \(commit [0-9a-f]{12}\)/,
    );
    writeFileSync(join(root, 'GEMINI.md'), 'Speak of sharks.');
    git('commit', '-qam', 'two');
    const offered = await run('update', 'whales');
    expect(offered.code).toBe(54);
    expect(offered.stdout).toContain('-     | Speak of whales.\n+     | Speak of sharks.');
    expect((await run('show', 'whales')).stdout).toContain('Speak of whales.');
    expect((await run('update', 'whales', '--yes')).code).toBe(0);
    expect((await run('show', 'whales')).stdout).toContain('Speak of sharks.');
    await run('disable', 'whales');
    expect((await run('show', 'whales')).stdout).toContain('It is off. toolwright extensions enable whales');
    const shown = JSON.parse((await run('show', 'whales', '--json')).stdout);
    expect(shown).toMatchObject({ isChanged: false, isOn: false, page: expect.stringMatching(/sharks/) });
    await run('remove', 'whales');
  }, 30_000);

  it('a package of npm is taken as it was published, from the registry of the user, and none of its scripts run', async () => {
    const manifest = {
      name: 'sea-kit',
      version: '3.2.1',
      scripts: {
        preinstall: 'touch ran',
        prepack: 'touch ran',
        prepare: 'touch ran',
        postinstall: 'touch ran',
      },
    };
    const registry = await startRegistry(manifest, {
      'qwen-extension.json': JSON.stringify({ name: 'sea-kit', version: '3.2.1' }),
      'QWEN.md': 'Speak of the sea.',
    });
    const env = { npm_config_registry: registry.url, npm_config_cache: join(machine.home, 'npm') };
    const { stdout, stderr, code } = await machine.run(['extensions', 'install', 'npm:sea-kit', '--yes'], {
      env,
    });
    await registry.close();
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('from npm:sea-kit (version 3.2.1)');
    expect(readdirSync(machine.workspace)).not.toContain('ran');
    await run('remove', 'sea-kit');
  }, 30_000);

  it('archives that are bombs or lead out are refused, and so are links out of a folder', async () => {
    const at = (name: string, bytes: Buffer): string => {
      writeFileSync(join(machine.home, name), bytes);
      return join(machine.home, name);
    };
    const manifest = { path: 'plugin.json', text: '{"name": "x"}' };
    const linked = extension('linked', { 'plugin.json': { name: 'linked' } });
    symlinkSync('/etc', join(linked, 'skills'));
    const cases: [string, string][] = [
      [
        at('out.zip', makeZip([manifest, { path: '../../x', text: 'x' }])),
        '"../../x" is a path that leaves the folder',
      ],
      [at('link.tgz', makeTar([manifest, { path: 'l', text: '', type: '2' }])), 'l is a link'],
      [
        at('bomb.zip', makeZip([manifest, { path: 'b', text: '\0'.repeat(140 * 2 ** 20) }])),
        'it unpacks to more than 128 MB',
      ],
      [at('none.mcpb', Buffer.from('not an archive')), 'is broken'],
      [at('empty.zip', makeZip([{ path: 'a/b.txt', text: '' }])), 'this is not an extension'],
      [linked, 'skills is a link that leads out of the folder'],
    ];
    for (const [source, message] of cases) {
      const { code, stderr } = await run('install', source, '--yes');
      expect([code, stderr], source).toEqual([52, expect.stringContaining(message)]);
    }
    expect(readdirSync(join(machine.state, 'extensions'))).toEqual([]);
  }, 60_000);
});

it.skipIf(!canConfine)(
  'a new extension passes its checks and the test of its tool, and works as it is',
  async () => {
    const made = await run('new', 'pond-kit');
    expect([made.code, made.stdout]).toEqual([
      0,
      expect.stringMatching(/ok {9}the test\n.*2 parts: 2 A, 0 B/s),
    ]);
    expect((await run('install', './pond-kit', '--yes')).code).toBe(0);
    const call = (name: string, args: object) =>
      machine.run(['tools', 'run', name, '--args', JSON.stringify(args), '-y']);
    expect((await call('pond_kit_words', { text: 'one two' })).stdout).toMatch(/2/);
    const refused = await call('write_file', { file_path: 'a.generated.ts', content: 'x' });
    expect(refused.stdout + refused.stderr).toContain('Generated files are made by the build');
    await run('remove', 'pond-kit');
  },
  30_000,
);

it('a folder of the workspace is checked by its name alone, as it is installed', async () => {
  mkdirSync(join(machine.workspace, 'sea-kit'));
  writeFileSync(join(machine.workspace, 'sea-kit/plugin.json'), '{"name": "sea-kit", "version": "1.0.0"}');
  const checked = await run('check', 'sea-kit');
  expect(checked.stdout).toContain('sea-kit, from ');
  const unknown = await run('check', 'lake-kit');
  expect([unknown.code, unknown.stderr]).toEqual([
    52,
    expect.stringContaining('There is no extension lake-kit'),
  ]);
});
