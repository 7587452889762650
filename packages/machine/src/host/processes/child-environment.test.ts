import { expect, it } from 'vitest';
import { childEnvironment } from './child-environment.js';

const ours = {
  PATH: '/usr/bin',
  HOME: '/home/me',
  LANG: 'de_DE.UTF-8',
  LC_TIME: 'C',
  OPENAI_API_KEY: 'secret',
  AWS_SECRET_ACCESS_KEY: 'secret',
  BASH_ENV: '/tmp/evil',
  LD_PRELOAD: '/tmp/evil.so',
  NODE_OPTIONS: '--require /tmp/evil.js',
  GIT_SSH_COMMAND: 'evil',
  PAGER: 'less',
  EMPTY: undefined,
};

it('the environment of a child passes what a program needs and nothing that could carry a secret or start another program', () => {
  const environment = childEnvironment(ours, { platform: 'linux' });
  expect(environment).toMatchObject({
    PATH: '/usr/bin',
    HOME: '/home/me',
    LANG: 'de_DE.UTF-8',
    LC_TIME: 'C',
  });
  for (const name of [
    'OPENAI_API_KEY',
    'AWS_SECRET_ACCESS_KEY',
    'BASH_ENV',
    'LD_PRELOAD',
    'NODE_OPTIONS',
    'GIT_SSH_COMMAND',
    'EMPTY',
  ]) {
    expect(environment).not.toHaveProperty(name);
  }
});

it('the environment of a child passes no folder of programs that is another wherever one stands', () => {
  const environment = childEnvironment(
    { PATH: '.:/usr/bin::bin:/bin:./node_modules/.bin:' },
    { platform: 'linux' },
  );
  expect(environment['PATH']).toBe('/usr/bin:/bin');
});

it('the environment of a child turns pagers, editors and questions for credentials off', () => {
  expect(childEnvironment(ours, { platform: 'linux' })).toMatchObject({
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_EDITOR: ':',
    GIT_SEQUENCE_EDITOR: ':',
    GIT_MERGE_AUTOEDIT: 'no',
    GIT_TERMINAL_PROMPT: '0',
    SSH_ASKPASS: 'false',
    SSH_ASKPASS_REQUIRE: 'force',
    DEBIAN_FRONTEND: 'noninteractive',
  });
});

it('the environment of a child lets questions through where somebody can answer, but still no pager and no editor', () => {
  const environment = childEnvironment(ours, { mayAsk: true, platform: 'linux' });
  expect(environment).toMatchObject({ PAGER: 'cat', GIT_EDITOR: ':' });
  expect(environment).not.toHaveProperty('GIT_TERMINAL_PROMPT');
  expect(environment).not.toHaveProperty('SSH_ASKPASS_REQUIRE');
});

it('the environment of a child passes the names that settings let through, with the value they have here', () => {
  const environment = childEnvironment(ours, {
    names: ['OPENAI_API_KEY', 'PAGER', 'ABSENT'],
    platform: 'linux',
  });
  expect(environment).toMatchObject({ OPENAI_API_KEY: 'secret', PAGER: 'less' });
  expect(environment).not.toHaveProperty('ABSENT');
});

it('the environment of a child puts given values over everything', () => {
  expect(childEnvironment(ours, { values: { PAGER: 'more', NEW: '1' }, platform: 'linux' })).toMatchObject({
    PAGER: 'more',
    NEW: '1',
  });
});

it('the environment of a child finds the names of Windows in whatever case they are written', () => {
  const environment = childEnvironment(
    { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', Secret: 'x' },
    { platform: 'win32' },
  );
  expect(environment).toMatchObject({ Path: 'C:\\bin', SystemRoot: 'C:\\Windows' });
  expect(environment).not.toHaveProperty('Secret');
});
