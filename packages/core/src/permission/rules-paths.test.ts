import { afterLinks } from '@toolwright/machine/host/workspace.js';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import fc from 'fast-check';
import picomatch from 'picomatch';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPermission } from './permission.js';
import { pathMatcher, type Verdict } from './rules.js';

let temp: TempWorkspace;
let home: string;

/** A home behind a link, with the workspace in it, and a second root beside it. */
beforeEach(() => {
  temp = createTempWorkspace({ content: { 'real/a.txt': '', 'src/b.txt': '' } });
  temp.symlink('../outside/home', '..');
  temp.symlink('link', 'real');
  temp.symlink('self', '.');
  home = `${temp.outside}/home`;
});
afterEach(() => temp.cleanup());

async function verdict(rule: string, path: string, as: Verdict): Promise<Verdict> {
  const { outside, directory } = temp;
  const permission = await createPermission({
    mode: as === 'allow' ? 'default' : 'yolo',
    rules: [{ verdict: as, text: rule, source: 'here' }],
    workspace: {
      directory,
      rootOf: (at) => ({ path: at.startsWith(outside) ? outside : directory, access: 'write' }),
      show: (at) => at,
    },
    home,
  });
  const absolute = path.startsWith('/') ? path : temp.path(path);
  return permission.decide({ tool: 't', effects: [{ kind: 'write', path: absolute }] }).decision;
}

describe('a rule that denies', () => {
  it.each([
    ['Edit(~/workspace/real)', 'real/a.txt', 'a home that is a link'],
    ['Edit(~/workspace/real/*.txt)', 'real/a.txt', 'a pattern below it'],
    ['Edit(~/**)', 'src/b.txt', 'everything at home'],
    ['Edit(~)', 'src/b.txt', 'home itself'],
    ['Edit(link)', 'real/a.txt', 'a link by what it leads to'],
    ['Edit(link)', 'link/a.txt', 'a link by its name'],
    ['Edit(link/*.txt)', 'real/a.txt', 'a pattern behind a link'],
    ['Edit(link/new/**)', 'real/new/x.txt', 'what does not exist yet'],
    ['Edit(src/../real)', 'real/a.txt', 'a way round'],
    ['Edit(./src//b.txt)', 'src/b.txt', 'dots and slashes too many'],
    ['Edit(src/)', 'src/b.txt', 'a slash at the end'],
    ['Edit(.)', 'src/b.txt', 'the workspace'],
  ])('%s holds for %s: %s', async (rule, path) => {
    expect(await verdict(rule, path, 'deny')).toBe('deny');
    expect(await verdict(rule, path, 'ask')).toBe('ask');
  });

  it('reaches above the workspace and into other roots', async () => {
    expect(await verdict('Edit(../outside/x)', `${temp.outside}/x/y`, 'deny')).toBe('deny');
    expect(await verdict('Edit(**/.env)', `${temp.outside}/deep/.env`, 'deny')).toBe('deny');
    expect(await verdict('Edit(keys)', `${temp.outside}/keys/one`, 'deny')).toBe('deny');
  });

  it.each([
    ['Edit(rea)', 'real/a.txt'],
    ['Edit(real/a.tx)', 'real/a.txt'],
    ['Edit(link/b*)', 'real/a.txt'],
    ['Edit(/src)', 'src/b.txt'],
  ])('%s says nothing about %s', async (rule, path) => {
    expect(await verdict(rule, path, 'deny')).toBe('allow');
  });
});

describe('a rule that allows', () => {
  it.each([
    ['Edit(src/**)', 'src/b.txt'],
    ['Edit(~/workspace/src/**)', 'src/b.txt'],
    ['Edit(~/**)', 'src/b.txt'],
  ])('%s holds for %s, also where home is a link', async (rule, path) => {
    expect(await verdict(rule, path, 'allow')).toBe('allow');
  });

  it.each([
    ['Edit(link/**)', 'real/a.txt'],
    ['Edit(self/src/**)', 'src/b.txt'],
  ])('%s does not reach %s through a link inside the workspace', async (rule, path) => {
    expect(await verdict(rule, path, 'allow')).toBe('ask');
  });

  it('counts in the workspace alone when it is relative', async () => {
    expect(await verdict('Edit(src/**)', `${temp.outside}/src/b.txt`, 'allow')).toBe('ask');
  });
});

it('without a home directory a rule about it is a mistake, not a rule that never holds', async () => {
  home = 'relative';
  await expect(verdict('Edit(~/x)', 'x', 'deny')).rejects.toThrow(/here: "~\/x" needs a home directory/);
});

it('a path is followed as far as it exists', () => {
  expect(afterLinks(temp.path('link/none/x'))).toBe(temp.path('real/none/x'));
});

it('a rule for a path says of many paths in any order what the pattern says of each and of the folders above it', () => {
  const name = fc.constantFrom('a', 'b', '.env', 'x.pem', 'keys');
  const glob = fc.constantFrom('**/.env', '*/b', '**/keys/**', '**/*.pem', 'a/*/b', '{a,b}/.env', '**/a');
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join('/'));
  const compileGlob = (pattern: string) => {
    const matches = picomatch(pattern, { dot: true });
    return (given: string): boolean => matches(given);
  };
  fc.assert(
    fc.property(glob, fc.array(path, { maxLength: 20 }), (pattern, paths) => {
      const matches = pathMatcher({ pattern, narrows: true, source: '' }, { workspace: '/w', compileGlob });
      const one = compileGlob(pattern);
      for (const given of paths) {
        const names = given.split('/');
        const expected = names.some((_, index) => one(names.slice(0, index + 1).join('/')));
        expect([given, matches(`/w/${given}`)]).toEqual([given, expected]);
      }
      expect(matches('/w') || matches('/work/.env') || matches('/.env')).toBe(false);
    }),
  );
});
