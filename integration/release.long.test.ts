import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const { openClone } = await import(new URL('../scripts/release/staging.mjs', import.meta.url).href);
const isRepository = existsSync(fileURLToPath(new URL('../.git', import.meta.url)));
if (!isRepository) console.log('not tried: a release, because this folder is no git repository');

describe.runIf(isRepository)('a release, in a clone of this repository', () => {
  const { clone, close } = openClone() as { clone: string; close: () => void };
  afterAll(close);
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: clone, encoding: 'utf8' }).trim();
  git('config', 'user.name', 'A Releaser');
  git('config', 'user.email', 'releaser@example.com');
  const before = git('rev-parse', 'HEAD');
  const release = (...args: string[]) =>
    spawnSync(process.execPath, ['scripts/release.mjs', ...args], { cwd: clone, encoding: 'utf8' });

  it('leaves nothing changed as a dry run', () => {
    const { status, stdout, stderr } = release('7.8.9', '--dry-run');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toContain('packed and checked toolwright-cli-7.8.9.tgz');
    expect(git('rev-parse', 'HEAD')).toBe(before);
    expect(git('tag', '--list', 'v7.8.9')).toBe('');
    expect(git('status', '--porcelain')).toBe('');
    expect(existsSync(join(clone, 'release'))).toBe(false);
  });

  it('refuses changes that are not committed', () => {
    const notes = join(clone, 'CHANGELOG.md');
    const text = readFileSync(notes, 'utf8');
    writeFileSync(notes, `${text}- More.\n`);
    const { status, stderr } = release('7.8.9');
    writeFileSync(notes, text);
    expect([status, stderr]).toEqual([
      1,
      'release: There are changes that are not committed. Commit them, or put them aside with git stash.\n',
    ]);
  });

  it('makes a commit, a tag and the packages, and says how to publish them', () => {
    const { status, stdout, stderr } = release('7.8.9');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toContain('nothing is published yet');
    expect(git('log', '-1', '--format=%s by %an')).toBe('Release 7.8.9 by A Releaser');
    expect(git('rev-parse', 'v7.8.9^{commit}')).toBe(git('rev-parse', 'HEAD'));
    expect(git('rev-parse', 'HEAD~1')).toBe(before);
    expect(git('status', '--porcelain')).toBe('');
    const packages = readdirSync(join(clone, 'packages'));
    expect(readdirSync(join(clone, 'release/7.8.9')).sort()).toEqual(
      packages.map((name) => `toolwright-${name}-7.8.9.tgz`).sort(),
    );
    expect(readFileSync(join(clone, 'CHANGELOG.md'), 'utf8')).toMatch(/^## 7\.8\.9 \(\d{4}-\d\d-\d\d\)$/m);
    expect(release('7.8.9').stderr).toContain('The tag v7.8.9 is there already.');
  });
});
