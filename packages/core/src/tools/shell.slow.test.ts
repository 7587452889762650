import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explainCall } from '../scheduler/explain-call.js';
import { entriesOf } from '../session/saved-sessions.js';
import { isConfined, modelText, openTempShell, processesWith } from './shell/fixtures/temp-shell.js';

const confined = await isConfined();

describe('a command that only reads', () => {
  it('runs without a question in every mode, and tells what it printed and how it ended', async () => {
    for (const approvalMode of ['plan', 'default', 'auto-edit', 'yolo'] as const) {
      await using shell = await openTempShell({ approvalMode });
      shell.write('a.txt', 'hello\n');
      expect(modelText(await shell.run('cat a.txt'))).toBe('hello\n[exit code 0]');
      expect(shell.asked).toEqual([]);
    }
  });

  it('keeps both streams in order and names every status of a pipeline', async () => {
    await using shell = await openTempShell();
    shell.write('a.txt', 'one\ntwo\n');
    expect(modelText(await shell.run('ls missing | head -1; cat a.txt'))).toMatch(
      /^ls: .*missing.*\none\ntwo\n\[exit code 0\]$/,
    );
    expect(modelText(await shell.run('grep nothing a.txt | wc -l'))).toBe(
      '0\n[exit code 0]\n[exit codes along the pipeline: 1, 0]',
    );
  });

  it('runs in the folder it is told to', async () => {
    await using shell = await openTempShell();
    shell.write('sub/b.txt', '');
    expect(modelText(await shell.run('ls', { directory: 'sub' }))).toBe('b.txt\n[exit code 0]');
    const outside = await shell.run('ls', { directory: '/etc' });
    expect(outside.error?.code).toBe('outside_workspace');
    const missing = await shell.run('ls', { directory: 'nowhere' });
    expect(missing.error?.code).toBe('not_found');
    expect(modelText(missing)).toContain('nowhere');
  });

  it('sees no secret of the environment', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    expect(modelText(await shell.run('env'))).not.toContain('hush');
  });

  it('may be told more variables by settings', async () => {
    await using shell = await openTempShell({
      environment: { PATH: process.env['PATH'], HOME: '/nonexistent', MY_NAME: 'bob', MY_PLACE: 'here' },
      sandbox: { environment: ['MY_*'] },
    });
    expect(modelText(await shell.run('printenv MY_NAME MY_PLACE'))).toBe('bob\nhere\n[exit code 0]');
  });
});

