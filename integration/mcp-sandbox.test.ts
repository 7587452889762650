import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isConfined as confined } from './confined.js';
import { type McpStage, mcpStages, server } from './mcp/stage.js';

const stage = mcpStages('confined servers');
const probe = server.misbehaving('probe');
const wire = fileURLToPath(new URL('./servers/wire.mjs', import.meta.url));

/** Says what the server answers, on one line. */
type Try = (tool: 'write' | 'read' | 'reach', path: string) => Promise<string>;

function trying({ run }: McpStage, alias = 'probe', flags: string[] = []): Try {
  return async (tool, path) => {
    const call = ['tools', 'run', `${alias}__${tool}`, '--args', JSON.stringify({ path }), '-y', '--trust'];
    const { stdout, stderr, code } = await run([...call, ...flags]);
    return (code === 0 ? stdout : stderr).split('\n')[0] as string;
  };
}

async function withPerson(settings: Record<string, unknown>): Promise<McpStage> {
  const opened = await stage({ probe: { ...probe, ...settings } });
  const { machine, run } = opened;
  mkdirSync(join(machine.home, '.ssh'));
  writeFileSync(join(machine.home, '.ssh', 'id'), 'a key');
  writeFileSync(join(machine.home, 'private.txt'), 'private');
  mkdirSync(join(machine.workspace, '.vscode'));
  machine.write('.vscode/tasks.json', '{}');
  await run(['mcp', 'list', '--trust']);
  return opened;
}

async function withListener<Result>(work: (port: number) => Promise<Result>): Promise<Result> {
  const listener = createServer((socket) => socket.end());
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  try {
    return await work((listener.address() as { port: number }).port);
  } finally {
    listener.close();
  }
}

