import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canInstall, type Installed, installTarballs, root } from './packages/install.js';
import { askForEverything } from './packages/missing-packages.js';

const run = promisify(execFile);

const toldWithout = (name: string, work: string, version: string): string =>
  `${work} needs the package ${name}, which is not installed. Install it beside Toolwright: npm install ${name}@${version}`;

const whatIsTold = {
  'notice:': toldWithout('esbuild', 'Compiling tool files', '0.28'),
  'read_file: a.pdf:': toldWithout('unpdf', 'Reading PDF files', '1'),
  'read_file: a.png:': toldWithout('@silvia-odwyer/photon-node', 'Reading images', '0.3'),
  'program:': toldWithout('@modelcontextprotocol/client', 'Using MCP servers', '2'),
  'address:': toldWithout('@modelcontextprotocol/client', 'Using MCP servers', '2'),
  'serving:': toldWithout('@modelcontextprotocol/server', 'Serving tools over MCP', '2'),
};

describe.runIf(canInstall)('@toolwright/core with what it installs by itself', () => {
  let installed: Installed;
  beforeAll(async () => {
    installed = await installTarballs(['machine', 'mcp', 'core']);
    installed.write('app/main.ts', askForEverything);
    const compilerOptions = { strict: true, target: 'es2022', module: 'nodenext', types: ['node'] };
    installed.write('app/tsconfig.json', JSON.stringify({ compilerOptions, files: ['main.ts'] }));
    installed.write('app/package.json', '{ "type": "module" }');
  }, 600_000);
  afterAll(() => installed?.cleanup(), 120_000);

  async function start(script: string, place: string, path?: string): Promise<string> {
    const directory = join(installed.directory, place, 'work');
    mkdirSync(directory, { recursive: true });
    const env = { PATH: path ?? process.env['PATH'], HOME: installed.directory, PLACE: directory };
    const { stdout } = await run(process.execPath, [script], { cwd: directory, env });
    return stdout;
  }

  it('compiles with the declarations of every package it needs checked too', async () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [tsc, '-p', join(installed.directory, 'app')]).catch(
      ({ stdout }: { stdout: string }) => {
        throw new Error(stdout);
      },
    );
  });

  it('says of everything that needs another package which one, and does the rest', async () => {
    const stdout = await start(join(installed.directory, 'app/main.js'), 'installed');
    for (const [before, told] of Object.entries(whatIsTold)) {
      const line = stdout.split('\n').find((each) => each.startsWith(before));
      expect.soft(line, before).toContain(told);
      console.log(`evidence: ${line}`);
    }
    expect(stdout).toContain('1: alpha TODO');
    expect(stdout).toContain('notes.txt');
    expect(stdout).toContain('from the shell');
  });

  it('can be bundled although packages are missing, and the bundle says the same', async () => {
    const outfile = join(installed.directory, 'bundle.mjs');
    await build({
      entryPoints: [join(installed.directory, 'app/main.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: {
        js: "import { createRequire as requireAt } from 'node:module';const require = requireAt(import.meta.url);",
      },
      external: ['@lydell/node-pty'],
      logLevel: 'silent',
    });
    const stdout = await start(outfile, 'bundled');
    for (const told of Object.values(whatIsTold)) expect.soft(stdout).toContain(told);
    expect(stdout).toContain('from the shell');
  });

  it('searches with an rg of the system, or says what to install, where optional packages are left out', async () => {
    await run('npm', ['prune', '--ignore-scripts', '--omit=optional', '--silent'], {
      cwd: installed.directory,
    });
    const stdout = await start(join(installed.directory, 'app/main.js'), 'pruned', dirname(process.execPath));
    const places = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'];
    const isThere = places.some((place) => existsSync(join(place, 'rg')));
    const told = isThere ? '1 match in 1 file' : 'Searching needs ripgrep, and none was found';
    expect(stdout).toContain(`grep_search: ${isThere ? '"' : ''}${told}`);
    expect(stdout).toContain('from the shell');
  });
});
