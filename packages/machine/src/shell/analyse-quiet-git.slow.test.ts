import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { analyseCommand } from './analyse.js';
import { runInBash } from './fixtures/run-in-bash.js';

it('git with the forced environment starts nothing that the repository names, and leaves the index alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quiet-git-'));
  const canary = join(folder, '.git', 'canary');
  try {
    mkdirSync(join(folder, 'hooks'));
    const script = `#!/bin/sh\ntouch '${canary}'\n`;
    writeFileSync(join(folder, 'hooks', 'watch'), script, { mode: 0o755 });
    writeFileSync(join(folder, 'hooks', 'post-index-change'), script, { mode: 0o755 });
    const setUp =
      'git init -q -b main . && git config user.name me && git config user.email me@example.com && git add . && git commit -qm a && git branch other && git config core.fsmonitor "$PWD/hooks/watch" && git config core.hooksPath "$PWD/hooks" && git config core.pager "$PWD/hooks/watch" && touch -d 2001-01-01 hooks/watch';
    expect(runInBash(setUp, folder, {}).status).toBe(0);
    const context = { directory: folder, roots: [folder], home: folder };
    const commands = [
      'git status',
      'git diff',
      'git log -p',
      'git ls-files -o',
      'git grep -n touch',
      'git describe --always',
      'git diff -- hooks',
    ];
    rmSync(canary, { force: true });
    const index = join(folder, '.git', 'index');
    const { mtimeNs, ino } = statSync(index, { bigint: true });
    for (const command of commands) {
      const { canonical, environment } = await analyseCommand(command, context);
      expect(runInBash(canonical ?? 'false', folder, environment).status, command).toBe(0);
      expect(existsSync(canary), command).toBe(false);
      expect(statSync(index, { bigint: true }), command).toMatchObject({ mtimeNs, ino });
    }
    // The trap does work: without the environment it springs.
    runInBash('git status', folder, {});
    expect(existsSync(canary)).toBe(true);
    console.log(
      `evidence: ${commands.length} automatic git commands in a repository full of traps, 0 sprung`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
