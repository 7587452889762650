import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { examineFolder, TOO_MANY } from './examine-folder.js';

let base: string;
let project: string;
const { signal } = new AbortController();

beforeEach(async () => {
  base = tempFolder();
  project = join(base, 'project');
  await mkdir(project);
});

async function write(name: string, content: unknown = 'x'): Promise<void> {
  await mkdir(dirname(join(project, name)), { recursive: true });
  await writeFile(
    join(project, name),
    typeof content === 'string' ? content : JSON.stringify(content, null, 1),
  );
}

const examine = (options = {}) => examineFolder(project, { signal, ...options });
const paths = async (options = {}) => Object.keys((await examine(options)).fingerprint);

describe('what could run in a folder', () => {
  it('is nothing in an ordinary one', async () => {
    await write('package.json', { scripts: { test: 'rm -rf /' } });
    await write('AGENTS.md');
    await write('.toolwright/notes.md');
    expect(await examine()).toEqual({
      folder: project,
      fingerprint: {},
      commands: [],
      contextFiles: ['AGENTS.md'],
    });
  });

  it('is its settings, servers, variables, tools and hooks', async () => {
    for (const name of [
      '.env',
      '.mcp.json',
      '.toolwright/settings.json',
      '.toolwright/tools/a/b.js',
      '.toolwright/hooks/c',
    ]) {
      await write(name);
    }
    expect(await paths()).toEqual([
      '.env',
      '.mcp.json',
      '.toolwright/hooks/c',
      '.toolwright/settings.json',
      '.toolwright/tools/a/b.js',
    ]);
  });

  it('is every file of its skills, and of a folder with too many files only that', async () => {
    await write('.claude/skills/pdf/scripts/run.sh');
    await write('.agents/skills/a/SKILL.md');
    expect(await paths()).toEqual(['.agents/skills/a/SKILL.md', '.claude/skills/pdf/scripts/run.sh']);
    await write('.qwen/skills/s/0');
    for (let index = 1; index < 2_001; index++) writeFileSync(join(project, `.qwen/skills/s/${index}`), 'x');
    expect((await examine()).fingerprint['.qwen/skills']).toBe(TOO_MANY);
    expect(await paths()).toHaveLength(3);
  });

  it('is every file of the project that a command names, in any spelling of the setting', async () => {
    for (const name of [
      'bin/discover',
      'tools/call.py',
      'server.js',
      'sub/run.sh',
      'conf.json',
      'pkg/index.js',
      'pkg/other.js',
      'package.json',
      'AGENTS.md',
      'src/a.ts',
    ]) {
      await write(name);
    }
    await write('.toolwright/settings.json', {
      toolDiscoveryCommand: './bin/discover --all',
      tools: { callCommand: ['python3', 'tools/call.py'] },
      mcpServers: {
        one: { command: 'node', args: ['--config=conf.json', `${project}/server.js`] },
        two: { command: 'bash', args: ['run.sh'], cwd: 'sub' },
        three: { command: 'node', args: ['pkg'] },
      },
      permissions: { deny: ['Edit(src/a.ts)', 'src/a.ts'] },
      context: { fileName: 'AGENTS.md' },
    });
    await write('.mcp.json', { mcpServers: { four: { command: 'npm', args: ['run', 'serve'] } } });
    expect(await paths()).toEqual([
      '.mcp.json',
      '.toolwright/settings.json',
      'bin/discover',
      'conf.json',
      'package.json',
      'pkg/index.js',
      'server.js',
      'sub/run.sh',
      'tools/call.py',
    ]);
  });

  it('is every file that the manifest of a program names, beside it or from the folder', async () => {
    await write('.toolwright/tools/count.json', {
      v: 1,
      name: 'count',
      command: ['python3', '../../scripts/count.py'],
    });
    await write('.toolwright/tools/list.json', { v: 1, name: 'list', command: 'node bin/list.mjs' });
    await write('.toolwright/tools/list.test.json', { v: 1, calls: [{ args: { command: 'src/other.ts' } }] });
    for (const name of ['scripts/count.py', 'bin/list.mjs', 'src/other.ts']) await write(name);
    const { fingerprint, commands } = await examine();
    expect(Object.keys(fingerprint)).toEqual([
      '.toolwright/tools/count.json',
      '.toolwright/tools/list.json',
      '.toolwright/tools/list.test.json',
      'bin/list.mjs',
      'scripts/count.py',
    ]);
    expect(commands).toEqual([
      {
        file: '.toolwright/tools/count.json',
        line: 4,
        setting: 'command',
        runs: 'python3 ../../scripts/count.py',
      },
      { file: '.toolwright/tools/list.json', line: 4, setting: 'command', runs: 'node bin/list.mjs' },
    ]);
  });

  it('is shown as commands with file and line', async () => {
    await write(
      '.toolwright/settings.json',
      '{\n  "tools": {"toolDiscoveryCommand": "./discover a"},\n  "mcp": {"serverCommand": ["serve", "two words"]}\n}',
    );
    await write(
      '.mcp.json',
      '{"mcpServers": {\n  "a": {"command": "npx", "args": ["-y", "it\'s"], "env": {"K": "v"}},\n  "b": {"url": "https://b.org"}}}',
    );
    expect((await examine()).commands).toEqual([
      {
        file: '.toolwright/settings.json',
        line: 2,
        setting: 'tools.toolDiscoveryCommand',
        runs: './discover a',
      },
      { file: '.toolwright/settings.json', line: 3, setting: 'mcp.serverCommand', runs: "serve 'two words'" },
      { file: '.mcp.json', line: 2, setting: 'mcpServers.a', runs: "npx -y 'it'\\''s' with K=v" },
      { file: '.mcp.json', line: 3, setting: 'mcpServers.b', runs: 'https://b.org' },
    ]);
  });

  it('is shown with the variables that are set for it, and with what is sent to an address', async () => {
    await write('.mcp.json', {
      mcpServers: {
        b: { url: 'https://b.test/mcp', headers: { 'X-Key': '$SECRET' } },
        a: { command: 'node', args: ['a.js'], env: { NODE_OPTIONS: '--require ./evil.js', B: 'c' } },
      },
    });
    await write('evil.js');
    const { commands, fingerprint } = await examine();
    expect(commands.map(({ runs }) => runs)).toEqual([
      "https://b.test/mcp with X-Key='$SECRET'",
      "node a.js with NODE_OPTIONS='--require ./evil.js' B=c",
    ]);
    expect(Object.keys(fingerprint)).toContain('evil.js');
  });

  it('is shown with what it would be allowed', async () => {
    await write('.mcp.json', {
      mcpServers: {
        a: { command: 'a', sandbox: 'read', network: false },
        b: { command: 'b', env: { K: 'v' }, sandbox: 'write', network: true },
        c: { command: 'c', network: true },
        d: { command: 'd', sandbox: 'off' },
      },
    });
    expect((await examine()).commands.map(({ runs }) => runs)).toEqual([
      'a',
      'b with K=v, may change the files of this folder and reaches the network',
      'c, reaches the network',
      'd, OUTSIDE THE SANDBOX: it can do whatever you can',
    ]);
  });

  it('is shown as it counts where a key stands twice', async () => {
    await write(
      '.mcp.json',
      '{"mcpServers": {"a": {"command": "sh", "args": ["safe"], "args": ["evil"], "env": {}, "env": {"A": "b"}}}}',
    );
    expect((await examine()).commands.map(({ runs }) => runs)).toEqual(['sh evil with A=b']);
  });

  it('says how much of a long command is not shown', async () => {
    await write('.mcp.json', {
      mcpServers: { a: { command: 'sh', args: ['-c', `true${' '.repeat(2_000)}; x`] } },
    });
    const [command] = (await examine()).commands;
    expect(command?.runs).toMatch(/^sh -c 'true +… \(1,5\d\d more characters\)$/);
  });

  it.each([
    [
      'commands',
      { mcpServers: Object.fromEntries([...Array(201)].map((_, at) => [`s${at}`, { command: 'x' }])) },
    ],
    ['words', { mcpServers: { a: { command: 'node', args: [...Array(2_000).fill('x'), './server.js'] } } }],
  ])('is refused with more %s than can be shown and looked at', async (_what, settings) => {
    await write('.mcp.json', settings);
    await expect(examine()).rejects.toThrow(
      /has more commands in \.mcp\.json than anybody would read that could run, .* Shorten \.mcp\.json\.$/,
    );
  });

  it('never reaches outside the folder by a name', async () => {
    await writeFile(join(base, 'outside'), 'x');
    await write('.mcp.json', {
      mcpServers: { a: { command: '../outside', args: [join(base, 'outside'), '/etc/passwd', '..', '.'] } },
    });
    expect(await paths()).toEqual(['.mcp.json']);
  });

  it('is what links lead to, also folders and circles', async () => {
    await writeFile(join(base, 'real.js'), 'one');
    await mkdir(join(base, 'more'));
    await writeFile(join(base, 'more/deep.js'), 'x');
    await mkdir(join(project, '.toolwright/tools'), { recursive: true });
    await symlink(join(base, 'real.js'), join(project, '.toolwright/tools/link.js'));
    await symlink(join(base, 'more'), join(project, '.toolwright/tools/more'));
    await symlink('..', join(project, '.toolwright/tools/circle'));
    await symlink('nowhere', join(project, '.toolwright/tools/dangling'));
    const before = await examine();
    expect(Object.keys(before.fingerprint)).toEqual([
      '.toolwright/tools/link.js',
      '.toolwright/tools/more/deep.js',
    ]);
    await writeFile(join(base, 'real.js'), 'two');
    const after = await examine();
    expect(after.fingerprint['.toolwright/tools/link.js']).not.toBe(
      before.fingerprint['.toolwright/tools/link.js'],
    );
  });

  it('can be told of pipes and broken settings without waiting or failing', async () => {
    await write('.toolwright/settings.json', '{ broken');
    await mkdir(join(project, '.toolwright/tools'));
    execFileSync('mkfifo', [join(project, '.toolwright/tools/pipe'), join(project, '.mcp.json')]);
    await mkdir(join(project, '.env'));
    const { fingerprint, commands } = await examine();
    expect(fingerprint).toEqual({
      '.mcp.json': 'unreadable',
      '.toolwright/settings.json': expect.stringMatching(/^[0-9a-f]{64}$/),
      '.toolwright/tools/pipe': 'unreadable',
    });
    expect(commands).toEqual([]);
  });

  it('leaves out the state folder, which is the user’s own', async () => {
    await write('.toolwright/settings.json');
    await write('.toolwright/tools/mine.js');
    await write('.env');
    expect(await paths({ stateFolder: join(project, '.toolwright') })).toEqual(['.env']);
  });

  it('is bounded in number and size, and the search can be stopped', async () => {
    for (let index = 0; index < 6; index++) await write(`.toolwright/tools/${index}.js`, 'x'.repeat(100));
    await expect(examine({ limits: { files: 5, bytes: 1e9 } })).rejects.toThrow(
      /has more than 5 files that could run, too much to be vouched for/,
    );
    await expect(examine({ limits: { files: 9, bytes: 500 } })).rejects.toThrow(/more than 1 MB/);
    await expect(examine({ signal: AbortSignal.abort({ kind: 'user' }) })).rejects.toEqual({ kind: 'user' });
    await expect(examineFolder(join(project, 'none'), { signal })).rejects.toThrow(
      /none can't be used: it does not exist or can't be entered\./,
    );
  });
});
