import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, isSecretName, REDACTED, secretName } from './redact.js';

const redact = (text: string, secrets: readonly string[] = []): string => createRedactor(secrets).text(text);

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';
const hex = '0123456789abcdef0123456789abcdef';

const secrets: [string, string, string][] = [
  ['an OpenAI key', `key sk-proj-${hex}!`, 'key [redacted]!'],
  ['an Anthropic key', `sk-ant-api03-${hex}`, '[redacted]'],
  ['a Google key', `AIza${hex}ABC in use`, '[redacted] in use'],
  ['a GitHub token', `ghp_${hex}0000`, '[redacted]'],
  ['a GitHub OAuth token', `gho_${hex}0000`, '[redacted]'],
  ['a fine-grained GitHub token', `github_pat_${hex}_${hex}`, '[redacted]'],
  ['a GitLab token', `glpat-${hex}`, '[redacted]'],
  ['an npm token', `//registry/:_authToken=npm_${hex}abcd`, '//registry/:_authToken=[redacted]'],
  ['a Slack token', 'xoxb-123456789012-abcdef', '[redacted]'],
  ['an AWS key id', 'id AKIAIOSFODNN7EXAMPLE.', 'id [redacted].'],
  ['a JWT', `cookie: session=${jwt};`, 'cookie: session=[redacted];'],
  ['a bearer header', 'Authorization: Bearer abc123def456ghi', 'Authorization: Bearer [redacted]'],
  ['a bearer header in other letters', 'BEARER abc123def456ghi', 'BEARER [redacted]'],
  ['a basic header', 'authorization: Basic dXNlcjpwYXNzd29yZA==', 'authorization: Basic [redacted]'],
  [
    'a private key',
    'a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nb',
    'a\n[redacted]\nb',
  ],
  ['a private key that was cut off', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz', '[redacted]'],
  [
    'a private key inside JSON',
    '{"k":"-----BEGIN PRIVATE KEY-----\\nMII\\n-----END PRIVATE KEY-----"}',
    '{"k":"[redacted]"}',
  ],
  ['a password in an address', 'postgres://me:pa55:w@db/x', 'postgres://me:[redacted]@db/x'],
  ['a password without user in an address', 'redis://:pa55w@cache:6379', 'redis://:[redacted]@cache:6379'],
  ['a token in a query', 'GET /x?a=1&access_token=abc&b=2', 'GET /x?a=1&access_token=[redacted]&b=2'],
  ['a token in a query in capitals', '/x?ACCESS-TOKEN=abc', '/x?ACCESS-TOKEN=[redacted]'],
  ['a temporary AWS key id', 'id ASIAIOSFODNN7EXAMPLE.', 'id [redacted].'],
  ['the shortest assignment', 'TOKEN=x', 'TOKEN=[redacted]'],
  ['an exported variable', 'export MY_API_KEY="value"', 'export MY_API_KEY="[redacted]"'],
  ['a line of a .env file', 'A=1\nDB_PASSWORD=hunter\nB=2', 'A=1\nDB_PASSWORD=[redacted]\nB=2'],
  ['a variable before a command', 'TOKEN=abc123 npm publish', 'TOKEN=[redacted] npm publish'],
  ['a lower-case assignment', 'host=db password=hunter2 port=1', 'host=db password=[redacted] port=1'],
  ['an option', 'tool --api-key abcd1234 --verbose', 'tool --api-key [redacted] --verbose'],
  ['an option with =', "tool --github-token='abcd1234'", "tool --github-token='[redacted]'"],
];

const ordinary = [
  'task-force-2024-and-some-more-words',
  'class="sk-folding-cube-large-spinner"',
  'connect(password=password, token=read_token())',
  'const token = await readToken();',
  'password=settings.database.password',
  'export TOKEN=$OTHER_TOKEN',
  'curl --token "$TOKEN"',
  'https://example.org/a:b/c?page=2&tokens=5',
  'max_tokens=4096',
  'the bearer of this letter',
  'Basic authentication is off',
  '-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----',
  'git@github.com:me/it.git',
  'eyJhbGciOiJIUzI1NiJ9',
  'AKIA is the prefix of a key id',
];

describe('redact', () => {
  it.each(secrets)('removes %s', (_name, text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(redact(redact(text))).toBe(expected);
  });

  it.each(ordinary)('leaves ordinary text alone: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('removes known values wherever they stand, also as JSON and in an address', () => {
    const secret = 'p"a\\ss w/ord$1';
    const text = [secret, JSON.stringify({ secret }), `x=${encodeURIComponent(secret)}`].join('\n');
    expect(redact(text, [secret])).toBe('[redacted]\n{"secret":"[redacted]"}\nx=[redacted]');
  });

  it('may be told to remove known values alone', () => {
    const { known, text } = createRedactor(['hunter2hunter2']);
    const source = 'password=Abc12345; old = "hunter2hunter2"';
    expect(known(source)).toBe('password=Abc12345; old = "[redacted]"');
    expect(text(source)).not.toContain('Abc12345');
  });

  it('learns further values and forgets none', () => {
    const { known, text, learn } = createRedactor(['hunter2hunter2']);
    learn(['correct-horse', 'x']);
    expect(known('hunter2hunter2 correct-horse x')).toBe('[redacted] [redacted] x');
    expect(text('a correct-horse')).toBe('a [redacted]');
  });

  it('prefers the longer of two known values, and ignores values short enough to be words', () => {
    expect(redact('abcdefgh-ijkl and main', ['abcdefgh', 'abcdefgh-ijkl', 'main'])).toBe(
      '[redacted] and main',
    );
  });

  it('never lets a known value through', () => {
    const secretText = fc.string({ minLength: 8, maxLength: 40 }).filter((text) => !REDACTED.includes(text));
    fc.assert(
      fc.property(fc.array(secretText, { maxLength: 4 }), fc.array(fc.string()), (known, others) => {
        const text = others.flatMap((other, index) => [other, known[index % 4] ?? '']).join(' ');
        const result = redact(text, known);
        for (const secret of known) expect(result.includes(secret) && !REDACTED.includes(secret)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('stays quick on text made to be slow', () => {
    for (const hostile of [
      '-----BEGIN PRIVATE KEY-----',
      'eyJ-',
      'sk-',
      'a://',
      'TOKEN_',
      '?token',
      'password=a',
    ]) {
      const text = hostile.repeat(300_000 / hostile.length);
      expect(redact(text).length).toBeGreaterThan(0);
    }
  });
});

describe('a redactor for data', () => {
  const redactor = createRedactor(['known-secret']);

  it('reaches every string and key, and drops fields named as secrets', () => {
    expect(
      redactor.data({
        apiKey: 'anything',
        clientSecret: 'x',
        headers: { Authorization: 'plain', accept: 'known-secret' },
        list: ['a', ['known-secret']],
        'known-secret': 1,
        tokenCount: 'five',
        token: 5,
        password: '',
        none: null,
      }),
    ).toEqual({
      apiKey: REDACTED,
      clientSecret: REDACTED,
      headers: { Authorization: REDACTED, accept: REDACTED },
      list: ['a', [REDACTED]],
      [REDACTED]: 1,
      tokenCount: 'five',
      token: 5,
      password: '',
      none: null,
    });
  });

  it('ends on data that contains itself', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect(JSON.stringify(redactor.data(loop))).toContain('nested too deeply');
  });
});

it.each([
  'GITHUB_TOKEN',
  'clientSecret',
  'x-api-key',
  'APIKEY',
  'Authorization',
  'set-cookie',
  'DB_PASSWD',
  'passphrase',
  'aws.credentials',
  'tokenCount',
  'PASSWORD_FILE',
  'monkey',
  'PATH',
  'COOKIES',
  '',
])('whether %j names a secret is the same with and without a look at its end', (name) => {
  expect(isSecretName(name)).toBe(secretName.test(name));
});
