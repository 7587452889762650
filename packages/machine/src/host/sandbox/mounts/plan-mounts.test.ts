import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import type { Profile } from '../sandbox.js';
import type { FileSystem } from './file-system.js';
import type { Mount } from './mount.js';
import { planMounts, type Surroundings } from './plan-mounts.js';
import { toolchainPlaces } from './toolchains.js';

/** A machine as a list of paths: a folder ends in `/`, a link is `path -> target`. */
function machine(...entries: string[]): FileSystem {
  const kinds = new Map<string, 'file' | 'folder' | 'link'>();
  const targets = new Map<string, string>();
  const addFolders = (path: string): void => {
    if (path === '/' || kinds.has(path)) return;
    kinds.set(path, 'folder');
    addFolders(dirname(path));
  };
  for (const entry of ['/usr/bin/', '/etc/', '/bin -> usr/bin', ...entries]) {
    const [path = '', target] = entry.split(' -> ');
    const bare = path.replace(/\/$/, '');
    addFolders(dirname(bare));
    if (target !== undefined) targets.set(bare, target);
    kinds.set(bare, target !== undefined ? 'link' : path.endsWith('/') ? 'folder' : 'file');
  }
  return {
    kindOf: (path) => (path === '/' ? 'folder' : (kinds.get(path) ?? null)),
    linkTarget: (path) => targets.get(path) ?? null,
    realPath: (path) => targets.get(path) ?? (kinds.has(path) ? path : null),
    canRead: (path) => kinds.has(path),
    canWrite: (path) => !path.includes('/locked'),
    isEmpty: (path) =>
      kinds.get(path) === 'folder' && ![...kinds.keys()].some((each) => dirname(each) === path),
    names: (folder) =>
      [...kinds.keys()]
        .filter((path) => dirname(path) === folder)
        .map((path) => path.slice(folder.length + 1)),
    links: (folder) =>
      [...targets.keys()]
        .filter((path) => dirname(path) === folder)
        .map((path) => path.slice(folder.length + 1)),
    text: (path) => (kinds.get(path) === 'file' ? (path.includes('token') ? 'token = x' : '[user]') : null),
  };
}

const home = '/home/ann';
const surroundings: Surroundings = {
  home,
  stateFolder: '/home/ann/.toolwright',
  programs: [],
  toolchains: [],
};
const usual: Profile = { workspace: 'writable', roots: ['/home/ann/app'], network: 'off' };

interface Started {
  path?: string;
  programs?: string[];
}

function plan(
  fileSystem: FileSystem,
  profile: Partial<Profile> = {},
  { path = '/usr/bin', programs = [] }: Started = {},
) {
  const toolchains = toolchainPlaces({ home, environment: { PATH: path } }, fileSystem);
  const planned = planMounts({ ...usual, ...profile }, { ...surroundings, programs, toolchains }, fileSystem);
  const shown = (mount: Mount): string => {
    const from = 'from' in mount && mount.from !== undefined ? ` from ${mount.from}` : '';
    return `${mount.kind} ${mount.path}${'target' in mount ? ` -> ${mount.target}` : from}`;
  };
  const all = planned.mounts.map(shown);
  return {
    ...planned,
    all,
    under: (prefix: string) => all.filter((text) => text.split(' ')[1]?.startsWith(prefix)),
  };
}

test('the system is read-only, home and temporary folder are empty, the workspace is writable, nothing else is there', () => {
  const { all } = plan(machine('/home/ann/app/', '/srv/data/', '/home/ann/.ssh/id', '/home/bob/x'));
  expect(all).toEqual([
    'link /bin -> usr/bin',
    'devices /dev',
    'read-only /etc',
    'empty /home/ann',
    'writable /home/ann/app',
    'processes /proc',
    'bare /run',
    'empty /tmp',
    'read-only /usr',
    'link /var/run -> /run',
    'link /var/tmp -> /tmp',
  ]);
});

test('parents are mounted before what is in them, whatever sorts between', () => {
  const fileSystem = machine('/home/ann/app/', '/home/ann/app/sub/.npmrc', '/home/ann/app/sub-way/');
  const { under } = plan(fileSystem, {
    roots: ['/home/ann/app', '/home/ann/app/sub-way'],
    protectedPaths: ['/home/ann/app/sub/.npmrc'],
  });
  expect(under('/home/ann/app')).toEqual([
    'writable /home/ann/app',
    'writable /home/ann/app/sub',
    'writable /home/ann/app/sub-way',
    'read-only /home/ann/app/sub/.npmrc',
  ]);
});

