import { expect, test } from 'vitest';
import { explainRefusals } from './explain-refusals.js';
import type { Profile } from './sandbox.js';

const profile: Profile = {
  workspace: 'writable',
  roots: ['/work/app'],
  network: 'off',
  protectedPaths: [
    '/work/app/.git/hooks',
    '/work/app/.vscode/',
    '/work/app/.mcp.json/',
    '/work/app/sub/.git',
  ],
  protectedIfThere: ['/work/app/.npmrc'],
  hidden: ['/work/app/.env'],
};

const explain = (output: string, change: Partial<Profile> = {}, exitCode: number | null = 1): string[] =>
  explainRefusals({
    output,
    exitCode,
    profile: { ...profile, ...change },
    directory: '/work/app',
    home: '/home/ann',
  });

const network = (host: string): string =>
  `The sandbox refused the network${host === '' ? '' : ` (${host})`}: this command ran without it. If it must reach the network, call again with ${host === '' ? '' : `outside: {"hosts":["${host}"]}, or for any host with `}network: true; the user is asked.`;
const remedy = (access: string, path: string, folder: string | null): string =>
  `If the command needs this, call again with outside: {"${access}":["${path}"]}; the user is asked.${folder === null ? '' : ` They can also add its folder with --include-directories ${folder}.`}`;
const outside = (path: string, folder: string | null): string =>
  `The sandbox refused to change ${path}: it lies outside the folders to work in. ${remedy('write', path, folder)}`;
const guarded = (path: string): string =>
  `The sandbox refused to change ${path}: it is protected. Change it with edit or write_file, where the user is asked.`;
const absent = (path: string, folder: string | null, why: string): string =>
  `If ${path} exists, the sandbox hides it: ${why}. ${remedy('read', path, folder)}`;

const refused: [string, string, string][] = [
  ['curl', 'curl: (6) Could not resolve host: example.org', network('example.org')],
  ['Node', 'Error: getaddrinfo EAI_AGAIN registry.npmjs.org', network('registry.npmjs.org')],
  [
    'go',
    'dial tcp: lookup proxy.golang.org: Temporary failure in name resolution',
    network('proxy.golang.org'),
  ],
  ['bash', 'bash: connect: Network is unreachable', network('')],
  ['touch', "touch: cannot touch '/etc/hosts': Read-only file system", outside('/etc/hosts', null)],
  ['Node', "Error: EROFS: read-only file system, open '/srv/x/y'", outside('/srv/x/y', '/srv/x')],
  ['Python', "OSError: [Errno 30] Read-only file system: '/usr/lib/a.py'", outside('/usr/lib/a.py', null)],
  ['bash', 'bash: line 1: .mcp.json: Read-only file system', guarded('/work/app/.mcp.json')],
  [
    'cp',
    "cp: cannot create regular file '.git/hooks/pre-commit': Read-only file system",
    guarded('/work/app/.git/hooks/pre-commit'),
  ],
  ['bash', 'bash: line 1: .mcp.json: Is a directory', guarded('/work/app/.mcp.json')],
  ['bash', 'bash: line 1: .npmrc: Read-only file system', guarded('/work/app/.npmrc')],
  [
    'git',
    "fatal: Unable to create '/work/app/sub/.git/index.lock': Read-only file system",
    'The sandbox refused to change /work/app/sub/.git/index.lock: unless changes are reviewed first, only git itself may do that. Run the git command on its own, not together with others.',
  ],
  [
    'mv',
    "mv: cannot move '.git' to 'elsewhere': Device or resource busy",
    'The sandbox refused to move or remove /work/app/.git: /work/app/.git/hooks is protected. Leave the folder in place.',
  ],
  [
    'cat',
    'cat: .env: Permission denied',
    'The sandbox hides /work/app/.env: a user rule about reading covers it (Read(/work/app/.env)). Only the user can change the rules.',
  ],
  [
    'mv',
    "mv: cannot move '.env' to 'x': Device or resource busy",
    'The sandbox hides /work/app/.env: a user rule about reading covers it (Read(/work/app/.env)). Only the user can change the rules.',
  ],
  [
    'cat',
    'cat: /home/ann/.netrc: No such file or directory',
    absent('/home/ann/.netrc', null, 'the home folder is hidden'),
  ],
  [
    'ls',
    "ls: cannot access '/data/set': No such file or directory",
    absent('/data/set', '/data', 'it lies outside what commands see'),
  ],
  [
    'ls',
    "ls: cannot access '/data': No such file or directory",
    absent('/data', null, 'it lies outside what commands see'),
  ],
  [
    'strace',
    'strace: ptrace(PTRACE_SEIZE, 7): Operation not permitted',
    'The sandbox refused ptrace; no rule allows it inside. Only the user can run it, outside the sandbox.',
  ],
  [
    'docker',
    'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
    'The sandbox hides the sockets of services on this machine. If the command needs this, call again with outside: {"read":["/var/run/docker.sock"]}; the user is asked. This gives a lot away: whoever talks to such a socket can do whatever the service can.',
  ],
  [
    'git',
    'error: could not write config file /home/ann/.gitconfig: Device or resource busy',
    `The sandbox refused to replace /home/ann/.gitconfig: commands may only read it. ${remedy('write', '/home/ann/.gitconfig', null)}`,
  ],
  [
    'bash, where the file is shown in a home of its own',
    'bash: line 1: /home/ann/.gitconfig: Read-only file system',
    `The sandbox refused to change /home/ann/.gitconfig: commands may only read it. ${remedy('write', '/home/ann/.gitconfig', null)}`,
  ],
  [
    'ls',
    "ls: cannot access '/home/ann/.toolwright/settings.json': No such file or directory",
    'If /home/ann/.toolwright/settings.json exists, the sandbox hides it: the home folder is hidden. Only the user can run such a command, outside the sandbox: !COMMAND in the conversation.',
  ],
  [
    'unshare',
    'unshare: unshare failed: No space left on device',
    'The sandbox refused unshare; no rule allows it inside. Only the user can run it, outside the sandbox.',
  ],
];

