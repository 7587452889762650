import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelText, openTempShell, type TempShellOptions } from './fixtures/temp-shell.js';

const deny = { verdict: 'deny' as const, text: 'Read(.env)', source: 'test' };

async function open(options: TempShellOptions = {}) {
  const shell = await openTempShell({ sandbox: { mode: 'off' }, answer: { kind: 'cancel' }, ...options });
  shell.write('.env', 'KEY=swordfish\n');
  shell.write('src/a.txt', 'plain\n');
  mkdirSync(join(shell.directory, '../elsewhere'));
  symlinkSync('../elsewhere', join(shell.directory, 'out'));
  symlinkSync('src', join(shell.directory, 'in'));
  return shell;
}

describe('without a sandbox', () => {
  it.each([
    'grep -r sword.ish',
    'grep -rh sword.ish',
    'rg --no-ignore --hidden sword.ish',
    'git grep --untracked sword.ish',
    'cd src && cd .. && grep -r sword.ish',
  ])('%s is asked about where a rule denies a file below the current folder', async (command) => {
    for (const approvalMode of ['default', 'yolo'] as const) {
      await using shell = await open({ approvalMode, rules: [deny] });
      const settled = await shell.run(command);
      expect(modelText(settled)).not.toContain('swordfish');
      expect(shell.asked).toHaveLength(1);
    }
  });

  it('grep -r runs unasked in a folder that holds nothing denied', async () => {
    await using shell = await open({ rules: [deny] });
    expect(modelText(await shell.run('grep -r plain', { directory: 'src' }))).toBe(
      'a.txt:plain\n[exit code 0]',
    );
    expect(modelText(await shell.run('grep -r plain', { directory: 'in' }))).toBe(
      'a.txt:plain\n[exit code 0]',
    );
    expect(shell.asked).toEqual([]);
  });

  it.each(['plan', 'default', 'auto-edit', 'yolo'] as const)(
    'no command runs in a folder behind a link that leads out, in %s mode',
    async (approvalMode) => {
      await using shell = await open({ approvalMode });
      for (const command of ['pwd', 'grep -r x', 'git status', 'ls']) {
        const settled = await shell.run(command, { directory: 'out' });
        expect(settled.error?.code).toBe('outside_workspace');
        expect(modelText(settled)).toMatch(/^out is a link that leads to .*\/elsewhere, outside the folders/);
      }
      expect(shell.asked).toEqual([]);
    },
  );

  it.each(['cd out && pwd', 'cd out && grep -r x', '(cd out; ls)', 'cd in/../out && ls'])(
    '%s is refused in plan mode and asked about otherwise',
    async (command) => {
      await using plan = await open({ approvalMode: 'plan' });
      expect((await plan.run(command)).denied?.by).toBe('rule');
      await using shell = await open();
      await shell.run(command);
      expect(shell.asked).toHaveLength(1);
    },
  );
});