test('every folder between the root and a protected path is a mount', () => {
  const { under, placeholders } = plan(machine('/home/ann/app/.git/modules/a/config'), {
    protectedPaths: ['/home/ann/app/.git/modules/a/config'],
  });
  expect(under('/home/ann/app/')).toEqual([
    'writable /home/ann/app/.git',
    'writable /home/ann/app/.git/modules',
    'writable /home/ann/app/.git/modules/a',
    'read-only /home/ann/app/.git/modules/a/config',
  ]);
  expect(placeholders).toEqual([]);
});

test('a missing protected path is held by its first missing part', () => {
  const { under, placeholders } = plan(machine('/home/ann/app/sub/'), {
    protectedPaths: [
      '/home/ann/app/.mcp.json',
      '/home/ann/app/.vscode/',
      '/home/ann/app/.husky/pre-commit',
      '/home/ann/app/sub/.npmrc',
    ],
  });
  expect(placeholders).toEqual([
    { path: '/home/ann/app/.mcp.json', kind: 'file' },
    { path: '/home/ann/app/.vscode', kind: 'folder' },
    { path: '/home/ann/app/.husky', kind: 'folder' },
    { path: '/home/ann/app/sub/.npmrc', kind: 'file' },
  ]);
  expect(under('/home/ann/app/')).toEqual([
    'read-only /home/ann/app/.husky',
    'read-only /home/ann/app/.mcp.json',
    'read-only /home/ann/app/.vscode',
    'writable /home/ann/app/sub',
    'read-only /home/ann/app/sub/.npmrc',
  ]);
});

test('what is protected only while it is there has no placeholder', () => {
  const { under, placeholders } = plan(machine('/home/ann/app/.npmrc'), {
    protectedIfThere: ['/home/ann/app/.npmrc', '/home/ann/app/.envrc', '/home/ann/app/.github'],
  });
  expect([under('/home/ann/app/'), placeholders]).toEqual([['read-only /home/ann/app/.npmrc'], []]);
});

test('nothing is made to stand where nobody could make anything', () => {
  const { under, placeholders } = plan(machine('/home/ann/app/locked/'), {
    protectedPaths: ['/home/ann/app/locked/.vscode/'],
  });
  expect([under('/home/ann/app/'), placeholders]).toEqual([['writable /home/ann/app/locked'], []]);
});

test('what lies in a protected folder needs no protection of its own, and outside the roots none is needed', () => {
  const { under, placeholders } = plan(machine('/home/ann/app/.git/hooks/x', '/srv/x'), {
    protectedPaths: ['/home/ann/app/.git', '/home/ann/app/.git/hooks/x', '/home/ann/app/.git/new', '/srv/x'],
  });
  expect(under('/home/ann/app/')).toEqual(['read-only /home/ann/app/.git']);
  expect([under('/srv'), placeholders]).toEqual([[], []]);
});

test('a protected link can not be held, and it is said', () => {
  const { unprotected } = plan(machine('/home/ann/app/.npmrc -> /srv/npmrc', '/home/ann/app/sub -> /srv'), {
    protectedPaths: ['/home/ann/app/.npmrc', '/home/ann/app/sub/.envrc'],
  });
  expect(unprotected).toEqual(['/home/ann/app/.npmrc', '/home/ann/app/sub/.envrc']);
});

test('a read-only workspace needs no protection and no placeholder', () => {
  const { under, placeholders } = plan(machine('/home/ann/app/'), {
    workspace: 'read-only',
    protectedPaths: ['/home/ann/app/.mcp.json'],
  });
  expect([under('/home/ann/app'), placeholders]).toEqual([['read-only /home/ann/app'], []]);
});

test('who works in the home itself does not see the keys in it, nor the state folder but for its output', () => {
  const fileSystem = machine('/home/ann/.ssh/id', '/home/ann/.netrc', '/home/ann/.toolwright/output/1/');
  const { under } = plan(fileSystem, { roots: [home], readable: ['/home/ann/.toolwright/output/1'] });
  expect(under(home)).toEqual([
    'writable /home/ann',
    'unreadable /home/ann/.netrc',
    'sealed /home/ann/.ssh',
    'sealed /home/ann/.toolwright',
    'read-only /home/ann/.toolwright/output/1',
  ]);
});

