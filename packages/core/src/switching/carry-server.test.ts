import { expect, it } from 'vitest';
import { carryServer } from './carry-server.js';
import { HomeFindings } from './findings.js';
import { serverOf } from './homes/codex-server.js';

function carried(server: object) {
  const found = new HomeFindings('gemini');
  carryServer('db', server, found);
  return { server: JSON.parse(JSON.stringify(found.servers.get('db') ?? null)), left: found.left };
}

it('sign-in comes over where it means the same here, without its secret, and the rest is told', () => {
  const oauth = {
    enabled: true,
    clientId: 'me',
    clientSecret: 'aaaabbbbcccc',
    scopes: ['a'],
    callbackPort: 1,
  };
  expect(carried({ httpUrl: 'https://h/x', oauth })).toEqual({
    server: {
      httpUrl: 'https://h/x',
      oauth: { enabled: true, clientId: 'me', clientSecret: '$DB_CLIENT_SECRET', scopes: ['a'] },
    },
    left: [{ what: 'oauth.callbackPort of the server db', why: 'sign in anew when the server asks for it' }],
  });
});

it.each(['$DB_KEY', `\${DB_KEY}`, 'aaaa$xbbbb', 'aaaa$x'])(
  'a secret of sign-in is kept only where it is a variable: %s',
  (clientSecret) => {
    const { server } = carried({ httpUrl: 'https://h/x', oauth: { clientId: 'me', clientSecret } });
    const isVariable = /DB_KEY/.test(clientSecret);
    expect(server.oauth.clientSecret).toBe(isVariable ? clientSecret : '$DB_CLIENT_SECRET');
  },
);

it('a secret beside a variable does not come over, and a variable stays', () => {
  const headers = { Authorization: 'Bearer $TOKEN', 'X-Api-Key': 'aaaabbbb$cccc' };
  const env = { DB_PASSWORD: 'correct$horse9battery', DB_TOKEN: `\${TOKEN}` };
  expect(carried({ url: 'https://h/x?token=$TOKEN', headers, env }).server).toMatchObject({
    url: 'https://h/x?token=$TOKEN',
    headers: { Authorization: 'Bearer $TOKEN', 'X-Api-Key': '$DB_X_API_KEY' },
    env: { DB_PASSWORD: '$DB_PASSWORD', DB_TOKEN: `\${TOKEN}` },
  });
});

it('members that mean nothing here are told one by one; those that are empty, or words for people, are not', () => {
  const { left } = carried({
    command: 'db',
    description: 'A database.',
    autoApprove: ['read'],
    alwaysAllow: [],
    headersHelper: 'make-headers',
    startup_timeout_sec: 20,
    constructor: 1,
    sandbox: 'off',
  });
  expect(left.map(({ what }) => what)).toEqual([
    'autoApprove of the server db',
    'headersHelper of the server db',
    'startup_timeout_sec of the server db',
    'constructor of the server db',
    'sandbox of the server db',
  ]);
});

it('variables that Codex passes on to a server are variables of the server here', () => {
  const server = {
    command: 'db',
    env: { MODE: 'ro' },
    env_vars: ['DB_KEY', { name: 'DB_HOST', source: 'local' }, 'no name'],
    env_http_headers: { 'X-Team': 'TEAM' },
  };
  expect(JSON.parse(JSON.stringify(serverOf(server)))).toEqual({
    command: 'db',
    env: { DB_KEY: `\${DB_KEY:-}`, DB_HOST: `\${DB_HOST:-}`, MODE: 'ro' },
    headers: { 'X-Team': `\${TEAM:-}` },
  });
});
