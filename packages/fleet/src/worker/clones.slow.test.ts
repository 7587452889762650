import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Git,
  type GitServer,
  gitServerMissing,
  makeGitRepository,
  startGitServer,
} from '../fixtures/git-server.js';
import { openClones } from './clones.js';

if (gitServerMissing !== null) console.log(`evidence: clones were not tried: ${gitServerMissing}`);

const base = mkdtempSync(join(tmpdir(), 'toolwright-clones-'));
const served = join(base, 'served');
const { signal } = new AbortController();
let server: GitServer;
let git: Git;
const known = process.env['GIT_SSL_CAINFO'];

beforeAll(async () => {
  if (gitServerMissing !== null) return;
  git = makeGitRepository(join(served, 'app'), { 'a.txt': 'one\n' });
  git('tag', '-a', 'v1', '-m', 'v1');
  writeFileSync(join(served, 'app/a.txt'), 'two\n');
  git('commit', '-qam', 'second');
  git('branch', 'later');
  server = await startGitServer(served);
  process.env['GIT_SSL_CAINFO'] = server.authority;
});

afterAll(async () => {
  if (known === undefined) delete process.env['GIT_SSL_CAINFO'];
  else process.env['GIT_SSL_CAINFO'] = known;
  await server?.close();
  rmSync(base, { recursive: true, force: true });
});

const opened = (name: string) => openClones(join(base, name));
const of = (ref?: string, repository = 'app') => ({
  kind: 'git' as const,
  url: `${server.url}/${repository}/.git`,
  ...(ref === undefined ? {} : { ref }),
});
const textIn = (folder: string): string => readFileSync(join(folder, 'a.txt'), 'utf8');

describe.runIf(gitServerMissing === null)('clones over https', () => {
  it('are shallow, at the branch, tag or commit that is named, and fetched once', async () => {
    const clones = opened('cache');
    const main = await clones.folderOf(of(), undefined, signal);
    expect([textIn(main.folder), main.commit]).toEqual(['two\n', git('rev-parse', 'main')]);
    const log = execFileSync('git', ['log', '--format=%s'], { cwd: main.folder, encoding: 'utf8' });
    expect(log).toBe('second\n');
    const tag = await clones.folderOf(of('v1'), undefined, signal);
    expect([textIn(tag.folder), tag.commit]).toEqual(['one\n', git('rev-parse', 'v1^{commit}')]);
    expect((await clones.folderOf(of('later'), undefined, signal)).folder).toBe(main.folder);

    const before = server.requests.length;
    const [again, other] = await Promise.all([
      clones.folderOf(of(main.commit), undefined, signal),
      opened('cache').folderOf(of(), main.commit, signal),
    ]);
    expect([again.folder, other.folder, server.requests.length]).toEqual([main.folder, main.folder, before]);

    git('commit', '-q', '--allow-empty', '-m', 'third');
    const next = await clones.folderOf(of(), undefined, signal);
    expect(next.commit).toBe(git('rev-parse', 'main'));
    // Another worker goes on from the commit at which the task began.
    expect((await clones.folderOf(of(), main.commit, signal)).folder).toBe(main.folder);
  });

  it('say in one sentence what can not be fetched', async () => {
    const clones = opened('failing');
    await expect(clones.folderOf(of('gone'), undefined, signal)).rejects.toThrow(
      /\/app\/\.git has no gone\.$/,
    );
    await expect(clones.folderOf(of(undefined, 'nothing'), undefined, signal)).rejects.toThrow(
      /\/nothing\/\.git can't be reached: /,
    );
    for (const url of [`file://${served}/app`, 'git://127.0.0.1:1/app', `ext::touch ${join(base, 'ran')}`]) {
      const folder = clones.folderOf({ kind: 'git', url }, undefined, signal);
      await expect(folder).rejects.toThrow(/can't be reached: .*not allowed/);
    }
    expect(existsSync(join(base, 'ran'))).toBe(false);
    const authority = process.env['GIT_SSL_CAINFO'];
    process.env['GIT_SSL_CAINFO'] = '/etc/ssl/certs/ca-certificates.crt';
    await expect(clones.folderOf(of(), undefined, signal)).rejects.toThrow(/can't be reached: .*certificate/);
    process.env['GIT_SSL_CAINFO'] = authority;
  });

  it('run nothing of a hostile repository: hooks, filters, submodules and configuration do nothing', async () => {
    const ran = join(base, 'ran');
    const hostile = makeGitRepository(join(served, 'hostile'), {
      'a.txt': 'one\n',
      '.gitattributes': '*.txt filter=evil\n',
      '.gitconfig': `[filter "evil"]\n  smudge = touch ${ran}\n[core]\n  fsmonitor = touch ${ran}\n`,
      '.githooks/post-checkout': `#!/bin/sh\ntouch ${ran}\n`,
    });
    chmodSync(join(served, 'hostile/.githooks/post-checkout'), 0o755);
    makeGitRepository(join(served, 'inner'), { 'post-checkout': `#!/bin/sh\ntouch ${ran}\n` });
    hostile('submodule', '--quiet', 'add', join(served, 'inner'), 'inner');
    hostile('config', '-f', '.gitmodules', 'submodule.inner.update', `!touch ${ran}`);
    hostile('add', '-A');
    hostile('commit', '-qm', 'second');
    const { folder } = await opened('hostile').folderOf(of(undefined, 'hostile'), undefined, signal);
    expect(textIn(folder)).toBe('one\n');
    expect(readdirSync(join(folder, 'inner'))).toEqual([]);
    expect(readdirSync(join(folder, '.git'))).not.toContain('hooks');
    expect(existsSync(ran)).toBe(false);
  });

  it('leave nothing half done when they are cancelled', async () => {
    const clones = opened('cancelled');
    const over = new AbortController();
    const cloning = clones.folderOf(of(), undefined, over.signal);
    over.abort();
    await expect(cloning).rejects.toThrow();
    expect((await clones.folderOf(of(), undefined, signal)).commit).toBe(git('rev-parse', 'main'));
  });
});
