import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canInstall, type Installed, installTarballs, root } from './packages/install.js';
import { type InstalledProject, projects } from './packages/projects.js';

const run = promisify(execFile);
const tsc = join(root, 'node_modules/typescript/bin/tsc');

describe.runIf(canInstall)('the packages, installed from their tarballs into an empty project', () => {
  let installed: Installed;
  beforeAll(async () => {
    installed = await installTarballs();
  }, 600_000);
  afterAll(() => installed?.cleanup(), 120_000);

  it('bring a licence and a README each', async () => {
    for (const tarball of installed.tarballs) {
      const { stdout } = await run('tar', ['tzf', tarball]);
      expect
        .soft(stdout.split('\n'), tarball)
        .toEqual(expect.arrayContaining(['package/LICENSE', 'package/README.md']));
    }
  });

  it.each(projects)('work in a project of $name, on every supported Node', async (project) => {
    await prepare(installed, project);
    for (const [major, node] of installed.nodes) {
      const state = join(installed.directory, `state-${major}`);
      const { stdout } = await run(node, [join(folderOf(installed, project), project.start)], {
        cwd: installed.directory,
        env: { PATH: process.env['PATH'], HOME: installed.directory, STATE: state },
      });
      console.log(`evidence: ${project.name}, Node ${major}: ${stdout.trim().split('\n').length} results`);
      expect(stdout).toContain('"HELLO"');
      expect(stdout).toContain('entries');
      expect(stdout).toContain('from the shell');
    }
  });

  it('give the command toolwright, which answers on every supported Node', async () => {
    const workspace = join(installed.directory, 'work');
    mkdirSync(workspace);
    installed.write('work/notes.txt', 'alpha TODO\n');
    const command = join(installed.directory, 'node_modules/.bin/toolwright');
    expect(existsSync(command)).toBe(true);
    for (const [major, node] of installed.nodes) {
      const options = { cwd: workspace, env: { PATH: process.env['PATH'], HOME: installed.directory } };
      const { stdout } = await run(node, [command, '-p', 'find TODO in .'], options);
      expect(stdout, `Node ${major}`).toContain('notes.txt');
    }
  });
});

const folderOf = ({ directory }: Installed, { name }: InstalledProject): string =>
  join(directory, name.replace(/\W+/g, '-'));

async function prepare(installed: Installed, project: InstalledProject): Promise<void> {
  const folder = folderOf(installed, project);
  const inside = folder.slice(installed.directory.length + 1);
  for (const [path, text] of Object.entries(project.files)) installed.write(`${inside}/${path}`, text);
  if (project.compilerOptions) {
    installed.write(`${inside}/tsconfig.json`, JSON.stringify({ compilerOptions: project.compilerOptions }));
    await run(process.execPath, [tsc, '-p', folder]).catch(({ stdout }: { stdout: string }) => {
      throw new Error(stdout);
    });
  }
  if (!project.bundle) return;
  await build({
    entryPoints: [join(folder, project.bundle.entry)],
    outfile: join(folder, project.start),
    bundle: true,
    platform: 'node',
    format: project.bundle.format,
    packages: 'bundle',
    external: ['@vscode/ripgrep', '@silvia-odwyer/photon-node', 'unpdf', 'esbuild', '@lydell/node-pty'],
    banner: {
      js: "import { createRequire as requireAt } from 'node:module';const require = requireAt(import.meta.url);",
    },
    logLevel: 'silent',
  });
}