describe.runIf(confined)('a command that may change something', () => {
  it('is not asked about when it changes nothing', async () => {
    await using shell = await openTempShell();
    expect(modelText(await shell.run('bash -c "exit 3"'))).toBe('(no output)\n[exit code 3]');
    expect(shell.asked).toEqual([]);
  });

  it('asks once what to keep, shows the changes, and keeps them', async () => {
    await using shell = await openTempShell();
    shell.write('a.txt', 'hello\n');
    shell.write('b.txt', 'gone\n');
    const settled = await shell.run('sed -i s/hello/bye/ a.txt; rm b.txt; echo new > c.txt; echo done');
    expect(shell.asked).toHaveLength(1);
    const { details } = shell.asked[0]!;
    expect(details).toMatchObject({
      kind: 'exec',
      summary: '1 file deleted, 1 file changed, 1 file created',
      output: 'done\n',
      confinement: expect.stringMatching(/^confined by /),
    });
    expect([shell.read('a.txt'), shell.read('b.txt'), shell.read('c.txt')]).toEqual(['bye\n', null, 'new\n']);
    expect(modelText(settled)).toBe(
      'done\n[exit code 0]\n[kept: 1 file deleted, 1 file changed, 1 file created: b.txt, a.txt, c.txt]',
    );
    expect(settled.changeSet).toEqual(expect.any(String));
    expect(shell.live().trimEnd()).toBe('done');
  });

  it('leaves everything as it was when the user says no, and the model still learns the output', async () => {
    await using shell = await openTempShell({ answer: { kind: 'cancel', reason: 'not now' } });
    shell.write('a.txt', 'hello\n');
    const settled = await shell.run('echo printed; rm a.txt');
    expect(shell.read('a.txt')).toBe('hello\n');
    expect(settled.denied).toEqual({ by: 'user', reason: 'not now' });
    expect(modelText(settled)).toBe(
      'The user refused this call: not now\nThe command ran on a copy of the workspace and its changes were dropped (1 file deleted). It printed:\nprinted\n',
    );
  });

  it('shows of a commit the files first, and one line about the history of git', async () => {
    await using shell = await openTempShell({ answer: { kind: 'once' } });
    shell.write('a.txt', 'hello\n');
    const git = 'git -c user.name=a -c user.email=a@b.c';
    await shell.run(`git init -q . && echo x > b.txt && git add -A && ${git} commit -qm one`);
    const details = shell.asked.at(-1)?.details;
    expect(details).toMatchObject({ kind: 'exec' });
    if (details?.kind !== 'exec') return;
    const paths = details.diff?.files.map(({ path }) => path) ?? [];
    expect(paths.indexOf('b.txt')).toBeLessThan(paths.findIndex((path) => path.startsWith('.git/objects/')));
    const isHistory = (warning: string) => warning.endsWith(': protected: the history of git');
    expect(details.warnings?.filter(isHistory)).toEqual([expect.stringMatching(/ and \d+ more: /)]);
    expect(details.warnings?.some((warning) => /^\.git\/.*git runs hooks/.test(warning))).toBe(true);
    expect(paths.indexOf('.git/config')).toBeLessThan(paths.indexOf('.git/index'));
  });

  it('runs as the user rewrote it', async () => {
    let times = 0;
    await using shell = await openTempShell({
      answer: () => (times++ === 0 ? { kind: 'modify', written: 'echo two > b.txt' } : { kind: 'once' }),
    });
    const settled = await shell.run('echo one > a.txt');
    expect([shell.read('a.txt'), shell.read('b.txt')]).toEqual([null, 'two\n']);
    expect(settled.response.response?.['notes']).toEqual([
      'the user changed the command; this ran instead: echo two > b.txt',
    ]);
  });

  it('is a look at what it wrote, too: the model may go on from there', async () => {
    await using shell = await openTempShell({ approvalMode: 'auto-edit', forModel: true });
    shell.write('old.txt', 'one\n');
    shell.write('other.txt', 'one\n');
    await shell.run('sed -i s/one/two/ old.txt; echo one > new.txt');
    const edit = async (path: string, old_string: string) =>
      (await shell.call('edit', { file_path: path, old_string, new_string: 'three' })).error?.message;
    expect(await edit('old.txt', 'two')).toBeUndefined();
    expect(await edit('new.txt', 'one')).toBeUndefined();
    expect(await edit('other.txt', 'one')).toMatch(/[Rr]ead/);
    expect([shell.read('old.txt'), shell.read('new.txt')]).toEqual(['three\n', 'three\n']);
  });

  it('is kept without a question where edits are', async () => {
    await using shell = await openTempShell({ approvalMode: 'auto-edit' });
    await shell.run('mkdir -p src && echo x > src/a.ts');
    expect(shell.read('src/a.ts')).toBe('x\n');
    expect(shell.asked).toEqual([]);
  });

  it.each([
    ['a command that names no file', './make.sh', 'default mode asks before keeping what a command changed'],
    [
      'a command that is there to change a file',
      'rm old.txt',
      'default mode asks before keeping what a command changed',
    ],
    ['a redirection', 'echo x > new.txt', 'default mode asks before writing new.txt'],
    [
      'a protected path',
      'touch .envrc',
      'default mode asks before writing .envrc (a protected path is always asked about)',
    ],
    [
      'a command that a rule does not cover',
      'npm test --script-shell=./make.sh; ./make.sh',
      'default mode asks before keeping what a command changed (the rule Shell(npm test) (test) does not cover it: --script-shell names another program, file or place)',
    ],
  ])('is asked about for the reason and winner of explain: %s', async (_name, command, reason) => {
    await using shell = await openTempShell({
      rules: [{ verdict: 'allow', text: 'Shell(npm test)', source: 'test' }],
    });
    shell.write('old.txt', 'old\n');
    shell.write('make.sh', '#!/bin/sh\necho made > made.txt\n');
    chmodSync(join(shell.directory, 'make.sh'), 0o755);
    const call = { id: '1', name: 'run_shell_command', arguments: { command } };
    const explained = await explainCall(call, shell.toolbox);
    expect(explained).toMatchObject({ reason, askedAfter: true });
    await shell.run(command);
    expect(shell.asked.map((asked) => asked.reason)).toEqual([reason]);
    const entries = await entriesOf({ path: shell.toolbox.session.journalPath });
    expect(entries.find(({ type }) => type === 'call-decision')).toMatchObject({ winner: explained.winner });
  });

  it('is kept without a question where a rule allows the command, but not what it writes by the way', async () => {
    const rules = ['Shell(touch)', 'Shell(sort)'].map((text) => ({
      verdict: 'allow' as const,
      text,
      source: 'test',
    }));
    await using shell = await openTempShell({ rules });
    await shell.run('touch made.txt');
    expect(shell.asked).toEqual([]);
    await shell.run('sort made.txt -o sorted.txt');
    await shell.run('touch other.txt > log.txt');
    expect(shell.asked.map(({ reason }) => reason)).toEqual([
      'default mode asks before writing sorted.txt',
      'default mode asks before writing log.txt',
    ]);
    await using other = await openTempShell({
      rules: [{ verdict: 'allow', text: 'Shell(./build)', source: 'test' }],
    });
    other.write('build', '#!/bin/sh\necho built > out.txt\n');
    await other.run('./build');
    expect(other.asked).toEqual([]);
  });

  it('asks about a protected path in every mode', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo', answer: { kind: 'cancel' } });
    await shell.run('mkdir -p .github/workflows; echo x > .github/workflows/ci.yml');
    expect(shell.asked[0]?.reason).toMatch(/protected path/);
    expect(shell.read('.github/workflows/ci.yml')).toBeNull();
  });

  it('can change nothing in plan mode, and still answers', async () => {
    await using shell = await openTempShell({ approvalMode: 'plan' });
    shell.write('a.txt', 'hello\n');
    const settled = await shell.run('cat a.txt; echo no > a.txt');
    expect(modelText(settled)).toMatch(/^hello\n.*Read-only file system\n\[exit code 1\]/s);
    expect(shell.read('a.txt')).toBe('hello\n');
  });

  it('does not reach the network unless that was asked about', async () => {
    await using shell = await openTempShell();
    const without = await shell.run('bash -c "exec 3<>/dev/tcp/127.0.0.1/9"');
    expect(modelText(without)).toMatch(/exit code 1/);
    expect(shell.asked).toEqual([]);
    await shell.run('true', { network: true });
    expect(shell.asked).toHaveLength(1);
    expect(shell.asked[0]?.details).toMatchObject({ kind: 'exec' });
    expect(shell.asked[0]?.details).not.toHaveProperty('output');
  });

  it('keeps what it may of a command that was agreed to beforehand, and names the rest', async () => {
    await using shell = await openTempShell();
    const settled = await shell.run('echo x > a.txt; echo y > .mcp.json', { network: true });
    expect(shell.asked).toHaveLength(1);
    expect([shell.read('a.txt'), shell.read('.mcp.json')]).toEqual(['x\n', null]);
    expect(modelText(settled)).toMatch(/\[not kept: \.mcp\.json: .*protected/);
  });

  it('reads nothing that a rule denies, however it is reached', async () => {
    const rules = [{ verdict: 'deny' as const, text: 'Read(.env)', source: 'test' }];
    await using shell = await openTempShell({ rules });
    shell.write('.env', 'KEY=hidden-value\n');
    shell.write('a.txt', 'shown\n');
    expect((await shell.run('cat .env')).error?.code).toBe('denied');
    for (const command of [
      'cat .e*',
      'grep -r . .',
      'cat a.txt .en?',
      'bash -c "cat .env"',
      'cp .env x; cat x',
    ])
      expect(modelText(await shell.run(command))).not.toContain('hidden-value');
  });

  it.each(['off', 'auto'] as const)('reads nothing that a rule denies through links (%s)', async (mode) => {
    const rules = [{ verdict: 'deny' as const, text: 'Read(.env)', source: 'test' }];
    await using shell = await openTempShell({ rules, sandbox: { mode }, answer: { kind: 'cancel' } });
    shell.write('.env', 'KEY=hidden-value\n');
    shell.write('src/a.txt', 'shown\n');
    shell.write('other/b.txt', 'other\n');
    symlinkSync('../.env', join(shell.directory, 'src/b.txt'));
    for (const command of ['cat src/b.txt', 'head < src/b.txt', 'cat src/*', 'diff src other']) {
      const settled = await shell.run(command);
      expect(settled.error?.code).toBe('denied');
      expect(modelText(settled)).not.toContain('hidden-value');
    }
    expect(modelText(await shell.run('cat src/a.txt'))).toMatch(/^shown\n/);
  });

  it('reads nothing that a rule denies in yolo mode without a sandbox', async () => {
    const rules = [{ verdict: 'deny' as const, text: 'Read(.env)', source: 'test' }];
    await using shell = await openTempShell({
      rules,
      sandbox: { mode: 'off' },
      approvalMode: 'yolo',
      answer: { kind: 'cancel' },
    });
    shell.write('.env', 'KEY=hidden-value\n');
    for (const command of ['grep -r KEY .', 'f=.env; cat "$f"', 'tar c . | tar xO']) {
      const settled = await shell.run(command);
      expect(settled.error?.code).toBe('denied');
      expect(modelText(settled)).not.toContain('hidden-value');
    }
  });
});