test('who works where homes lie sees the keys of nobody', () => {
  const fileSystem = machine(
    '/home/ann/.ssh/id',
    '/home/bob/.aws/credentials',
    '/home/bob/notes',
    '/root/.netrc',
  );
  expect(plan(fileSystem, { roots: ['/home'] }).all).toEqual(
    expect.arrayContaining(['writable /home', 'sealed /home/ann/.ssh', 'sealed /home/bob/.aws']),
  );
  expect(plan(fileSystem, { roots: ['/'] }).all).toEqual(
    expect.arrayContaining(['sealed /home/bob/.aws', 'unreadable /root/.netrc']),
  );
});

test('what is secret and named is seen, and nothing beside it', () => {
  const fileSystem = machine('/home/ann/.aws/config', '/home/ann/.aws/credentials');
  const { under } = plan(fileSystem, { roots: [home], readable: ['/home/ann/.aws/config'] });
  expect(under('/home/ann/.aws')).toEqual(['sealed /home/ann/.aws', 'read-only /home/ann/.aws/config']);
});

test('what a rule denies is hidden inside a root, inside a readable folder, and behind a link', () => {
  const fileSystem = machine(
    '/home/ann/app/.env',
    '/home/ann/app/keys/a',
    '/home/ann/app/link -> /home/ann/app/keys',
    '/srv/more/.env',
  );
  const { all } = plan(fileSystem, {
    readable: ['/srv/more'],
    hidden: ['/home/ann/app/.env', '/home/ann/app/link', '/srv/more/.env', '/home/ann/app/missing'],
  });
  const seen = all.filter((text) => /unreadable|sealed|more/.test(text));
  expect(seen).toEqual([
    'unreadable /home/ann/app/.env',
    'sealed /home/ann/app/keys',
    'read-only /srv/more',
    'unreadable /srv/more/.env',
  ]);
});

test('what is hidden in a folder is hidden where a link shows that folder, too', () => {
  const fileSystem = machine('/data/tools/run', '/data/tools/key', '/home/ann/tools -> /data/tools');
  const { all } = plan(fileSystem, { hidden: ['/data/tools/key'] }, { path: '/usr/bin:/home/ann/tools' });
  expect(all.filter((text) => text.includes('tools'))).toEqual([
    'read-only /data/tools',
    'unreadable /data/tools/key',
    'read-only /home/ann/tools from /data/tools',
    'unreadable /home/ann/tools/key',
  ]);
});

test('every folder between the root and a hidden path is a mount where changes are not looked at first', () => {
  const fileSystem = machine('/home/ann/app/a/b/.env', '/home/ann/app/keys/one', '/home/ann/app/c/');
  const hidden = ['/home/ann/app/a/b/.env', '/home/ann/app/keys', '/home/ann/app/gone/x'];
  expect(plan(fileSystem, { hidden, protectedIfThere: [] }).under('/home/ann/app/')).toEqual([
    'writable /home/ann/app/a',
    'writable /home/ann/app/a/b',
    'unreadable /home/ann/app/a/b/.env',
    'sealed /home/ann/app/keys',
  ]);
  expect(plan(fileSystem, { hidden }).under('/home/ann/app/')).toEqual([
    'unreadable /home/ann/app/a/b/.env',
    'sealed /home/ann/app/keys',
  ]);
});

test('secrets of the system are hidden where they could be read', () => {
  const { under } = plan(
    machine(
      '/home/ann/app/',
      '/etc/shadow',
      '/etc/ssl/private/key',
      '/etc/docker/',
      '/etc/ssh/ssh_host_rsa_key',
    ),
  );
  expect(under('/etc/')).toEqual([
    'unreadable /etc/shadow',
    'unreadable /etc/ssh/ssh_host_rsa_key',
    'sealed /etc/ssl/private',
  ]);
});

