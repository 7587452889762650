import { describe, expect, it } from 'vitest';
import { analyseCommand } from './analyse.js';
import { matchesWords } from './shell-word.js';

const context = { directory: '/work/app', roots: ['/work/app', '/data'], home: '/home/me' };
const analyse = (command: string) => analyseCommand(command, context);

describe('the commands of a line', () => {
  it.each<[string, (string | null)[][]]>([
    ['git status', [['git', 'status']]],
    [`"git" 'sta'tus a\\ b`, [['git', 'status', 'a b']]],
    ['a | b && c; d', [['a'], ['b'], ['c'], ['d']]],
    ['cat $x *.ts "$(pwd)"', [['pwd'], ['cat', null, null, null]]],
    ['ls {a,b}', [['ls', 'a', 'b']]],
    ['ls ~/x', [['ls', '/home/me/x']]],
    [
      'timeout 5 env A=b npm test',
      [['timeout', '5', 'env', 'A=b', 'npm', 'test'], ['env', 'A=b', 'npm', 'test'], [null], ['npm', 'test']],
    ],
    [
      'xargs rm -f',
      [
        ['xargs', 'rm', '-f'],
        ['rm', '-f', null],
      ],
    ],
    [
      'find . -exec rm {} \\;',
      [
        ['find', '.', '-exec', 'rm', '{}', ';'],
        ['rm', null],
      ],
    ],
    ['bash -c "rm a; ls"', [['bash', '-c', 'rm a; ls'], ['rm', 'a'], ['ls']]],
    ['sudo -u me make', [['sudo', '-u', 'me', 'make'], ['make']]],
    [
      'eval "rm a"',
      [
        ['eval', 'rm a'],
        ['rm', 'a'],
      ],
    ],
    ['f() { rm a; }', [['rm', 'a']]],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a line for the shell
    ['echo ${x:-`rm a`}', [['rm', 'a'], [null], ['echo', null]]],
    ['rg --pre "sh -c x" y', [['rg', '--pre', 'sh -c x', 'y'], ['sh', '-c', 'x'], ['x']]],
    ['sort --compress-program=gzip a', [['sort', '--compress-program=gzip', 'a'], ['gzip']]],
    ['$x', [[null]]],
    [
      'git rebase -x "make test" main',
      [
        ['git', 'rebase', '-x', 'make test', 'main'],
        ['make', 'test'],
      ],
    ],
  ])('%s', async (command, expected) => {
    expect((await analyse(command)).commands).toEqual(expected);
  });

  it('only those that are not harmless by themselves need a rule', async () => {
    const { unproven } = await analyse('cd src && timeout 60 npm test 2>&1 | tail -5');
    expect(unproven).toEqual([['npm', 'test']]);
  });

  it.each([
    'ls "',
    'a '.repeat(5000),
    'true;'.repeat(51),
    `ls ${'a '.repeat(501)}`,
    `${'$('.repeat(20)}ls${')'.repeat(20)}`,
    '('.repeat(500),
    'ls\u200b',
  ])('a line that is not read has none: %.20s', async (command) => {
    const analysis = await analyse(command);
    expect(analysis).toMatchObject({ commands: null, readOnly: false, canonical: null, refused: null });
    expect(analysis.doubts).toHaveLength(1);
  });

  it('what a project could have fetched is switched off for an automatic run', async () => {
    expect((await analyse('go version')).environment).toEqual({ GOTOOLCHAIN: 'local' });
  });

  it('NUL is refused', async () => {
    expect((await analyse('ls \0')).refused).toBe('The command contains a NUL character.');
  });

  it('nothing is not a command', async () => {
    for (const nothing of ['', '  ', '# only a remark', 'x=1']) {
      expect(await analyse(nothing)).toMatchObject({ readOnly: false, doubts: ['it runs no command'] });
    }
  });
});