describe('a command that does not end by itself', () => {
  it('is stopped at its limit with all it started, and what it printed is kept', async () => {
    await using shell = await openTempShell();
    const settled = await shell.run('echo begun; sleep 7321 & sleep 7321', { timeout: 1_000 });
    expect(settled.error?.code).toBe('timeout');
    expect(modelText(settled)).toBe(
      'begun\n[stopped at the time limit of 1 s, with everything it had started. The same command would hit the same limit: give a larger timeout, or is_background for what does not end by itself]',
    );
    expect(processesWith('sleep 7321')).toBe(0);
  });

  it('is cancelled with all it started, and what it printed is kept', async () => {
    await using shell = await openTempShell();
    const controller = new AbortController();
    const running = shell.run('echo begun; setsid sleep 7322; sleep 7322', {}, controller.signal);
    while (!shell.live().includes('begun')) await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort({ kind: 'user' });
    const settled = await running;
    expect(settled.error?.code).toBe('cancelled');
    expect(modelText(settled)).toContain('begun');
    expect(settled.display).toContain('begun');
    expect(processesWith('sleep 7322')).toBe(0);
  });

  it('ends although something it started holds its output, and that something ends too', async () => {
    await using shell = await openTempShell();
    const settled = await shell.run('sleep 7323 & echo done');
    expect(modelText(settled)).toBe(
      confined
        ? 'done\n[exit code 0]\n[what it left running in the background ended with it. A server or watcher needs is_background]'
        : 'done\n[exit code 0]\n[1 process it left running ended with it: sleep 7323. A server or watcher needs is_background]',
    );
    expect(processesWith('sleep 7323')).toBe(0);
    expect(modelText(await shell.run('true & wait; echo done'))).toBe('done\n[exit code 0]');
  });
});

