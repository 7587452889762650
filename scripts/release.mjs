import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { git, openClone } from './release/staging.mjs';
import {
  changelogWithVersion,
  lockWithVersion,
  packageWithVersion,
  problemsOf,
  sourcesWithVersion,
  sourceWithVersion,
} from './release/version-texts.mjs';
import { ensureInstalled, packages, root } from './setup.mjs';

const usage = `node scripts/release.mjs VERSION [--dry-run]

Makes a release of the last commit: the version in all packages, the heading of CHANGELOG.md, a commit, a tag, and the packed
packages in release/VERSION, whose contents it checks. It publishes nothing. With --dry-run nothing here changes.
`;

function release(version, { dryRun }) {
  refuseUnfit(version, dryRun);
  ensureInstalled();
  const { clone, folder, close } = openClone();
  try {
    writeVersion(clone, version);
    say(`building ${version} in a clone of the last commit`);
    execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: clone, stdio: ['ignore', 2, 2] });
    const packed = join(folder, 'packed');
    mkdirSync(packed);
    const tarballs = packages.map((name) => pack(join(clone, 'packages', name), packed, version));
    commit(clone, version);
    if (dryRun)
      say(
        'this was a dry run: the commit, the tag and the packages were made in the clone, which is removed',
      );
    else bringBack(clone, packed, { version, tarballs });
  } finally {
    close();
  }
}

function refuseUnfit(version, dryRun) {
  if (!/^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(version))
    throw new Error(`"${version}" is no version. Give one such as 1.2.0 or 1.2.0-beta.1.`);
  if (git(root, ['tag', '--list', `v${version}`]) !== '')
    throw new Error(`The tag v${version} is there already. Choose a later version.`);
  if (git(root, ['status', '--porcelain']) === '') return;
  if (!dryRun)
    throw new Error(
      'There are changes that are not committed. Commit them, or put them aside with git stash.',
    );
  say('changes that are not committed are no part of this');
}

function writeVersion(clone, version) {
  const rewrite = (path, change) => {
    const file = join(clone, path);
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  };
  const json = (change) => (text) => `${JSON.stringify(change(JSON.parse(text), version), null, 2)}\n`;
  for (const name of packages) rewrite(`packages/${name}/package.json`, json(packageWithVersion));
  rewrite('package-lock.json', json(lockWithVersion));
  for (const [path, pattern] of sourcesWithVersion)
    rewrite(path, (text) => sourceWithVersion(text, pattern, version));
  const date = new Date().toISOString().slice(0, 10);
  rewrite('CHANGELOG.md', (text) => changelogWithVersion(text, version, date));
}

/** Packs one package and looks into what was packed. */
function pack(folder, packed, version) {
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', packed];
  const isWindows = process.platform === 'win32';
  const told = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', shell: isWindows });
  const [{ filename, name, size, files }] = JSON.parse(told);
  const manifest = JSON.parse(
    execFileSync('tar', ['-xzOf', filename, 'package/package.json'], { cwd: packed, encoding: 'utf8' }),
  );
  const wrong = problemsOf({ files: files.map(({ path }) => path), manifest }, version);
  if (wrong.length > 0) throw new Error(`${name} is not fit to be published: ${wrong.join(' ')}`);
  say(`packed and checked ${filename}: ${files.length} files, ${Math.round(size / 1000)} kB`);
  return filename;
}

function commit(clone, version) {
  const who = ['user.name', 'user.email'].flatMap((key) => ['-c', `${key}=${git(root, ['config', key])}`]);
  git(clone, [...who, 'commit', '--quiet', '--all', '--message', `Release ${version}`]);
  git(clone, [...who, 'tag', '--annotate', `v${version}`, '--message', `Toolwright ${version}`]);
  say(`commit and tag v${version}:\n${git(clone, ['show', '--stat', '--format=', 'HEAD'])}`);
}

function bringBack(clone, packed, { version, tarballs }) {
  const folder = join(root, 'release', version);
  git(root, ['fetch', '--quiet', clone, 'tag', `v${version}`]);
  git(root, ['merge', '--quiet', '--ff-only', `v${version}`]);
  cpSync(packed, folder, { recursive: true });
  const publish = tarballs.map(
    (name) => `  npm publish --access public ${relative(root, join(folder, name))}`,
  );
  say(`nothing is published yet. When you want to:\n  git push --follow-tags\n${publish.join('\n')}`);
}

function say(text) {
  process.stdout.write(`release: ${text}\n`);
}

const [version, flag] = process.argv
  .slice(2)
  .sort((a, b) => Number(a === '--dry-run') - Number(b === '--dry-run'));
if (!version || version.startsWith('-') || (flag && flag !== '--dry-run')) {
  process.stderr.write(usage);
  process.exit(2);
}
try {
  release(version, { dryRun: flag === '--dry-run' });
} catch (error) {
  process.stderr.write(`release: ${error.message}\n`);
  process.exit(1);
}