describe('the paths of a line', () => {
  it.each<[string, Partial<Record<'reads' | 'writes' | 'deletes', string[]>>]>([
    ['cat a src/b', { reads: ['/work/app/a', '/work/app/src/b'] }],
    ['cat < a > b 2>> c', { reads: ['/work/app/a'], writes: ['/work/app/b', '/work/app/c'] }],
    ['cd src && cat ../a', { reads: ['/work/app/a'] }],
    ['cd src; cat a', { reads: ['/work/app/src/a', '/work/app/a'] }],
    ['( cd src ); cat a', { reads: ['/work/app/a'] }],
    ['cd src || cat a', { reads: ['/work/app/a'] }],
    ['cat src/*.ts', { reads: ['/work/app/src'] }],
    ['cat /data/x', { reads: ['/data/x'] }],
    ['sort -o x y', { reads: ['/work/app/y'], writes: ['/work/app/x'] }],
    ['cp a b c', { reads: ['/work/app/a', '/work/app/b'], writes: ['/work/app/c'] }],
    ['mv a b', { writes: ['/work/app/b'], deletes: ['/work/app/a'] }],
    ['rm -rf a "$x"', { deletes: ['/work/app/a'] }],
    ['find src -name x -delete', { reads: ['/work/app/src'], deletes: ['/work/app/src'] }],
    ['sed -i s/a/b/ f', { reads: ['/work/app/f'], writes: ['/work/app/f'] }],
    ["sed -n 's/a/b/w out' f", { writes: ['/work/app/out'] }],
    ['git diff --output=x', { writes: ['/work/app/x'] }],
    ['git diff', { reads: ['/work/app'] }],
    ['git status', { reads: [] }],
    ['git status -svv', { reads: ['/work/app'] }],
    ['cd src && git grep x', { reads: ['/work/app/src', '/work/app'] }],
    ['git show HEAD:a v1:./src/b :0:c', { reads: ['/work/app/a', '/work/app/src/b', '/work/app/c'] }],
    ['git log -p HEAD~3 -- .env', { reads: ['/work/app/.env'] }],
    ['git show HEAD:./src/../.env', { reads: ['/work/app/.env'] }],
    [
      'git -C src show HEAD:./b HEAD:../.env HEAD:c',
      { reads: ['/work/app/src', '/work/app/src/b', '/work/app/.env', '/work/app/c'] },
    ],
    ['git log -L1,3:.env', { reads: ['/work/app/.env'] }],
    [
      'git log -p -- :/.env ":(top,glob)src/b" ":(exclude)c" ":!d"',
      { reads: ['/work/app/.env', '/work/app/src/b'] },
    ],
    ['git archive --format=tar HEAD src docs', { reads: ['/work/app/src', '/work/app/docs'] }],
    ['git format-patch -1 --stdout -- .env', { reads: ['/work/app/.env'] }],
    ['cd src && git show HEAD:a', { reads: ['/work/app/src/a', '/work/app/a'] }],
    ['git log main..HEAD --format=%h:%an', { reads: [] }],
    ['git show HEAD^:/x', { reads: [] }],
    ['tar xf a.tar -C out', { reads: ['/work/app/a.tar'], writes: ['/work/app/out'] }],
    ['dd if=a of=b', { reads: ['/work/app/a'], writes: ['/work/app/b'] }],
    ['ls 2>/dev/null >/dev/stderr', { reads: ['/work/app'], writes: [] }],
    ['curl -o x https://a.example', { writes: ['/work/app/x'] }],
  ])('%s', async (command, expected) => {
    expect(await analyse(command)).toMatchObject(expected);
  });
});

it('what a program is for is told from what an option or a redirection adds', async () => {
  expect((await analyse('cp a b')).ordinary).toEqual(['/work/app/b']);
  expect((await analyse('rm -r a b')).ordinary).toEqual(['/work/app/a', '/work/app/b']);
  expect((await analyse('mkdir a > a')).ordinary).toEqual([]);
  expect((await analyse('sort -o a b')).ordinary).toEqual([]);
  expect((await analyse('uniq a b')).ordinary).toEqual([]);
  expect((await analyse('find . -delete')).ordinary).toEqual([]);
});

describe('what is said to the user', () => {
  it.each<[string, string[]]>([
    ['find . -delete', ['`find` deletes .']],
    ['cat /etc/passwd', ['`cat` reads /etc/passwd, which is outside the workspace']],
    ['ls > x', ['a redirection writes x']],
    [
      'rg --pre=x y',
      [
        '`rg --pre` runs another program',
        '`rg` runs a command line of its own',
        '`x` is not a program known to only read',
      ],
    ],
    ['git push', ['`git push` reaches the network']],
    ['cat "$x"', ['`cat` reads a path known only when it runs']],
    ['sort --nonsense', ['`sort` has an unknown option --nonsense']],
    ['foo', ['`foo` is not a program known to only read']],
    ['export A=b', ['A=b changes the shell', '`export` changes the shell']],
  ])('%s', async (command, doubts) => {
    expect((await analyse(command)).doubts).toEqual(doubts);
  });

  it.each<[string, string[]]>([
    ['curl -s https://me@a.example:8/x', ['`curl` (a.example)']],
    ['git fetch', ['`git fetch`']],
    ['npm install', ['`npm install`']],
    ['cat < /dev/tcp/a.example/80', ['/dev/tcp/a.example/80']],
    ['rsync a b', []],
    ['rsync a me@a.example:b', ['`rsync` (a.example)']],
  ])('the network: %s', async (command, network) => {
    expect((await analyse(command)).network).toEqual(network);
  });
});

