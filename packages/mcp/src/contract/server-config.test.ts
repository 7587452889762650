import { describe, expect, it } from 'vitest';
import {
  isIncluded,
  type McpServerConfig,
  parseServer,
  parseServerCommand,
  parseServers,
} from './server-config.js';

const parse = (server: unknown) => parseServer('files', server, '/home/me/settings.json');

describe('an address', () => {
  it.each([
    [{ httpUrl: 'https://a.test/mcp' }, 'http'],
    [{ url: 'https://a.test/mcp' }, 'auto'],
    [{ url: 'https://a.test/mcp', type: 'http' }, 'http'],
    [{ url: 'https://a.test/mcp', type: 'streamable-http' }, 'http'],
    [{ url: 'https://a.test/sse', type: 'sse' }, 'sse'],
  ])('%j is spoken to as %s', (server, transport) => {
    expect(parse(server).endpoint).toMatchObject({ kind: 'http', transport, headers: {} });
  });
});

it('a program takes what it is given and nothing else', () => {
  expect(
    parse({
      command: 'npx',
      args: ['-y', 'server'],
      env: { A: 'b' },
      cwd: '/work',
      trust: true,
      timeout: 5_000,
    }),
  ).toEqual({
    alias: 'files',
    endpoint: {
      kind: 'stdio',
      command: 'npx',
      args: ['-y', 'server'],
      env: { A: 'b' },
      cwd: '/work',
      sandbox: 'read',
      network: true,
    },
    timeoutMs: 5_000,
    trust: true,
    includeTools: null,
    excludeTools: [],
    oauth: {
      enabled: null,
      clientId: null,
      clientSecret: null,
      scopes: [],
      authorizationUrl: null,
      tokenUrl: null,
      redirectUri: null,
      clientMetadataUrl: null,
    },
  } satisfies McpServerConfig);
});

describe('what can not be used', () => {
  it.each([
    ['text', 'the server "files" must be an object'],
    [{}, 'the server "files": command, httpUrl or url is needed: a program to start, or an http(s) address'],
    [{ url: 'ftp://a.test' }, 'is needed: a program to start, or an http(s) address'],
    [{ command: 'a', args: 'b' }, 'the server "files": args must be a list of texts'],
    [{ command: 'a', env: { A: 1 } }, 'the server "files": env must be an object of texts'],
    [{ command: 7 }, 'the server "files": command must be text'],
    [{ url: 'https://a.test', oauth: { clientId: 7 } }, 'the server "files": oauth: clientId must be text'],
  ])('%j is named with its place', (server, message) => {
    expect(() => parse(server)).toThrow('/home/me/settings.json: ');
    expect(() => parse(server)).toThrow(message);
  });

  it('is said of the whole as well', () => {
    expect(() => parseServers([], 'here')).toThrow('here: mcpServers must be an object of servers.');
    expect(parseServers(undefined, 'here')).toEqual([]);
    expect(
      parseServers({ a: { command: 'x' }, b: { command: 'y' } }, 'here').map(({ alias }) => alias),
    ).toEqual(['a', 'b']);
  });
});

describe('the short form', () => {
  it.each([
    ['npx -y server', ['npx', '-y', 'server']],
    [`"/opt/my server/run" --name 'a b' c\\ d`, ['/opt/my server/run', '--name', 'a b', 'c d']],
    [`a "b \\"c\\"" ''`, ['a', 'b "c"', '']],
    ['  a   b  ', ['a', 'b']],
  ])('%s is taken apart as a shell would', (line, [command, ...args]) => {
    expect(parseServerCommand(line)).toMatchObject({ alias: 'mcp', endpoint: { command, args } });
  });

  it('must not be empty', () => {
    expect(() => parseServerCommand('  ')).toThrow('mcp.mcpServerCommand is empty');
  });
});

it.each([
  [{}, 'read', true],
  [{ includeTools: ['read'] }, 'read', true],
  [{ includeTools: ['read'] }, 'write', false],
  [{ excludeTools: ['write'] }, 'write', false],
  [{ includeTools: ['write'], excludeTools: ['write'] }, 'write', false],
  [{ includeTools: [] }, 'read', false],
])('with %j, %s is offered: %s', (lists, name, expected) => {
  expect(isIncluded(parse({ command: 'a', ...lists }), name)).toBe(expected);
});

it.each([
  [{}, false, { sandbox: 'read', network: true }],
  [{}, true, { sandbox: 'read', network: false }],
  [{ sandbox: 'write', network: true }, true, { sandbox: 'write', network: true }],
  [{ sandbox: 'off', network: false }, false, { sandbox: 'off', network: false }],
])('a program with %j, of a project: %s, is confined as %j', (given, ofProject, expected) => {
  const { endpoint } = parseServer('x', { command: 'x', ...given }, 'test', { ofProject });
  expect(endpoint).toMatchObject(expected);
  expect(parseServerCommand('x', { ofProject }).endpoint).toMatchObject({ network: !ofProject });
});
