import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openFileEngine } from '../engine/files/open-files.js';
import { newRecord, objectName, type TaskRecord } from '../schedule/record.js';
import { TASK_FORMAT } from '../tasks/task.js';
import { collectBranch } from './collect.js';

const base = mkdtempSync(join(tmpdir(), 'toolwright-collect-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const author = 'Ann Other <ann@example.com>';
const patch =
  'diff --git a/notes.txt b/notes.txt\n--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-alpha\n+beta\n';

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

/** A repository with a folder `svc` in it, and a task that was done there. */
async function taskIn(name: string, content: string) {
  const repository = join(base, name);
  const folder = join(repository, 'svc');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'notes.txt'), content);
  git(repository, 'init', '-q');
  git(repository, 'add', '-A');
  git(repository, 'commit', '-qm', 'begin');
  const engine = await openFileEngine(join(base, `${name}-fleet`));
  const task = {
    format: TASK_FORMAT,
    id: 'task1',
    prompt: 'Turn alpha into beta',
    workspace: { kind: 'folder' as const, path: folder },
    labels: [],
  };
  const outcome = {
    response: '',
    summary: '',
    files: 1,
    added: 1,
    removed: 1,
    leftOut: [],
    base: { folder },
  };
  const snapshot = { token: 'token', session: 's', base: { folder } };
  const record: TaskRecord = { ...newRecord(task), state: 'done', outcome, snapshot };
  await engine.objects.put(objectName({ id: 'task1', token: 'token' }, 'patch'), Buffer.from(patch));
  return { collect: () => collectBranch(engine, record, { repository: folder, author }), repository, folder };
}

it('a branch of a task in a folder of a repository changes the file of that folder', async () => {
  const { collect, repository } = await taskIn('deep', 'alpha\n');
  const branch = await collect();
  expect(git(repository, 'show', `${branch}:svc/notes.txt`)).toBe('beta\n');
  expect(git(repository, 'ls-tree', '-r', '--name-only', branch)).toBe('svc/notes.txt\n');
});

it('a branch that could not be made leaves nothing behind, and can be made later', async () => {
  const { collect, repository, folder } = await taskIn('later', 'gamma\n');
  await expect(collect()).rejects.toThrow(/could not be made in [\s\S]*patch does not apply/);
  expect(git(repository, 'branch', '--list', 'toolwright/*')).toBe('');
  expect(git(repository, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  writeFileSync(join(folder, 'notes.txt'), 'alpha\n');
  git(repository, 'commit', '-qam', 'as the task found it');
  expect(await collect()).toBe('toolwright/task1');
  await expect(collect()).rejects.toThrow(
    `The branch toolwright/task1 is in ${folder} already. To make it anew, delete it first: git branch -D toolwright/task1`,
  );
});
