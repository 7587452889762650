import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SettingsError } from '@toolwright/core';
import type { Engine } from '../engine/engine.js';
import {
  changeRecord,
  type KeptChanges,
  type KeptObject,
  objectName,
  type TaskRecord,
} from '../schedule/record.js';
import { runGit } from './git.js';
import { type PortableChanges, portableIn } from './portable-changes.js';

/** The change set of a task that is done; null where it changed nothing. */
export async function changesOf(engine: Engine, record: TaskRecord): Promise<PortableChanges | null> {
  if (!record.outcome?.files) return null;
  const text = await textOf(engine, record, 'changes');
  return text === null ? null : portableIn(text);
}

/** The changes of a task as a patch; null when there are none. */
export async function patchOfTask(engine: Engine, record: TaskRecord): Promise<string | null> {
  return record.outcome?.files ? textOf(engine, record, 'patch') : null;
}

/** The journal of a task as far as it is in the store. */
export async function journalOf(engine: Engine, record: TaskRecord): Promise<string | null> {
  return textOf(engine, record, 'journal');
}

async function textOf(
  { objects }: Engine,
  { task: { id }, snapshot }: TaskRecord,
  object: KeptObject,
): Promise<string | null> {
  const bytes = snapshot && (await objects.get(objectName({ id, token: snapshot.token }, object)));
  return bytes ? Buffer.from(bytes).toString('utf8') : null;
}

/** Notes in the record of a task where its changes were kept. */
export async function markKept(engine: Engine, { task }: TaskRecord, kept: KeptChanges): Promise<void> {
  await changeRecord(engine, task.id, (record) => record && { ...record, kept });
}

/** Writes the patch of a task into a folder; gives its path. */
export async function collectPatch(engine: Engine, record: TaskRecord, folder: string): Promise<string> {
  const path = join(folder, `${record.task.id}.patch`);
  const patch = await requirePatch(engine, record);
  await mkdir(folder, { recursive: true });
  await writeFile(path, patch);
  return path;
}

async function requirePatch(engine: Engine, record: TaskRecord): Promise<string> {
  const patch = await patchOfTask(engine, record);
  if (patch === null) throw new SettingsError('Its changes are no longer in the store.');
  return patch;
}

export interface BranchOptions {
  /** The repository that gets the branch: that of a task on a folder, or one that holds the commit of a clone. */
  repository: string;
  author: string;
}

/** Makes a branch with one commit for a task, beside the checkout, which stays as it is. Gives the name of the branch. */
export async function collectBranch(
  engine: Engine,
  record: TaskRecord,
  { repository, author }: BranchOptions,
): Promise<string> {
  const patch = await requirePatch(engine, record);
  const branch = `toolwright/${record.task.id}`;
  const holder = await mkdtemp(join(tmpdir(), 'toolwright-branch-'));
  const [tree, file] = [join(holder, 'tree'), join(holder, 'changes.patch')];
  const git = async (args: string[], cwd = tree): Promise<string> => {
    const identity = identityOf(author);
    const { code, stderr, stdout } = await runGit(args, { cwd, environment: identity });
    if (code === 0) return stdout;
    throw new SettingsError(`The branch ${branch} could not be made in ${repository}: ${stderr.trim()}`);
  };
  let undo = async (): Promise<unknown> => undefined;
  try {
    await requireNoBranch(branch, repository);
    await writeFile(file, patch);
    const commit = record.outcome?.base.commit ?? 'HEAD';
    const inFolder = await folderInRepository(record, () => git(['rev-parse', '--show-prefix'], repository));
    await git(['worktree', 'add', '--quiet', '-b', branch, tree, commit], repository);
    undo = () => runGit(['branch', '--quiet', '-D', branch], { cwd: repository });
    await git(['apply', '--3way', '--index', '--whitespace=nowarn', ...inFolder, file]);
    await git(['commit', '--quiet', '--no-verify', '-m', `${record.title}\n\nTask: ${record.task.id}`]);
    undo = async () => undefined;
  } finally {
    await runGit(['worktree', 'remove', '--force', tree], { cwd: repository }).catch(() => undefined);
    // A branch without its commit would stand in the way of every later try.
    await undo().catch(() => undefined);
    await rm(holder, { recursive: true, force: true });
  }
  return branch;
}

async function requireNoBranch(branch: string, repository: string): Promise<void> {
  const { code } = await runGit(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`], {
    cwd: repository,
  });
  if (code === 0)
    throw new SettingsError(
      `The branch ${branch} is in ${repository} already. To make it anew, delete it first: git branch -D ${branch}`,
    );
}

/** Paths in a patch are relative to the folder of the task, which may lie deeper than the root of its repository. */
async function folderInRepository({ task }: TaskRecord, prefixOf: () => Promise<string>): Promise<string[]> {
  if (task.workspace.kind !== 'folder') return [];
  const prefix = (await prefixOf()).replace(/\n$/, '');
  return prefix === '' ? [] : [`--directory=${prefix}`];
}

function identityOf(author: string): Record<string, string> {
  const [, name = '', mail = ''] = /^(.*?)\s*<(.*)>$/.exec(author) ?? [];
  if (name === '')
    throw new SettingsError(`The author ${JSON.stringify(author)} must be written as Name <mail>.`);
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: mail,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: mail,
  };
}
