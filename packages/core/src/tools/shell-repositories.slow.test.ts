import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelText, openTempShell, type TempShell } from './shell/fixtures/temp-shell.js';

const background = { is_background: true };

async function isConfined(): Promise<boolean> {
  await using shell = await openTempShell();
  const { confined, sentence } = await shell.toolbox.commands.sandbox.state(AbortSignal.timeout(20_000));
  if (!confined) console.log(`evidence: ${sentence}; repositories were not protected from a job`);
  return confined;
}

function git(directory: string, ...args: string[]): void {
  execFileSync('git', ['-C', directory, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
}

/** A repository with another one inside, and a place for a third. */
function makeRepositories({ directory, write }: TempShell): void {
  git(directory, 'init', '-q');
  write('sub/a', 'a');
  git(join(directory, 'sub'), 'init', '-q');
  git(join(directory, 'sub'), 'add', '.');
  git(join(directory, 'sub'), 'commit', '-qm', 'a');
  git(directory, '-c', 'advice.addEmbeddedRepo=false', 'add', '.');
  git(directory, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},later`);
  write('later/.keep', '');
}

const script = `
for place in .git/commondir .git/config .git/hooks/x sub/.git/commondir sub/.git/config later/.git; do
  echo evil >> $(printf %s "$place") && echo "wrote $place"
done
mv sub/.git sub/other && echo moved; mv .git other && echo moved; mv later other && echo moved
echo fine > ordinary`;

describe.runIf(await isConfined())('a job', () => {
  it('puts no other repository in the place of one, by no file of it', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    makeRepositories(shell);
    const answer = modelText(await shell.run(script, background));
    expect(answer).not.toMatch(/wrote|moved/);
    expect(shell.read('ordinary')).toBe('fine\n');
    for (const path of ['.git/commondir', 'sub/.git/commondir', 'later/.git'])
      expect(existsSync(join(shell.directory, path))).toBe(false);
  });

  it('may keep history when it is a command of git', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    git(shell.directory, 'init', '-q');
    shell.write('a', 'a');
    expect(modelText(await shell.run('git add a', background))).toContain('ended with exit code 0');
    expect(shell.read('.git/index')).not.toBeNull();
  });
});
