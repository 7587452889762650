import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isConfined, modelText, openTempShell } from '../fixtures/temp-shell.js';

const confined = await isConfined();

describe.runIf(confined)('what a command writes outside the workspace', () => {
  it('is told to be dropped, with the way to keep it', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    expect(modelText(await shell.run('git config --global user.name Somebody'))).toBe(
      '(no output)\n[exit code 0]\n[written outside the workspace and dropped: ~/.gitconfig. To keep it, call again with outside: {"write":["~/.gitconfig"]}; the user is asked]',
    );
    expect(existsSync(join(dirname(shell.directory), 'home', '.gitconfig'))).toBe(false);
  });

  it('is told in the question, too', async () => {
    await using shell = await openTempShell();
    await shell.run('echo x > ~/.profile; echo y > a.txt');
    expect(shell.asked[0]?.details).toMatchObject({
      warnings: [
        'Written outside the workspace and dropped: ~/.profile. The model is told how to ask for it.',
      ],
    });
  });

  it('counts caches and histories beside it, and does not mention them alone', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    const caches = 'mkdir -p ~/.cache/x ~/.npm/_logs; echo 1 > ~/.cache/x/a; echo 2 > ~/.npm/_logs/b';
    expect(modelText(await shell.run(caches))).toBe('(no output)\n[exit code 0]');
    expect(modelText(await shell.run(`${caches}; echo 3 > ~/notes`))).toContain(
      'dropped: ~/notes (and 2 files of caches).',
    );
  });

  it('names few of many, and proposes their folder', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    const answer = modelText(
      await shell.run('mkdir -p ~/.tool; for i in $(seq 20); do echo x > ~/.tool/$i; done'),
    );
    expect(answer).toMatch(/\(and 12 more\)/);
    expect(answer).toContain('outside: {"write":["~/.tool/"]}');
  });

  it('is told of a command that was stopped', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    const settled = await shell.run('echo x > ~/notes; sleep 7361', { timeout: 1500 });
    expect(modelText(settled)).toContain('dropped: ~/notes.');
  });

  it('is told in plan mode', async () => {
    await using shell = await openTempShell({ approvalMode: 'plan' });
    expect(modelText(await shell.run('echo x > ~/notes'))).toContain('dropped: ~/notes.');
  });

  it('is nothing where a toolchain of the home is only seen', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    const home = join(dirname(shell.directory), 'home');
    mkdirSync(join(home, '.cargo/bin'), { recursive: true });
    writeFileSync(join(home, '.cargo/bin/tool'), '');
    writeFileSync(join(home, '.gitconfig'), '[user]\n');
    expect(modelText(await shell.run('ls ~/.cargo/bin; bash -c "exit 0"'))).toBe('tool\n[exit code 0]');
  });

  it('is told of a /tmp of its own, once', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    expect(modelText(await shell.run('echo x > /tmp/report.html'))).toContain(
      '[written to a /tmp that only commands of this session see and that goes with it: /tmp/report.html]',
    );
    expect(modelText(await shell.run('echo y > /tmp/report.html; mktemp > /dev/null'))).not.toContain(
      '/tmp/',
    );
  });
});