test('toolchains in the home are seen, and what PATH names, with the libraries beside it', () => {
  const fileSystem = machine(
    '/home/ann/app/',
    '/home/ann/.nvm/versions/node/v22/bin/node',
    '/home/ann/.cargo/bin/cargo',
    '/home/ann/.cargo/credentials.toml',
    '/home/ann/tools/bin/',
    '/home/ann/tools/lib/',
    '/home/ann/tools/notes.txt',
    '/venv/bin/python',
    '/venv/lib/',
  );
  const path = '/home/ann/tools/bin:/venv/bin/:/usr/bin:.:relative/bin:/home/ann:/';
  const { all } = plan(fileSystem, {}, { path });
  const seen = all.filter((text) => /\.nvm|\.cargo|tools|venv|^read-only \/$/.test(text));
  expect(seen).toEqual([
    'read-only /home/ann/.cargo/bin',
    'read-only /home/ann/.nvm',
    'read-only /home/ann/tools/bin',
    'read-only /home/ann/tools/lib',
    'read-only /venv/bin',
    'read-only /venv/lib',
  ]);
});

test('a program that is a link into a folder of versions is seen, and so is one given by its path', () => {
  const fileSystem = machine(
    '/home/ann/app/',
    '/home/ann/.local/bin/tool -> /home/ann/versions/2/tool',
    '/home/ann/versions/2/tool',
    '/srv/server.sh',
  );
  const { all } = plan(fileSystem, {}, { path: '/home/ann/.local/bin', programs: ['/srv/server.sh'] });
  expect(all).toContain('read-only /home/ann/versions/2/tool');
  expect(all).toContain('read-only /srv/server.sh');
});

test("git's settings are seen unless they hold something like a password", () => {
  expect(plan(machine('/home/ann/app/', '/home/ann/.gitconfig')).all).toContain(
    'read-only /home/ann/.gitconfig',
  );
  const fileSystem = machine('/home/ann/app/', '/home/ann/.gitconfig');
  const { all } = plan({ ...fileSystem, text: () => '[url "https://ann:hunter2@example.org/"]' });
  expect(all.join('\n')).not.toContain('.gitconfig');
});

test('neither PATH nor a repository shows the temporary folder of the machine', () => {
  const fileSystem = machine('/tmp/app/', '/tmp/.git/', '/tmp/secret');
  const { under } = plan(fileSystem, { roots: ['/tmp/app'] }, { path: '/tmp' });
  expect(under('/tmp')).toEqual(['empty /tmp', 'writable /tmp/app']);
});

test('the temporary folder of a session stands for /tmp', () => {
  const { all } = plan(machine('/home/ann/app/'), { temporaryFolder: '/home/ann/.toolwright/stage/tmp' });
  expect(all).toContain('writable /tmp from /home/ann/.toolwright/stage/tmp');
});

test('where the session has a /tmp of its own, that of the host needs no hiding, and is shown where it was named', () => {
  const fileSystem = machine('/home/ann/app/', '/tmp/secret/key', '/tmp/shown/');
  const { under } = plan(fileSystem, {
    temporaryFolder: '/home/ann/.toolwright/stage/tmp',
    hidden: ['/tmp/secret'],
    readable: ['/tmp/shown'],
  });
  expect(under('/tmp')).toEqual([
    'writable /tmp from /home/ann/.toolwright/stage/tmp',
    'read-only /tmp/shown',
  ]);
});

test('a home that is kept for a program stands for the home, and toolchains are seen in it', () => {
  const fileSystem = machine('/home/ann/app/', '/home/ann/.nvm/', '/home/ann/.ssh/id', '/home/ann/notes');
  const { under } = plan(fileSystem, { home: '/home/ann/.toolwright/mcp/homes/x', workspace: 'read-only' });
  expect(under('/home')).toEqual([
    'scratch /home/ann from /home/ann/.toolwright/mcp/homes/x',
    'read-only /home/ann/.nvm',
    'read-only /home/ann/app',
  ]);
});

test('with the network open names can be looked up where their file is a link', () => {
  const fileSystem = machine(
    '/home/ann/app/',
    '/etc/resolv.conf -> /run/resolve/stub.conf',
    '/run/resolve/stub.conf',
  );
  expect(plan(fileSystem, { network: 'open' }).all).toContain('read-only /run/resolve/stub.conf');
  expect(plan(fileSystem).all).not.toContain('read-only /run/resolve/stub.conf');
});

test('who works in all of / still has a read-only system and no sockets of services', () => {
  const { all } = plan(machine('/run/docker.sock', '/home/ann/.ssh/id'), { roots: ['/'] });
  expect(all).toEqual([
    'writable /',
    'devices /dev',
    'read-only /etc',
    'sealed /home/ann/.ssh',
    'processes /proc',
    'sealed /run',
    'empty /tmp',
    'read-only /usr',
  ]);
});
