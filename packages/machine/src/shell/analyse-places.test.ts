import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entriesOf } from '../host/plain-files/regular-file.js';
import { analyseCommand } from './analyse.js';

let base: string;
let root: string;

/** A workspace with links inside of it, out of it and to it. */
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'places-')));
  root = join(base, 'root');
  mkdirSync(join(root, 'src/deep'), { recursive: true });
  mkdirSync(join(base, 'outside/deep'), { recursive: true });
  writeFileSync(join(root, 'a'), '');
  symlinkSync(join(base, 'outside/deep'), join(root, 'out'));
  symlinkSync('src/deep', join(root, 'in'));
  symlinkSync('..', join(root, 'src/up'));
  symlinkSync('../..', join(root, 'src/above'));
  symlinkSync(root, join(base, 'alias'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Gives the real path of the part that exists. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPath(above), path.slice(above.length));
  }
}

function look(command: string, directory = root, roots = [root]) {
  return analyseCommand(command, { directory, roots, home: '/home/me', realPath, entriesOf });
}

async function isProven(command: string, directory = root, roots = [root]): Promise<boolean> {
  return (await look(command, directory, roots)).readOnly;
}

describe('links', () => {
  it.each([
    'cat a in/x src/up/a',
    'cd in && ls',
    'cd in && cat ../x',
    'cat missing/../a',
    'cd src/up && cat a',
    'cat a*',
    'echo *',
    'cat .a* .?*a .*rc',
    'cd src/deep && cat .[a-z]* .[!.]*',
    "cat '*'",
    'cat src/deep/*',
    'cat a*a b* *b ?',
    'cat *x*t*',
    'find src/deep -exec cat {} +',
    'for f in a*; do cat "$f"; done',
    'diff a in/x',
    'diff -r src/deep in',
    'diff -r --no-dereference src .',
  ])('%s stays inside', async (command) => {
    expect(await isProven(command)).toBe(true);
  });

  it.each([
    'cat out/x',
    'cat *',
    'cat o*',
    'ls src/*',
    'cat src/*/x',
    'cat [m-p]*',
    'cat [!a]*',
    'cat *u*',
    'cat *o*u*t*',
    'cat ?u?',
    'cat o**t',
    'cat [mno]ut',
    'ls */',
    'cat */x',
    'cat ?ut/x',
    'grep -r x *',
    'find . -exec cat {} +',
    'find src -exec cat {} \\;',
    'for f in *; do cat "$f"; done',
    'cd src && cat *',
    'ls out',
    'ls out/*',
    'cd out && ls',
    'cat src/above/x',
    'cat in/../../../x',
    'cat in/../../a',
    'cat src/up/../x',
    'cat out/../root/a',
    'cd in && cat ../../../x',
    'cd src/up && cat ../x',
    'cd in && cd .. && cat x',
    'rg x out',
    'sort < out/x',
    'git -C out status',
    '[ -f out/x ]',
    'diff -r . src/deep',
    'diff src src/deep',
    'diff */x a',
    'cat .*',
    'ls .?',
    'grep -r x .*',
    'cat .*/x',
    'cat src/.*/*',
    'cat .[.]/x',
    'cat .[!a]/x',
    'cat ..*',
    'cat .[a-z]*/../x',
  ])('%s may leave', async (command) => {
    expect(await isProven(command)).toBe(false);
  });

  it.each([
    ['cat in/x', ['in/x', 'src/deep/x']],
    ['cat i*', ['']],
    ['ls src/u*', ['', 'src']],
    ['cat < in', ['in', 'src/deep']],
    ['diff a b', ['a', 'b']],
  ])('what %s reads is named as written and as what links lead to', async (command, places) => {
    expect([...(await look(command)).reads].sort()).toEqual(places.map((place) => join(root, place)).sort());
  });

  it.each([
    'grep -r x',
    'grep --recurs x',
    'grep -rn -e x',
    'grep -rf a',
    'egrep -ir x',
    'grep -r x $y',
    'rg x',
    'rg -e x',
    'rg --files',
    'rg x $y',
    'ls',
    'ls -R',
    'ls $y',
    'dir',
    'find',
    'find -name x',
    'tree',
    'du',
    'du -a',
    'fd x',
    'fdfind',
    'git grep x',
    'git diff',
    'xargs grep -r x',
  ])('%s reads the current folder', async (command) => {
    expect((await look(command)).reads).toContain(root);
    expect((await look(`cd src && ${command}`)).reads).toContain(join(root, 'src'));
  });

  it.each(['grep x', 'grep -r x a', 'cat', 'rg x a', 'ls a', 'sort', 'wc -l', 'grep -rl x src'])(
    '%s does not',
    async (command) => {
      expect((await look(command)).reads).not.toContain(root);
    },
  );

  it('count also where they are written out behind a wildcard', async () => {
    for (const name of ['a', 'b']) mkdirSync(join(base, 'packages', name), { recursive: true });
    symlinkSync(join(base, 'outside/deep'), join(base, 'packages/a/out'));
    symlinkSync('../a', join(base, 'packages/b/in'));
    const isProvenThere = (command: string) =>
      isProven(command, join(base, 'packages'), [join(base, 'packages')]);
    expect(await isProvenThere('cat */README.md */in/x')).toBe(true);
    expect(await isProvenThere('cat */out')).toBe(false);
    expect(await isProvenThere('cat */out/*')).toBe(false);
    expect(await isProvenThere('cat */in/out')).toBe(false);
    expect(await isProvenThere('for f in */out; do cat "$f"; done')).toBe(false);
  });

  it('count where a name is what another command prints', async () => {
    expect(await isProven('cat "src/deep/$(git rev-parse --abbrev-ref HEAD)"')).toBe(true);
    expect(await isProven('cat "src/$(git rev-parse --abbrev-ref HEAD)"')).toBe(false);
    expect(await isProven('cat "$(nproc)"')).toBe(false);
    expect((await look('cat src/deep/v$(nproc).txt')).reads).toContain(join(root, 'src/deep'));
  });

  it('a device that is a link stands for itself', async () => {
    expect((await look('cat /dev/stdin')).reads).toEqual(['/dev/stdin']);
  });

  it('are looked for a few times, however deep a path is', async () => {
    let looks = 0;
    const counting = (path: string): string => {
      looks += 1;
      return realPath(path);
    };
    const deep = 'a/'.repeat(120);
    const words = [deep, `${deep}${'../'.repeat(60)}`, 'in/../'.repeat(40)];
    await analyseCommand(`cat ${words.join(' ')}`, {
      directory: root,
      roots: [root],
      home: '/home/me',
      realPath: counting,
      entriesOf,
    });
    expect(looks).toBeLessThan(100);
    const { commands, doubts } = await look(`x=${'a/'.repeat(200)}; ls "$x$x$x"`);
    expect([commands, doubts]).toEqual([null, ['it names a path that is too deep to be followed']]);
  });

  it('that lead in circles are followed once', async () => {
    mkdirSync(join(base, 'ring/b'), { recursive: true });
    for (const name of ['a', 'b/a', 'b/c']) symlinkSync(join(base, 'ring'), join(base, 'ring', name));
    expect(await isProven('diff -r ring b', base, [base])).toBe(true);
  });

  it('a root may be named by a link', async () => {
    const alias = join(base, 'alias');
    expect(await isProven('cat a src/x', alias, [alias])).toBe(true);
    expect(await isProven(`cat ${root}/a`, alias, [alias])).toBe(true);
    expect(await isProven('cat ../x', alias, [alias])).toBe(false);
    expect(await isProven('cat out/x', alias, [alias])).toBe(false);
  });
});