describe.skipIf(!confined)('a server', () => {
  it('reads the workspace and changes nothing in it, and finds its own home again', async () => {
    const opened = await withPerson({});
    const { machine } = opened;
    const attempt = trying(opened);
    expect(await attempt('read', 'a.txt')).toBe('alpha');
    expect(await attempt('write', 'made.txt')).toMatch(/^refused: EROFS/);
    expect(await attempt('write', '~/state.txt')).toBe('written');
    expect(await attempt('read', '~/state.txt')).toBe('written');
    expect(existsSync(join(machine.home, 'state.txt'))).toBe(false);
    for (const secret of ['~/.ssh/id', '~/private.txt', '~/.toolwright/settings.json'])
      expect(await attempt('read', secret)).toMatch(/^refused: (ENOENT|EACCES)/);
    const leaked = join(machine.workspace, '..', 'leaked');
    expect(await attempt('write', leaked)).toMatch(/^written|refused/);
    expect(existsSync(leaked)).toBe(false);
  });

  it('that may write changes the workspace, and neither what is protected nor its own code', async () => {
    const opened = await withPerson({ sandbox: 'write' });
    opened.machine.write(
      'server.mjs',
      readFileSync(fileURLToPath(new URL('servers/probe.mjs', import.meta.url)), 'utf8'),
    );
    opened.machine.write(
      'wire.mjs',
      readFileSync(fileURLToPath(new URL('servers/wire.mjs', import.meta.url)), 'utf8'),
    );
    opened.configure({ probe: { command: process.execPath, args: ['server.mjs'], sandbox: 'write' } });
    await opened.run(['mcp', 'list', '--trust']);
    const attempt = trying(opened);
    expect(await attempt('write', 'made.txt')).toBe('written');
    expect(readFileSync(join(opened.machine.workspace, 'made.txt'), 'utf8')).toBe('written');
    for (const path of ['.vscode/tasks.json', 'server.mjs', 'wire.mjs'])
      expect(await attempt('write', path)).toMatch(/^refused: EROFS/);
    expect(await attempt('read', '~/.ssh/id')).toMatch(/^refused: ENOENT/);
  });

  it('of your own reaches the network, unless you say otherwise', async () => {
    const opened = await withPerson({});
    await withListener(async (port) => {
      expect(await trying(opened)('reach', String(port))).toBe('reached');
      opened.configure({ probe: { ...probe, network: false } });
      const refused = await trying(opened)('reach', String(port));
      expect(refused).toMatch(/^refused: connect E/);
      opened.configure({ probe: { ...probe, sandbox: 'off', network: false } });
      expect(await trying(opened)('reach', String(port))).toBe('reached');
      expect(await trying(opened)('read', '~/.ssh/id')).toBe('a key');
    });
  });

  it('of a project has no network unless it says so, and that is shown to whoever trusts it', async () => {
    const opened = await stage({});
    const { machine, run } = opened;
    const projects = { quiet: probe, loud: { ...probe, network: true }, free: { ...probe, sandbox: 'off' } };
    machine.write('.mcp.json', JSON.stringify({ mcpServers: projects }));
    const { stdout } = await run(['mcp', 'list', '--trust', '--json']);
    const rows = (JSON.parse(stdout) as { servers: { name: string; runs: unknown }[] }).servers;
    expect(rows.map(({ name, runs }) => [name, runs])).toEqual([
      [
        'quiet',
        {
          sandbox: 'read',
          network: false,
          confined: true,
          sentence: 'confined: reads the workspace, no network',
        },
      ],
      [
        'loud',
        {
          sandbox: 'read',
          network: true,
          confined: true,
          sentence: 'confined: reads the workspace, reaches the network',
        },
      ],
      [
        'free',
        {
          sandbox: 'off',
          network: false,
          confined: false,
          sentence: 'unconfined: its sandbox is off; it can do whatever you can',
        },
      ],
    ]);
    await withListener(async (port) => {
      expect(await trying(opened, 'quiet')('reach', String(port))).toMatch(/^refused: /);
      expect(await trying(opened, 'loud')('reach', String(port))).toBe('reached');
    });
    const question = await run(['trust']);
    expect(question.stdout).toMatch(/probe\.mjs, reaches the network/);
    expect(question.stdout).toMatch(/probe\.mjs, OUTSIDE THE SANDBOX: it can do whatever you can/);
    console.log(`evidence: what trusting a project shows:\n${question.stdout}`);
  });

  it('that failed by the sandbox says what would allow it', async () => {
    const opened = await withPerson({});
    const call = ['tools', 'run', 'probe__write', '--args', '{"path":"made.txt"}', '-y'];
    const { stdout, stderr } = await opened.run(call);
    expect(stdout + stderr).toContain('the user can set mcpServers.probe.sandbox to "write".');
  });
});

describe('mcp list', () => {
  it('says how each server runs, also where nothing confines it', async () => {
    const { run } = await stage({ probe, far: { httpUrl: 'http://127.0.0.1:1/mcp' } });
    const { stdout } = await run(['mcp', 'list', '--sandbox', 'off']);
    expect(stdout).toContain('  unconfined: the sandbox is switched off; it can do whatever you can\n');
    expect(stdout.match(/confined/g)).toHaveLength(1);
    if (confined)
      expect((await run(['mcp', 'list'])).stdout).toContain(
        '  confined: reads the workspace, reaches the network\n',
      );
  });
});

