import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCheck } from './run-check.mjs';
import { libraries, packages, root } from './setup.mjs';

/** Packs every package, once, and looks at what came of it: its files and exports, and the types of the libraries. */
export async function packageChecks() {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-packed-'));
  try {
    const words = ['pack', '--workspaces', '--ignore-scripts', '--pack-destination', folder];
    await promisify(execFile)('npm', words, { cwd: root, shell: process.platform === 'win32' });
    const files = readdirSync(folder);
    const packed = (name) =>
      join(
        folder,
        files.find((file) => file.startsWith(`toolwright-${name}-`)),
      );
    const results = [];
    for (const name of packages) results.push(await lintPackage(name, packed(name)));
    for (const name of libraries) results.push(await checkTypes(name, packed(name)));
    return results;
  } catch (error) {
    return [{ name: 'packages', ok: false, output: String(error.stack) }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function lintPackage(name, path) {
  const [{ publint }, { formatMessage }] = await Promise.all([import('publint'), import('publint/utils')]);
  const { buffer, byteOffset, byteLength } = readFileSync(path);
  const tarball = buffer.slice(byteOffset, byteOffset + byteLength);
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  const mistakes = messages.filter(({ type }) => type === 'error');
  const output = mistakes.map((message) => formatMessage(message, pkg, { color: false })).join('\n');
  return { name: `package ${name}`, ok: mistakes.length === 0, output };
}

function checkTypes(name, path) {
  const words = [path, '--profile', 'esm-only', '--quiet'];
  return runCheck([`types of package ${name}`, '@arethetypeswrong/cli/dist/index.js', words]);
}