test.each(refused)('%s is told what the sandbox refused: %s', (_program, output, sentence) => {
  expect(explain(output)).toEqual([sentence]);
});

test.each([
  ['a missing file of the workspace', 'cat: src/missing.ts: No such file or directory'],
  ['a missing system file', "ls: cannot access '/usr/lib/nothing': No such file or directory"],
  ['a file without rights in the workspace', 'bash: ./run.sh: Permission denied'],
  ['a failing test', 'AssertionError: expected 1 to be 2'],
  ['a private temporary file', 'cat: /tmp/x: No such file or directory'],
  ['a file of the system', 'cat: /etc/shadow: Permission denied'],
])('%s has nothing to do with the sandbox', (_what, output) => {
  expect(explain(output)).toEqual([]);
});

test('a command that succeeded is not explained', () => {
  expect(explain('bash: .mcp.json: Read-only file system', {}, 0)).toEqual([]);
});

test('with the network open a host that can not be found is not blamed on the sandbox', () => {
  expect(explain('curl: (6) Could not resolve host: example.org', { network: 'open' })).toEqual([]);
});

test('a read-only workspace is named as the reason', () => {
  expect(explain("touch: cannot touch 'a': Read-only file system", { workspace: 'read-only' })).toEqual([
    'The sandbox refused to change /work/app/a: the workspace is read-only in this mode.',
  ]);
});

test('hosts that the proxy refused are named even when the command went on', () => {
  const end = { output: '', exitCode: 0, profile, directory: '/work/app', home: '/home/ann' };
  expect(explainRefusals({ ...end, refusedHosts: ['evil.org:443'] })).toEqual([
    'The sandbox refused evil.org: neither the call nor sandbox.networkHosts names it. If the command needs this, call again with outside: {"hosts":["evil.org"]}; the user is asked.',
  ]);
});

test('the same refusal is told once, and at most four are told', () => {
  const output = ['a', 'a', 'b', 'c', 'd', 'e'].map(
    (name) => `cat: /data/${name}: No such file or directory`,
  );
  expect(explain(output.join('\n'))).toHaveLength(4);
});

test('what a path hides is made visible, so that no name turns a sentence of ours into another one', () => {
  expect(explain("touch: cannot touch '/srv/\u202etxt.live': Read-only file system")).toEqual([
    outside('/srv/<U+202E>txt.live', '/srv'),
  ]);
});
