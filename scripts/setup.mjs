import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Prepares the repository before each of its commands: installs when packages are missing, builds when stale. Uses Node alone. */

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** In the order they are built: each imports only those before it. */
export const libraries = ['machine', 'mcp', 'core', 'doctor', 'fleet', 'web'];
export const packages = [...libraries, 'cli'];

const installStamp = join(root, 'node_modules/.toolwright-install');
const buildStamp = join(root, 'packages/cli/dist/.stamp');

export function ensureInstalled() {
  const wanted = hashOf(readFileSync(join(root, 'package-lock.json')));
  if (existsSync(installStamp) && readFileSync(installStamp, 'utf8') === wanted) return;
  process.stderr.write('toolwright: installing dependencies (once) …\n');
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(installStamp, wanted);
}

export async function ensureBuilt() {
  const wanted = fingerprint();
  if (existsSync(buildStamp) && readFileSync(buildStamp, 'utf8') === wanted) return;
  process.stderr.write('toolwright: building …\n');
  const { build } = await import('./build.mjs');
  await build();
  writeFileSync(buildStamp, wanted);
}

export function run(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
  if (done.status !== 0) {
    process.stderr.write(`toolwright: ${command} ${args.join(' ')} failed; its output is above.\n`);
    process.exit(1);
  }
}

/** Sizes and times of everything a build reads. */
function fingerprint() {
  const inputs = [
    'package-lock.json',
    'tsconfig.json',
    'scripts/build.mjs',
    ...packages.map((name) => `packages/${name}/package.json`),
  ];
  for (const folder of packages.map((name) => `packages/${name}/src`)) {
    for (const name of readdirSync(join(root, folder), { recursive: true })) {
      if (/\.(tsx?|css|html|svg)$/.test(name) && !/\.test\.ts$/.test(name)) inputs.push(join(folder, name));
    }
  }
  const lines = inputs.sort().map((path) => {
    const { size, mtimeMs } = statSync(join(root, path));
    return `${path} ${size} ${mtimeMs}`;
  });
  return hashOf(lines.join('\n'));
}

function hashOf(data) {
  return createHash('sha256').update(data).digest('hex');
}