describe.skipIf(!confined)('mcp add', () => {
  const settingsOf = ({ machine }: McpStage): Record<string, { sandbox?: string; network?: boolean }> =>
    JSON.parse(readFileSync(join(machine.state, 'settings.json'), 'utf8')).mcpServers;
  const add = (opened: McpStage, flags: string[], ...args: string[]) =>
    opened.run([
      'mcp',
      'add',
      'probe',
      ...flags,
      '--',
      process.execPath,
      ...(probe['args'] as string[]),
      ...args,
    ]);

  it('keeps what works read-only as it is', async () => {
    const opened = await stage({});
    const { stdout } = await add(opened, []);
    expect(stdout).toMatch(
      /It answers, with 3 tools: .*\nIt runs confined: reads the workspace, reaches the network\.\n$/,
    );
    expect(settingsOf(opened)['probe']).not.toHaveProperty('sandbox');
  });

  it('finds out that a server must change the workspace, says so and writes it down', async () => {
    const opened = await stage({});
    const { stdout } = await add(opened, [], 'lock');
    expect(stdout).toMatch(
      /It does not work where it can only read the workspace, so it may change it too \(sandbox: write\)\.\nIt answers, with 3 tools: .*\nIt runs confined: reads and changes the workspace, reaches the network\.\n$/,
    );
    expect(settingsOf(opened)['probe']).toMatchObject({ sandbox: 'write' });
    console.log(`evidence: mcp add of a server that writes:\n${stdout}`);
  });

  it('never takes the sandbox away unasked', async () => {
    const opened = await stage({});
    const outside = join(opened.machine.workspace, '..', 'outside', 'lock');
    mkdirSync(join(opened.machine.workspace, '..', 'outside'));
    const refused = await add(opened, [], `${outside}/../../work/../outside/lock`);
    expect(refused.stdout).toMatch(
      /It does not work yet: [\s\S]*\nWithout the sandbox it was not tried\. If you want that: toolwright mcp remove probe, and add it with --sandbox off\n$/,
    );
    expect(settingsOf(opened)['probe']).not.toHaveProperty('sandbox');
    await opened.run(['mcp', 'remove', 'probe']);
    const told = await add(opened, ['--sandbox', 'off', '--network', 'off'], outside);
    expect(told.stdout).toMatch(/It runs unconfined: its sandbox is off; it can do whatever you can\.\n$/);
    expect(settingsOf(opened)['probe']).toMatchObject({ sandbox: 'off', network: false });
    expect((await add(opened, ['--sandbox', 'maybe'])).stderr).toContain(
      '--sandbox maybe: write read, write or off.',
    );
  });

  it('can be taken back without losing what the server has saved', async () => {
    const opened = await stage({});
    await add(opened, []);
    const homes = join(opened.machine.state, 'mcp', 'homes');
    const remove = async (): Promise<string> => (await opened.run(['mcp', 'remove', 'probe'])).stdout;
    expect(await remove()).toMatch(/^Removed probe from .*settings\.json\n$/);
    expect(readdirSync(homes)).toEqual([]);
    await add(opened, []);
    const attempt = trying(opened);
    expect(await attempt('write', '~/notes.txt')).toBe('written');
    expect(await remove()).toMatch(
      /\nWhat it saved stays in .*\/mcp\/homes\/probe-\w+\nA server added as probe will find it again; delete the folder if you no longer need it\.\n$/,
    );
    await add(opened, []);
    expect(await attempt('read', '~/notes.txt')).toBe('written');
  });

  it('says which named files a server can read but not change', async () => {
    const opened = await stage({});
    const { stdout } = await add(opened, ['--env', 'MEMORY_FILE_PATH=/srv/memory.json']);
    expect(stdout).toContain(
      "It can't change /srv/memory.json (MEMORY_FILE_PATH). If it must: --sandbox write\n",
    );
    await opened.run(['mcp', 'remove', 'probe']);
    const kept = join(opened.machine.home, 'memory.json');
    expect((await add(opened, ['--env', `MEMORY_FILE_PATH=${kept}`])).stdout).not.toContain("can't change");
  });
});

it('a server that takes more memory than it may is ended, and the answer names the setting', async () => {
  const { run, machine } = await stage({});
  const server = `import { serve, text } from ${JSON.stringify(wire)};
serve('hog', {
  'tools/list': () => ({ tools: [{ name: 'fill', description: 'Fills.', inputSchema: { type: 'object' } }] }),
  'tools/call': async () => {
    const kept = [];
    for (let at = 0; at < 100; at++) {
      kept.push(Buffer.alloc(10 << 20, 1));
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    return text('filled');
  },
});
`;
  writeFileSync(join(machine.home, 'hog.mjs'), server);
  const hog = { command: process.execPath, args: [join(machine.home, 'hog.mjs')], sandbox: 'off' };
  const settings = { sandbox: { memory: '250m' }, mcpServers: { hog } };
  writeFileSync(join(machine.state, 'settings.json'), JSON.stringify(settings));
  const { code, stderr } = await run(['tools', 'run', 'hog__fill', '-y', '--trust']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/at the memory limit of 250 MB \(setting sandbox\.memory\)/);
});