describe('offers', () => {
  it.each<[string, string[][]]>([
    ['git commit -m x', [['git', 'commit']]],
    ['npm run build -- --watch', [['npm', 'run', 'build']]],
    ['npm test', [['npm', 'test']]],
    ['cargo build --release', [['cargo', 'build']]],
    ['make', [['make']]],
    ['make test', [['make', 'test']]],
    ['python3 scripts/x.py', [['python3', 'scripts/x.py']]],
    ['python3 -m pytest -q', [['python3', '-m', 'pytest']]],
    ['foo bar --x', [['foo', 'bar']]],
    [
      'cd src && npm test && ls',
      [
        ['cd', 'src'],
        ['npm', 'test'],
      ],
    ],
    ['npm test; npm test', [['npm', 'test']]],
    ['timeout 60 cargo test', [['cargo', 'test']]],
    ['python3 -c x', []],
    ['python3', []],
    ['bash -c make', []],
    ['sudo make', []],
    ['make && $x', []],
    ['npx', []],
    ['git -c a.b=c commit', []],
    ['ls', []],
    ['tsx a.ts', [['tsx', 'a.ts']]],
    ["julia -e 'x'", []],
    ["python3.11 -c 'x'", []],
    ['/opt/bin/julia', []],
    ['xvfb-run bash -c x', []],
    ['direnv exec . make', []],
    ['pytest -q', [['pytest']]],
    ['uv run python', []],
    ['uv run python x.py', [['uv', 'run', 'python', 'x.py']]],
    ['uv run python -m pytest -q', [['uv', 'run', 'python', '-m', 'pytest']]],
    ["uv run python -c 'x'", []],
    ['uv run pytest -q', [['uv', 'run', 'pytest']]],
    ['uv run x.py', [['uv', 'run', 'x.py']]],
    ['uv tool run ruff check', [['uv', 'tool', 'run', 'ruff']]],
    ['uv tool run ipython', []],
    ['uv sync', [['uv', 'sync']]],
    ['uvx python', []],
    ['poetry run bash', []],
    ['poetry run bash setup.sh', [['poetry', 'run', 'bash', 'setup.sh']]],
    ['poetry run env x', []],
    ['poetry run git push', [['poetry', 'run', 'git', 'push']]],
    ['npx tsx', []],
    ['npx tsx@4 -e x', []],
    ['npx tsx src/a.ts --x', [['npx', 'tsx', 'src/a.ts']]],
    ['npx vitest run a', [['npx', 'vitest']]],
    ['npx -y tsx a.ts', []],
    ['npx cross-env A=b node x', []],
    ['npx @biomejs/biome check', [['npx', '@biomejs/biome']]],
    ['npm exec node', []],
    ['npm x tsx a.ts', [['npm', 'x', 'tsx', 'a.ts']]],
    ['npm explore a b', []],
    ['npm run watch', [['npm', 'run', 'watch']]],
    ['pnpm tsx', []],
    ['pnpm exec vitest', [['pnpm', 'exec', 'vitest']]],
    ['pnpm dlx ts-node', []],
    ['yarn node -e x', []],
    ['yarn build', [['yarn', 'build']]],
    ['yarn workspace a', []],
    ['yarn workspace a build', [['yarn', 'workspace', 'a', 'build']]],
    ['yarn workspace a node', []],
    ['yarn workspaces foreach exec x', []],
    ['bun run node -e x', []],
    ['deno eval x', []],
    ['deno run a.ts', [['deno', 'run', 'a.ts']]],
    ['go run', []],
    ['go run ./cmd/a -x', [['go', 'run', './cmd/a']]],
    ['go test ./...', [['go', 'test']]],
    ['cargo watch -s x', []],
    ['mvn exec:exec -Dexec.executable=bash', []],
    ['make test --eval=x', []],
    ['conda run python', []],
    ['conda run pytest', [['conda', 'run', 'pytest']]],
    ['bundle exec ruby', []],
    ['bundle exec rspec', [['bundle', 'exec', 'rspec']]],
    ['docker exec web sh', [['docker', 'exec', 'web']]],
    ['pdm --x', []],
    ['rails console', []],
    ['turbo run build', [['turbo', 'run', 'build']]],
  ])('are made for %s', async (command, offers) => {
    expect((await analyse(command)).offers).toEqual(offers);
  });
});

it('rule words are whole leading words', () => {
  expect(matchesWords(['git', 'log'], ['git', 'log', '-1'])).toBe(true);
  expect(matchesWords(['git', 'lo'], ['git', 'log'])).toBe(false);
  expect(matchesWords(['git', 'log'], ['git'])).toBe(false);
  expect(matchesWords(['git', 'log'], ['git', null])).toBe(false);
  expect(matchesWords([], ['git'])).toBe(false);
});
