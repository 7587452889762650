import { chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type LoadSettingsOptions,
  loadSettings,
  permissionRules,
  secretsInSettings,
} from './load-settings.js';
import { defaultsOf } from './merge-layers.js';
import { settingKeys } from './setting-keys.js';

let base: string;
const paths = () => ({
  system: join(base, 'etc/settings.json'),
  user: join(base, 'home/.toolwright/settings.json'),
  project: join(base, 'work/.toolwright/settings.json'),
  servers: join(base, 'work/.mcp.json'),
  dotEnv: join(base, 'work/.env'),
  extra: join(base, 'extra.json'),
});

beforeEach(async () => {
  base = tempFolder();
  await mkdir(join(base, 'work'));
});

async function write(name: keyof ReturnType<typeof paths>, content: unknown): Promise<string> {
  const path = paths()[name];
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const load = (options: Partial<LoadSettingsOptions> = {}) =>
  loadSettings({
    stateFolder: join(base, 'home/.toolwright'),
    workspace: join(base, 'work'),
    systemFile: paths().system,
    trusted: false,
    environment: { HOME: join(base, 'home') },
    ...options,
  });

/** Root reads every file. */
async function asOrdinaryUser<Result>(work: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid!(65_534);
  try {
    return await work();
  } finally {
    process.seteuid!(0);
  }
}

describe('settings', () => {
  it('have defaults, and looking for them creates nothing', async () => {
    const { settings, origins, warnings, files } = await load();
    expect(settings).toEqual({
      approvalMode: 'default',
      permissions: { allow: [], ask: [], deny: [], offered: [], ignoredFiles: 'keep' },
      tools: { exclude: [], script: false, allowed: [] },
      languages: { enabled: true, servers: {}, format: false, wait: 500 },
      mcpServers: {},
      mcp: {},
      model: {},
      context: { fileName: ['AGENTS.md'], importDepth: 5 },
      ignore: { files: [] },
      sandbox: { mode: 'auto', environment: [], memory: '50%', networkHosts: [] },
      web: { search: {} },
      includeDirectories: [],
      session: { apart: 'ask' },
      telemetry: { enabled: false, content: false },
      ui: { color: 'auto', theme: 'auto', notify: 'auto', mouse: false, screenReader: false },
    });
    expect(settings).toEqual(defaultsOf(settingKeys));
    expect([origins, warnings]).toEqual([{}, []]);
    expect(files.map(({ state }) => state)).toEqual(Array(5).fill('absent'));
    expect(await readdir(base)).toEqual(['work']);
  });

  it('in a file that is a link to nothing are an error, where they would count', async () => {
    for (const name of ['user', 'project'] as const) {
      await mkdir(dirname(paths()[name]), { recursive: true });
      await symlink(join(base, 'gone.json'), paths()[name]);
    }
    await expect(load()).rejects.toThrow(
      /home\/\.toolwright\/settings\.json is a link to \S+gone\.json, which is not there\. Bring the file back, or remove the link\./,
    );
    await rm(paths().user);
    expect((await load()).settings.approvalMode).toBe('default');
    await expect(load({ trusted: true })).rejects.toThrow('is a link to');
  });

  it('in the place of whose file a folder stands are an error, where they would count', async () => {
    for (const name of ['user', 'project'] as const) await mkdir(paths()[name], { recursive: true });
    const folder = 'is a folder, and a file of settings belongs there. Remove the folder, or move it away.';
    await expect(load()).rejects.toThrow(`${paths().user} ${folder}`);
    await rm(paths().user, { recursive: true });
    expect((await load()).settings.approvalMode).toBe('default');
    await expect(load({ trusted: true })).rejects.toThrow(`${paths().project} ${folder}`);
  });

  it.each(['file', 'folder'])(
    'in a %s that the user may not read are an error with what to do',
    async (what) => {
      const file = await write('system', {});
      await chmod(base, 0o755);
      const closed = what === 'file' ? file : dirname(file);
      await chmod(closed, 0);
      const error: unknown = await asOrdinaryUser(() => load().catch((thrown: unknown) => thrown));
      await chmod(closed, 0o700);
      expect(String(error)).toBe(
        `SettingsError: ${file} can't be read: permission denied. Give yourself the right to read it (chmod, chown), or move it away.`,
      );
    },
  );

  it('of one load are not changed by the next', async () => {
    (await load()).settings.permissions.deny.push('glob');
    expect((await load()).settings.permissions.deny).toEqual([]);
  });

  it('come from six layers, the later ones going before', async () => {
    const system = await write(
      'system',
      '{\n  "model": {"name": "system", "maxTurns": 90},\n  "ui": {"color": "never"}\n}',
    );
    const user = await write('user', '{\n  "model": {\n    "name": "user", "provider": "openai"}\n}');
    await write('project', { model: { maxTurns: 80 } });
    const extra = await write('extra', '{"sandbox": {"mode": "off"}, "approvalMode": "plan"}');
    const { settings, origins } = await load({
      trusted: true,
      settingsFile: extra,
      environment: { OPENAI_MODEL: 'environment' },
      flags: { '--approval-mode': 'yolo', '--max-turns': '7', '--model': undefined },
    });
    expect(settings.model).toEqual({ name: 'environment', provider: 'openai', maxTurns: 7 });
    expect([settings.ui.color, settings.sandbox.mode, settings.approvalMode]).toEqual([
      'never',
      'off',
      'yolo',
    ]);
    expect(origins['ui.color']).toEqual({
      layer: 'system',
      source: `${system}:3`,
      file: system,
      line: 3,
      column: 10,
    });
    expect(origins['model.provider']).toMatchObject({ layer: 'user', source: `${user}:3` });
    expect(origins['model.name']).toEqual({ layer: 'environment', source: 'OPENAI_MODEL' });
    expect(origins['model.maxTurns']).toEqual({ layer: 'flags', source: '--max-turns' });
    expect(origins['sandbox.mode']).toMatchObject({ layer: 'file', source: `${extra}:1` });
  });

  it('of lists grow over the layers without doubles, each item keeping its place', async () => {
    const system = await write('system', '{"permissions": {"deny": ["Read(/secret)"]}}');
    const user = await write(
      'user',
      '{\n  "permissions": {\n    "deny": [\n      "Read(/secret)",\n      "Fetch(x.org)"\n    ],\n    "ask": "Edit(a)"}}',
    );
    const loaded = await load({ flags: { '--allowed-tools': ['glob', 'Shell(npm test)'] } });
    expect(permissionRules(loaded).map(({ verdict, text, source }) => [verdict, text, source])).toEqual([
      ['deny', 'Read(/secret)', `${system}:1`],
      ['deny', 'Fetch(x.org)', `${user}:5`],
      ['ask', 'Edit(a)', `${user}:7`],
      ['allow', 'glob', '--allowed-tools'],
      ['allow', 'Shell(npm test)', '--allowed-tools'],
    ]);
    expect(permissionRules(loaded)[1]?.origin).toEqual({
      layer: 'user',
      source: `${user}:5`,
      file: user,
      line: 5,
      column: 7,
    });
  });

  it('expand variables, but not in rules', async () => {
    await write('user', {
      model: { apiKey: '$KEY', baseUrl: `\${URL:-https://example.org/v1}` },
      permissions: { deny: ['Shell(echo $KEY)'] },
      mcpServers: { x: { command: '$BIN/server', args: ['--root', '$$HOME'], env: { TOKEN: `\${KEY}` } } },
    });
    const { settings } = await load({ environment: { KEY: 'secret-value', BIN: '/opt' } });
    expect(settings.model).toEqual({ apiKey: 'secret-value', baseUrl: 'https://example.org/v1' });
    expect(settings.permissions.deny).toEqual(['Shell(echo $KEY)']);
    expect(settings.mcpServers['x']).toEqual({
      command: '/opt/server',
      args: ['--root', '$HOME'],
      env: { TOKEN: 'secret-value' },
    });
    expect(secretsInSettings(settings)).toEqual(['secret-value', 'secret-value']);
  });

  it('name the secrets in them, those of headers also by themselves', async () => {
    await write('user', {
      model: { baseUrl: 'https://me:model-password@example.org/v1' },
      mcpServers: {
        one: {
          url: 'https://example.org/?api_key=query-key-1',
          headers: { Authorization: 'Bearer abc-token-1' },
        },
        two: { command: 'server', args: ['--token', 'word-token-1'], env: { A_TOKEN: 'env-token-1' } },
      },
    });
    const { settings } = await load({});
    expect(secretsInSettings(settings).sort()).toEqual(
      [
        'Bearer abc-token-1',
        'abc-token-1',
        'env-token-1',
        'model-password',
        'query-key-1',
        'word-token-1',
      ].sort(),
    );
  });

  it('take the accepted spellings as the canonical ones', async () => {
    await write('user', {
      toolDiscoveryCommand: 'discover',
      tools: { callCommand: ['call', 'x'] },
      mcpServerCommand: 'serve',
    });
    const { settings, origins } = await load();
    expect(settings.tools).toEqual({
      toolDiscoveryCommand: 'discover',
      toolCallCommand: ['call', 'x'],
      exclude: [],
      script: false,
      allowed: [],
    });
    expect(settings.mcp).toEqual({ mcpServerCommand: 'serve' });
    expect(origins['tools.toolDiscoveryCommand']).toMatchObject({ layer: 'user', line: 1 });
    await write('user', { tools: { discoveryCommand: 'nested' }, mcp: { serverCommand: 'other' } });
    expect((await load()).settings.tools.toolDiscoveryCommand).toBe('nested');
    expect((await load()).settings.mcp.mcpServerCommand).toBe('other');
  });

  it('name servers by file, a later layer replacing a server whole', async () => {
    await write('user', {
      mcpServers: { a: { command: 'a', args: ['1'] }, b: { url: 'https://b.org', type: 'sse' } },
    });
    const extra = await write('extra', {
      other: 1,
      mcpServers: { a: { httpUrl: 'http://localhost:1', disabled: true } },
    });
    const { settings, warnings } = await load({ mcpConfigFile: extra });
    expect(settings.mcpServers).toEqual({
      a: { httpUrl: 'http://localhost:1' },
      b: { url: 'https://b.org', type: 'sse' },
    });
    expect(warnings).toEqual([
      `${extra}:1:2: other is ignored: only mcpServers is read from this file.`,
      expect.stringMatching(/unknown key mcpServers\.a\.disabled\. .*It is ignored\.$/),
    ]);
  });

  it('of one provider do not stay when a later layer chooses another', async () => {
    await write('user', {
      model: {
        name: 'claude',
        apiKey: 'ant',
        provider: 'anthropic',
        baseUrl: 'https://ant.org',
        maxTurns: 5,
      },
      web: { search: { provider: 'tavily', apiKey: 'tav' } },
    });
    const extra = await write('extra', {
      web: { search: { baseUrl: 'https://sx.org', provider: 'searxng' } },
    });
    const { settings, origins } = await load({
      settingsFile: extra,
      flags: { '--provider': 'openai', '--model': 'gpt' },
      environment: { OPENAI_API_KEY: 'open', ANTHROPIC_API_KEY: 'other' },
    });
    expect(settings.model).toEqual({ provider: 'openai', name: 'gpt', apiKey: 'open', maxTurns: 5 });
    expect(origins['model.baseUrl']).toBeUndefined();
    expect(settings.web.search).toEqual({ provider: 'searxng', baseUrl: 'https://sx.org' });
    const same = await load({ flags: { '--provider': 'anthropic' }, environment: {} });
    expect(same.settings.model).toMatchObject({ name: 'claude', apiKey: 'ant' });
  });

  it('keep a key with the address it was written for', async () => {
    await write('user', { model: { provider: 'openai', baseUrl: 'https://mine.org', apiKey: 'mine' } });
    const { settings } = await load({ environment: { OPENAI_API_KEY: 'open' } });
    expect(settings.model).toMatchObject({ baseUrl: 'https://mine.org', apiKey: 'mine' });
    const flagged = await load({
      environment: { OPENAI_API_KEY: 'open' },
      flags: { '--base-url': 'http://localhost:1' },
    });
    expect(flagged.settings.model).toMatchObject({ baseUrl: 'http://localhost:1', apiKey: 'open' });
  });

  it('make folders absolute', async () => {
    await write('user', { includeDirectories: ['~/notes', '../next', '/srv'] });
    const { settings } = await load({ flags: { '--include-directories': ['sub'] } });
    expect(settings.includeDirectories).toEqual([
      join(base, 'home/notes'),
      join(base, 'next'),
      '/srv',
      join(base, 'work/sub'),
    ]);
  });

  it('named by a flag must be there', async () => {
    await expect(load({ settingsFile: '/nowhere/x.json' })).rejects.toThrow(
      'There is no file /nowhere/x.json (--settings).',
    );
    await expect(load({ mcpConfigFile: '/nowhere/y.json' })).rejects.toThrow(
      'There is no file /nowhere/y.json (--mcp-config).',
    );
  });
});

describe('the home directory as the workspace', () => {
  it('has no project settings of its own, also when the state folder is reached through a link', async () => {
    await write('user', { permissions: { allow: ['glob'] } });
    await symlink(join(base, 'home'), join(base, 'link'));
    for (const home of ['home', 'link']) {
      const { settings, warnings } = await load({ workspace: join(base, home), trusted: true });
      expect(settings.permissions.allow).toEqual(['glob']);
      expect(warnings).toEqual([]);
    }
  });
});

describe('an untrusted project', () => {
  it('gives nothing, however broken its files are', async () => {
    const project = await write('project', '{ broken');
    await mkdir(paths().servers);
    await write('dotEnv', 'A=1');
    const { settings, files, warnings } = await load();
    expect(settings).toEqual(defaultsOf(settingKeys));
    expect(warnings).toEqual([]);
    expect(files).toContainEqual({ layer: 'project', path: project, state: 'not trusted' });
  });
});