describe('an editor, which can do nothing without a terminal', () => {
  it('is refused at once, with what to do instead', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    const settled = await shell.run('vim a.txt');
    expect(settled.error?.code).toBe('invalid_params');
    expect(modelText(settled)).toBe(
      'vim needs a terminal, and a command has none here. Change files with the tools for that. `vim -es` does without one.',
    );
  });

  it('runs from a script', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    expect(modelText(await shell.run('emacs --version || true'))).not.toContain('needs a terminal');
  });
});

describe('output', () => {
  it('that floods costs no memory: beginning, end and lines that look like errors are shown', async () => {
    await using shell = await openTempShell();
    const settled = await shell.run(
      'seq 1 200000; echo "Error: it broke"; seq 1 100000; yes flood | head -c 30000000; echo the end',
    );
    expect(modelText(settled)).toMatch(/^1\n2\n/);
    expect(modelText(settled)).toContain('\nError: it broke\n');
    expect(modelText(settled)).toMatch(/the end\n\[exit code 0\]/);
    expect(Buffer.byteLength(modelText(settled))).toBeLessThan(64 * 1024);
  });

  it('comes without colours and with progress bars as they ended', async () => {
    await using shell = await openTempShell();
    const settled = await shell.run(String.raw`printf '\033[31mred\033[0m\n 50%%\r100%%\n\033]0;title\a'`);
    expect(modelText(settled)).toBe('red\n100%\n[exit code 0]');
  });

  it('that is not text is named', async () => {
    await using shell = await openTempShell();
    expect(modelText(await shell.run('head -c 5000 /dev/urandom'))).toMatch(
      /^\(4\.9 kB of output that is not text\)\n\[exit code 0\]$/,
    );
  });
});

describe.runIf(confined)('the sandbox', () => {
  it('says what it had to do with a failure', async () => {
    await using shell = await openTempShell();
    const settled = await shell.run('bash -c "echo x > /usr/local/marker"');
    expect(modelText(settled)).toMatch(/\[The sandbox .*\/usr\/local\/marker/);
  });

  it('gives all commands of a session one /tmp, which goes with it', async () => {
    await using shell = await openTempShell();
    await shell.run('bash -c "echo kept > /tmp/note"');
    expect(modelText(await shell.run('bash -c "cat /tmp/note"'))).toBe('kept\n[exit code 0]');
    expect(shell.asked).toEqual([]);
  });
});

it('a sandbox that is required and missing is told at the start', async () => {
  const options = {
    environment: { PATH: '/nonexistent', HOME: '/nonexistent' },
    sandbox: { mode: 'required' as const },
  };
  if (confined) await (await openTempShell(options))[Symbol.asyncDispose]();
  else await expect(openTempShell(options)).rejects.toThrow(/Commands must be confined/);
});
