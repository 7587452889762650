// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of extensions are written so.
import { describe, expect, it } from 'vitest';
import { broughtServers, variablesOfServer } from './brought-servers.js';

const places = {
  root: '/ext/kit',
  workspace: '/work',
  home: '/home/ada',
  environment: { KEY: 'k', EMPTY: '' },
};

function filled(server: object): unknown {
  const [brought] = broughtServers({ name: 'kit', servers: { s: server as never } }, places);
  if (!brought || 'problem' in brought) return brought?.problem;
  const { env, ...rest } = brought.server as { env?: Record<string, string> };
  const { PLUGIN_ROOT: _root, CLAUDE_PLUGIN_ROOT: _other, ...own } = env ?? {};
  return { ...rest, ...(Object.keys(own).length > 0 ? { env: own } : {}) };
}

describe('a server of an extension', () => {
  it.each([
    ['${PLUGIN_ROOT}/a.js', '/ext/kit/a.js'],
    ['${CLAUDE_PLUGIN_ROOT}/a.js', '/ext/kit/a.js'],
    ['${extensionPath}${/}a.js', '/ext/kit/a.js'],
    ['${extensionPath}${pathSeparator}a.js', '/ext/kit/a.js'],
    ['${__dirname}/a.js', '/ext/kit/a.js'],
    ['${workspacePath}', '/work'],
    ['${PLUGIN_DATA}', '/home/ada/.local/share/kit'],
    ['${DOCUMENTS}', '/home/ada/Documents'],
    ['--key=$KEY', '--key=k'],
    ['${KEY}', 'k'],
    ['${NONE:-usual}', 'usual'],
    ['${EMPTY:-usual}', 'usual'],
    ['${NONE:-${HOME}/Desktop}', '/home/ada/Desktop'],
    ['--in=${NONE:-${OTHER:-${DOCUMENTS}/a}}/b', '--in=/home/ada/Documents/a/b'],
    ['${NONE:-{"a": {}}}', '{"a": {}}'],
    ['${NONE:-never closed', '${NONE:-never closed'],
    ['$5 and $x', '$5 and $x'],
  ])('has %s filled in', (word, value) => {
    expect(filled({ command: 'node', args: [word] })).toEqual({ command: 'node', args: [value] });
  });

  it('whose variable is not set is off, and says which one it needs', () => {
    expect(filled({ command: 'node', args: [], env: { A: '${ONE}', B: '$TWO' } })).toBe(
      'it needs $ONE, $TWO, which is not set',
    );
  });

  it('can name no program outside of its extension by a path that begins in it', () => {
    expect(filled({ command: '${PLUGIN_ROOT}/../../bin/x', args: [] })).toBe(
      '/ext/kit/../../bin/x leads out of the extension',
    );
    expect(filled({ command: 'node', args: ['../x.js'] })).toBe('../x.js leads out of the extension');
    expect(filled({ command: 'node', args: [], cwd: '${PLUGIN_ROOT}/..' })).toBe(
      '/ext/kit/.. leads out of the extension',
    );
  });

  it.each([
    ['/home/ada', '/home/ada'],
    ['${HOME}', '/home/ada'],
    ['/work/../home', '/work/../home'],
  ])('can not be started in %s', (cwd, shown) => {
    expect(filled({ command: 'node', args: [], cwd })).toBe(
      `its folder ${shown} is neither in the extension nor in the workspace`,
    );
  });

  it.each(['/work/a', 'server', '${workspacePath}'])('can be started in %s', (cwd) => {
    expect(filled({ command: 'node', args: [], cwd })).toHaveProperty('cwd');
  });

  it('gets each value of a list as a word of its own', () => {
    const variables = [
      { name: 'FILES_DIRS', description: '', isRequired: false, separator: ':' as const },
      { name: 'FILES_TAGS', description: '', isRequired: false, separator: ',' as const },
    ];
    const args = [
      '${FILES_DIRS:-${HOME}/Desktop:${DOCUMENTS}}',
      '${FILES_TAGS:-}',
      '--all=${FILES_DIRS:-a:b}',
    ];
    const of = (environment: Record<string, string>) =>
      broughtServers(
        { name: 'files', variables, servers: { s: { command: 'node', args } } },
        { ...places, environment },
      );
    expect(of({})).toMatchObject([
      { server: { args: ['/home/ada/Desktop', '/home/ada/Documents', '--all=a:b'] } },
    ]);
    expect(of({ FILES_DIRS: '/x', FILES_TAGS: 'https://a,b' })).toMatchObject([
      { server: { args: ['/x', 'https://a', 'b', '--all=/x'] } },
    ]);
  });

  it('may be written as one line', () => {
    expect(filled({ command: "node -e '1 + 1'" })).toEqual({ command: 'node', args: ['-e', '1 + 1'] });
  });
});

it('the variables of the user that a server gets are known before it starts', () => {
  expect(
    variablesOfServer({
      command: '${PLUGIN_ROOT}/x',
      args: ['$A', '${B:-c}', '${HOME}', '${B:-${D:-${HOME}}}'],
      env: { X: '${A}' },
    }),
  ).toEqual(['A', 'B', 'D']);
});
