import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { isConfined } from './confined.js';
import { blocksOf, patternOf, readDocument } from './documents/blocks.js';
import { runLines } from './documents/shell.js';
import { createMachine } from './program.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const blocks = blocksOf(readDocument('writing-tools.md'));
const files = blocks.filter(({ file }) => file !== undefined);
const commands = blocks.filter(({ language }) => language === 'sh');

/** What a reader has before the examples. */
const machine = createMachine({ 'notes.txt': 'alpha\nbeta\n' });
afterAll(() => machine.cleanup());

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
    const project = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-writing-')));
    try {
      mkdirSync(join(project, 'node_modules/@toolwright'), { recursive: true });
      mkdirSync(join(project, 'node_modules/@types'), { recursive: true });
      symlinkSync(join(root, 'packages/core'), join(project, 'node_modules/@toolwright/core'));
      symlinkSync(join(root, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'));
      const compilerOptions = {
        strict: true,
        target: 'es2022',
        lib: ['es2023', 'esnext.disposable'],
        module: 'nodenext',
        types: ['node'],
        skipLibCheck: true,
        noEmit: true,
      };
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
      writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
      const examples = files.filter(({ language }) => language === 'ts');
      expect(examples.length).toBeGreaterThan(4);
      for (const { file = '', text } of examples) writeFileSync(join(project, basename(file)), text);
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' });
      expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    } finally {
      rmSync(project, { recursive: true, force: true });
    }
  });

  it.each(commands)('$title', async ({ title, text, prints = '' }) => {
    // Without a sandbox a program is asked about whatever its manifest says.
    if (!isConfined && title.endsWith('An executable')) return;
    writeExamples();
    const { code, output } = await runLines(machine, text);
    expect(output.trimEnd()).toMatch(patternOf(prints));
    expect(code, output).toBe(0);
  });

  it('was tried as a whole', () => {
    console.log(
      `evidence: docs/writing-tools.md: ${files.length} files written, ${files.filter(({ language }) => language === 'ts').length} compiled, ${commands.length} shell blocks run with the output as printed there`,
    );
  });
});
