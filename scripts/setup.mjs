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

export function ensureInstalled() {
  if (isInstalled()) return;
  process.stderr.write('toolwright: installing dependencies (once) …\n');
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
}

/** Whether what npm has installed, whoever called it, is what the lock file names. npm writes down its packages last. */
export function isInstalled(folder = root) {
  const written = join(folder, 'node_modules/.package-lock.json');
  const [installed, wanted] = [written, join(folder, 'package-lock.json')].map(packagesIn);
  if (!installed) return false;
  const isWanted = ([path, { version }]) => wanted[path] !== undefined && wanted[path].version === version;
  const isThere = ([path, { optional }]) => path === '' || optional || installed[path] !== undefined;
  return Object.entries(installed).every(isWanted) && Object.entries(wanted).every(isThere);
}

/** Null where there is no such file, or a half one that an interrupted installation left. */
function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return null;
  }
}

export async function ensureBuilt() {
  if (isBuildFresh()) return;
  process.stderr.write('toolwright: the built program is not that of the sources; building …\n');
  const { build } = await import('./build.mjs');
  await build();
}

/** Whether the built program is that of the sources: whoever runs it asks here. */
export function isBuildFresh(folder = root) {
  const stamp = stampIn(folder);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === sourcesNow(folder);
}

/** Notes the sources that a build was made of: as they were when it began. */
export function noteBuild(sources, folder = root) {
  writeFileSync(stampIn(folder), sources);
}

export function run(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
  if (done.status !== 0) {
    process.stderr.write(`toolwright: ${command} ${args.join(' ')} failed; its output is above.\n`);
    process.exit(1);
  }
}

/** One text for the sizes and times of everything that a build reads. */
export function sourcesNow(folder = root) {
  const lines = inputsOf(folder).map((path) => {
    const { size, mtimeMs } = statSync(join(folder, path));
    return `${path} ${size} ${mtimeMs}`;
  });
  return hashOf(lines.join('\n'));
}

/** The files beside those of the packages that a build is made of. */
const ofBuild = [
  'package-lock.json',
  'tsconfig.json',
  'scripts/build.mjs',
  'scripts/clean-paths.mjs',
  'scripts/common-js.mjs',
  'scripts/front-door.mjs',
  'scripts/join-chunks.mjs',
  'scripts/read-chunk.mjs',
  'scripts/setup.mjs',
];

function inputsOf(folder) {
  const ofPackages = packages.flatMap((name) => [
    ...['package.json', 'tsconfig.build.json'].map((file) => `packages/${name}/${file}`),
    ...sourcesIn(folder, `packages/${name}/src`),
  ]);
  return [...ofBuild, ...ofPackages].filter((path) => existsSync(join(folder, path))).sort();
}

/** No test and nothing in a folder of fixtures is built. */
function sourcesIn(folder, from) {
  return readdirSync(join(folder, from), { recursive: true })
    .map((name) => join(from, name))
    .filter((path) => /\.\w+$/.test(path) && !/\.test(-d)?\.ts$|[\\/]fixtures[\\/]/.test(path));
}

function stampIn(folder) {
  return join(folder, 'packages/cli/dist/.stamp');
}

function hashOf(data) {
  return createHash('sha256').update(data).digest('hex');
}
