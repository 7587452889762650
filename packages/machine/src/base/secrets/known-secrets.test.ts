import { expect, it } from 'vitest';
import { secretsInAddress, secretsInEnvironment, secretsInHeaders, secretsInWords } from './known-secrets.js';

it('the search for known secrets finds the secrets of an environment by name, and passwords inside addresses', () => {
  expect(
    secretsInEnvironment({
      GITHUB_TOKEN: 'token-value',
      STRIPE_KEY: 'stripe-value',
      MY_PASSWORD: 'short',
      SSH_AUTH_SOCK: '/tmp/agent.1234',
      PASSWORD_FILE: '/run/secrets/password',
      DATABASE_URL: 'postgres://me:longpassword@db/x',
      PATH: '/usr/bin:/bin',
      EMPTY_TOKEN: undefined,
    }),
  ).toEqual(['token-value', 'stripe-value', 'longpassword']);
});

it('the search for known secrets finds the secret in a variable that holds a header', () => {
  expect(secretsInEnvironment({ AUTH_HEADER: 'Bearer abc-token-1' })).toEqual([
    'Bearer abc-token-1',
    'abc-token-1',
  ]);
});

it.each<[string, Record<string, string>, string[]]>([
  ['a bearer token', { Authorization: 'Bearer abc-token-1' }, ['Bearer abc-token-1', 'abc-token-1']],
  ['in other letters', { authorization: 'bearer\tabc-token-1' }, ['bearer\tabc-token-1', 'abc-token-1']],
  [
    'a name and a password',
    { 'Proxy-Authorization': 'Basic bWU6cGFzc3dvcmQtMQ==' },
    ['Basic bWU6cGFzc3dvcmQtMQ==', 'bWU6cGFzc3dvcmQtMQ==', 'me:password-1', 'password-1'],
  ],
  ['a key of its own header', { 'X-Api-Key': 'key-value-1' }, ['key-value-1']],
  ['a scheme nobody knows', { Authorization: 'Acme acme-token-1' }, ['Acme acme-token-1', 'acme-token-1']],
  [
    'a token among parameters',
    { Authorization: 'Token token="quoted-token", realm="x"' },
    ['Token token="quoted-token", realm="x"', 'token="quoted-token", realm="x"', 'quoted-token'],
  ],
  ['cookies', { Cookie: 'a=cookie-one; b=2' }, ['a=cookie-one; b=2', 'cookie-one']],
  ['nothing in what every client says', { Accept: 'application/json', 'User-Agent': 'me and mine' }, []],
])('the search for secrets finds %s among headers, whole and by itself', (_what, headers, expected) => {
  expect(secretsInHeaders(headers)).toEqual(expected);
});

it.each<[string, string, string[]]>([
  ['a password', 'https://me:p%40ssword1@host/x', ['p%40ssword1', 'p@ssword1']],
  ['a token instead of a name', 'https://abc-token-1@host/x', ['abc-token-1']],
  ['a key in the query', 'https://host/mcp?tavilyApiKey=tvly-key-1&profile=longprofile', ['tvly-key-1']],
  ['a short name in the query', 'https://host/?key=key-value-1', ['key-value-1']],
  ['an escaped token', 'https://host/?access_token=a%2Fb%2Fc%2Fd1', ['a/b/c/d1']],
  ['a password of an address that is none', 'postgres://me:longpassword@[db/x', ['longpassword']],
  ['nothing where there is nothing', 'https://host/path?page=12345678', []],
  ['nothing in a text', 'no address at all', []],
])('the search for secrets finds %s in an address', (_what, address, expected) => {
  expect(secretsInAddress(address)).toEqual(expected);
});

it.each<[string, string[], string[]]>([
  ['an option and its value', ['--api-key', 'key-value-1'], ['key-value-1']],
  ['an option with its value', ['--token=token-value'], ['token-value']],
  ['a variable', ['-e', 'GITHUB_TOKEN=token-value'], ['token-value']],
  ['a header', ['--header', 'Authorization: Bearer abc-token-1'], ['Bearer abc-token-1', 'abc-token-1']],
  ['an address', ['postgres://me:longpassword@db/x'], ['longpassword']],
  ['nothing in ordinary words', ['-y', 'some-package@latest', '--root', '/home/me/project', 'a=b'], []],
])('the search for secrets finds %s among the arguments of a program', (_what, words, expected) => {
  expect(secretsInWords(words)).toEqual(expected);
});
