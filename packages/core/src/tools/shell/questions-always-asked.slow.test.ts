import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isConfined, modelText, openTempShell } from './fixtures/temp-shell.js';

const confined = await isConfined();
const no = { kind: 'cancel' as const };
const allowed = { verdict: 'allow' as const, text: 'Shell(ln)', source: 'test' };

describe.runIf(confined)('a link that leaves the workspace', () => {
  it.each([
    ['to a folder of the machine', 'ln -s /etc out'],
    ['upwards', 'ln -s ../../.. out'],
    ['by way of another link', 'ln -s deep/../../.. out'],
    ['in the place of one that stays', 'ln -sfn /etc inner'],
    ['that leads to nothing yet', 'ln -s /nowhere/at/all out'],
  ])(
    '%s is asked about in yolo mode and for an allowed command, and not kept after a no',
    async (_, command) => {
      await using shell = await openTempShell({ approvalMode: 'yolo', rules: [allowed], answer: no });
      mkdirSync(join(shell.directory, 'a/b'), { recursive: true });
      symlinkSync('a/b', join(shell.directory, 'deep'));
      symlinkSync('a', join(shell.directory, 'inner'));
      await shell.run(command);
      expect(shell.asked.map(({ reason }) => reason)).toEqual([
        expect.stringMatching(/\(a link that leaves the workspace is always asked about\)$/),
      ]);
      const [{ details } = { details: undefined }] = shell.asked;
      expect(details?.kind === 'exec' && details.warnings).toEqual([
        expect.stringMatching(/: a link that leaves the workspace, to /),
      ]);
      expect(shell.asked[0]?.offers).toEqual([]);
      expect(existsSync(join(shell.directory, 'out'))).toBe(false);
    },
  );

  it('is not kept where the question came before the command', async () => {
    await using shell = await openTempShell();
    const settled = await shell.run('ln -s /etc out; echo x > made', { network: true });
    expect(shell.asked).toHaveLength(1);
    expect(modelText(settled)).toMatch(
      /not kept: out: .*\(a link that leaves the workspace is always asked about\)/,
    );
    expect([existsSync(join(shell.directory, 'out')), shell.read('made')]).toEqual([false, 'x\n']);
  });

  it('is no concern where it stays inside', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    await shell.run('mkdir -p a/b; ln -s a/b one; ln -s "$PWD/a" two; ln -s ../.. a/b/up');
    expect(shell.asked).toEqual([]);
    expect(lstatSync(join(shell.directory, 'one')).isSymbolicLink()).toBe(true);
  });
});

it.each([
  ['write_file', { file_path: '.githooks/pre-commit', content: 'x\n' }],
  ['run_shell_command', { command: 'mkdir -p .githooks && echo x > .githooks/pre-commit' }],
])('%s asks before it changes hooks, wherever git looks for them', async (tool, args) => {
  await using shell = await openTempShell({ approvalMode: 'yolo', answer: no });
  execFileSync('git', ['init', '-q'], { cwd: shell.directory });
  execFileSync('git', ['config', 'core.hooksPath', '.githooks'], { cwd: shell.directory });
  await shell.call(tool, args);
  expect(shell.asked[0]?.reason).toMatch(/protected path is always asked about|nothing confines it/);
  expect(shell.read('.githooks/pre-commit')).toBeNull();
});

it.runIf(confined)('a job can change no hook that is there, wherever git looks for them', async () => {
  await using shell = await openTempShell({ approvalMode: 'yolo' });
  execFileSync('git', ['init', '-q'], { cwd: shell.directory });
  execFileSync('git', ['config', 'core.hooksPath', 'tools/hooks'], { cwd: shell.directory });
  shell.write('tools/hooks/pre-commit', 'old\n');
  const command = 'echo new > tools/hooks/pre-commit; mv tools moved; echo tried';
  const answer = modelText(await shell.run(command, { is_background: true }));
  expect(answer).toContain('tried');
  expect(shell.read('tools/hooks/pre-commit')).toBe('old\n');
});