describe('every folder the shell may be in', () => {
  it.each([
    'cd src && cd deep; cat a',
    'if cd src; then cat x; fi; cat x',
    'cd src && ls || cat x',
    '{ cd src; cat x; }; cat x',
    'case a in a) cd src;; b) ls;; esac; cat x',
    'cd src; cd deep; ls',
    'cd src && for f in a b; do cat "$f"; done',
  ])('is inside: %s', async (command) => {
    expect(await isProven(command)).toBe(true);
  });

  it('counts, also the one after a `cd` that fails', async () => {
    expect(await isProven('cd src && cat ../a')).toBe(true);
    expect(await isProven('cd src; cat ../a')).toBe(false);
    expect(await isProven('cd src || cat ../a')).toBe(false);
  });
});

describe('the configuration of a repository', () => {
  const lookAt = (text: string | null, command = 'git status') =>
    analyseCommand(command, {
      directory: '/work/app',
      roots: ['/work/app'],
      home: '/home/me',
      gitConfigurations: () => (text === null ? null : [text]),
    });

  it.each([
    '[core]\n\tfsmonitor = ./x',
    '[core] fsmonitor=true',
    '[CORE]\nFsMonitor = x',
    '[diff]\nexternal = x',
    '[diff "a"]\n command = x',
    '[diff "a.b"]\n textconv = x',
    '[filter "lfs"]\n clean = x',
    '[filter "x"]\nprocess = y',
    '[include]\npath = x',
    '[includeIf "gitdir:/"]\npath = x',
    '[core]\npager = x',
    '[pager]\nlog = x',
    '[core]\nhooksPath = x',
    '[core]\nsshCommand = x',
    '[core]\nworktree = /',
    '[gpg]\nprogram = x',
    '[gpg "ssh"]\nprogram = x',
    '[credential]\nhelper = x',
    '[core]\nfsmon\\\nitor = x',
    '[diff.a]\ntextconv = x',
    '[broken\nx = y',
    '[format]\npretty = "%h %-GK"',
    '[pretty]\nx = %"G"K',
    '[branch]\nsort = -signature',
  ])('%j keeps git from running unasked', async (text) => {
    const { readOnly, commands } = await lookAt(text);
    expect(readOnly).toBe(false);
    expect(commands).toContainEqual([null]);
  });

  it('an ordinary one does not', async () => {
    const text =
      '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = false\n[remote "origin"]\n\turl = x\n\tfetch = +refs/*\n[branch "main"]\n\tmerge = x ; note\n[user]\nname = "a"\n[format]\npretty = %h %gd %s\n[tag]\nsort = version:refname\n# pager = x\n';
    expect((await lookAt(text)).readOnly).toBe(true);
    expect((await lookAt(null)).doubts).toEqual([
      'the configuration of the git repository could not be read',
    ]);
    expect((await lookAt('[core]\nfsmonitor = x', 'ls')).readOnly).toBe(true);
  });

  it('without one git compares any two files, links included', async () => {
    const inside = (command: string, texts: string[]) =>
      analyseCommand(command, {
        directory: root,
        roots: [root],
        home: '/home/me',
        realPath,
        entriesOf,
        gitConfigurations: () => texts,
      });
    expect((await inside('git diff --stat out/x a', [])).readOnly).toBe(false);
    expect((await inside('git diff a in/x', [])).readOnly).toBe(true);
    expect((await inside('git diff out/x a', ['[core]'])).readOnly).toBe(true);
  });
});
