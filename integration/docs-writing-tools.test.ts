import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { isConfined } from './confined.js';
import { blocksOf, patternOf, readDocument } from './documents/blocks.js';
import { createReaderProject, tsc } from './documents/reader-project.js';
import { runLines } from './documents/shell.js';
import { createMachine } from './program.js';

const blocks = blocksOf(readDocument('writing-tools.md'));
const files = blocks.filter(({ file }) => file !== undefined);
const commands = blocks.filter(({ language }) => language === 'sh');

/** The reader's files before the examples. */
const machine = createMachine({ 'notes.txt': 'alpha\nbeta\n' });
afterAll(() => machine.cleanup());

/** The folder into which `npm install` would put packages. */
const packages = join(machine.state, 'tools', 'node_modules');
mkdirSync(packages, { recursive: true, mode: 0o700 });
symlinkSync(fileURLToPath(new URL('../node_modules/zod', import.meta.url)), join(packages, 'zod'));

function writeExamples(): void {
  for (const { file = '', text } of files) {
    const path = join(machine.home, file.replace(/^~\//, ''));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

describe('docs/writing-tools.md', () => {
  it('has only blocks that are tried: files with a path, commands, and what they print', () => {
    const languages = blocks.filter(({ file }) => file === undefined).map(({ language }) => language);
    expect(new Set(languages)).toEqual(new Set(['sh', 'text']));
    expect(files.map(({ file }) => file)).toContain('~/.toolwright/tools/line_count.ts');
    expect(commands.every(({ prints }) => prints !== undefined)).toBe(true);
  });

  it('compiles against the types of the package', () => {
    const project = createReaderProject(['zod']);
    try {
      const examples = files.filter(({ language }) => language === 'ts');
      expect(examples.length).toBeGreaterThan(4);
      for (const { file = '', text } of examples) project.write(basename(file), text);
      const args = [tsc, '-p', project.directory];
      const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    } finally {
      project.cleanup();
    }
  });

  it.each(commands)('prints what is said there: $title', async ({ title, text, prints = '' }) => {
    // Without a sandbox a program is asked about whatever its manifest says.
    if (!isConfined && title.endsWith('An executable')) return;
    writeExamples();
    const { code, output } = await runLines(machine, text);
    expect(output.trimEnd()).toMatch(patternOf(prints));
    expect(code, output).toBe(0);
  });

  it('names the size of the entry for authors', async () => {
    const root = fileURLToPath(new URL('..', import.meta.url));
    const { outputFiles } = await build({
      stdin: { contents: "export * from '@toolwright/core/tool';", resolveDir: root },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'node',
      write: false,
    });
    const [, kilobytes] = /needs, less than (\d+) kB/.exec(readDocument('writing-tools.md')) ?? [];
    expect(outputFiles[0]?.contents.length).toBeLessThan(Number(kilobytes) * 1024);
  });

  it('has no block that was not tried', () => {
    console.log(
      `evidence: docs/writing-tools.md: ${files.length} files written, ${files.filter(({ language }) => language === 'ts').length} compiled, ${commands.length} shell blocks run with the output as printed there`,
    );
  });
});
