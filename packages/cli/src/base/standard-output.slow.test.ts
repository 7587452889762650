import { execFile, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolwright-output-'));
  await build({
    entryPoints: [fileURLToPath(new URL('standard-output.ts', import.meta.url))],
    outfile: join(folder, 'output.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'warning',
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program that says on standard error, after its work, whether it made a stream for its output. */
function program(work: string): string {
  const file = join(folder, `program-${Math.random()}.cjs`);
  writeFileSync(
    file,
    `const { endWhenOutputFails, writeOutput, isTerminal } = require('./output.cjs');
    const fs = require('node:fs');
    const getter = () => Object.getOwnPropertyDescriptor(process, 'stdout').get;
    const ofNode = getter();
    endWhenOutputFails();
    ${work}
    const isMade = getter() === ofNode;
    fs.writeSync(2, isMade ? 'a stream' : 'no stream');`,
  );
  return file;
}

const numbers = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index}\n`).join('');
const writeLines = (count: number): string =>
  `for (let index = 0; index < ${count}; index++) writeOutput('line ' + index + '\\n');`;

async function run(file: string): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, [file], { maxBuffer: 2 ** 24 });
}

/** Through a pipe of a shell, which nobody reads before the program, which must not wait for that, makes the file `FILE.go`. */
async function runIntoFullPipe(file: string): Promise<{ stdout: string; stderr: string }> {
  const line = `"$0" "$1" | (until [ -e "$1.go" ]; do sleep 0.02; done; cat)`;
  return promisify(execFile)('sh', ['-c', line, process.execPath, file], { maxBuffer: 2 ** 24 });
}
const letRead = `fs.writeFileSync(__filename + '.go', '')`;

describe('standard output', () => {
  it('takes a little without a stream', async () => {
    expect(await run(program(writeLines(3)))).toEqual({ stdout: numbers(3), stderr: 'no stream' });
  });

  it('says without a stream that it is no terminal', async () => {
    const file = program('writeOutput(String([0, 1, 2].map(isTerminal)));');
    expect(await run(file)).toEqual({ stdout: 'false,false,false', stderr: 'no stream' });
  });

  it('goes into a socket whole and in order, however much it is', async () => {
    const { stdout, stderr } = await run(program(writeLines(40_000)));
    expect(stdout === numbers(40_000)).toBe(true);
    expect(stderr).toBe('a stream');
  });

  it.runIf(process.platform === 'linux')(
    'goes into a full pipe whole and in order, and the program hears signals meanwhile',
    async () => {
      const hearing = `process.on('SIGINT', () => { fs.writeSync(2, ', heard'); ${letRead}; });
        setTimeout(() => process.kill(process.pid, 'SIGINT'), 50);`;
      const { stdout, stderr } = await runIntoFullPipe(program(`${hearing} ${writeLines(40_000)}`));
      expect(stdout === numbers(40_000)).toBe(true);
      expect(stderr).toBe('a stream, heard');
    },
  );

  it('goes into a file whole, behind what is there', async () => {
    const output = join(folder, 'written.txt');
    writeFileSync(output, 'before\n');
    const descriptor = openSync(output, 'a');
    const child = spawn(process.execPath, [program(writeLines(5_000))], {
      stdio: ['ignore', descriptor, 'ignore'],
    });
    await new Promise((resolve) => child.on('close', resolve));
    closeSync(descriptor);
    expect(readFileSync(output, 'utf8') === `before\n${numbers(5_000)}`).toBe(true);
  });

  it('keeps the order of what is written to the stream of the process besides', async () => {
    const file = program(
      `writeOutput('first '); process.stdout.write('second '); writeOutput('third '); console.log('fourth');`,
    );
    expect((await run(file)).stdout).toBe('first second third fourth\n');
  });
});
