import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packages, root } from '../setup.mjs';

/** A clone of the last commit in a folder of its own, with the installed dependencies, so that a release that fails changes nothing here. */
export function openClone() {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-release-'));
  const clone = join(folder, 'toolwright');
  git(root, ['clone', '--quiet', '--shared', root, clone]);
  linkDependencies('.', clone);
  for (const name of packages) linkDependencies(`packages/${name}`, clone);
  const ours = join(clone, 'node_modules/@toolwright');
  mkdirSync(ours);
  for (const name of packages) symlinkSync(join(clone, 'packages', name), join(ours, name), 'junction');
  return { clone, folder, close: () => rmSync(folder, { recursive: true, force: true }) };
}

function linkDependencies(path, clone) {
  const from = join(root, path, 'node_modules');
  if (!existsSync(from)) return;
  const to = join(clone, path, 'node_modules');
  mkdirSync(to);
  // The packages of this repository are those of the clone; the cache belongs to this folder.
  for (const name of readdirSync(from))
    if (name !== '@toolwright' && name !== '.cache')
      symlinkSync(join(from, name), join(to, name), 'junction');
}

export function git(folder, args) {
  return execFileSync('git', args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}
