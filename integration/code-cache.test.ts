import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { createMachine, type Machine, program } from './program.js';

const open: Machine[] = [];
afterEach(() => {
  for (const machine of open.splice(0)) machine.cleanup();
});

function start(): Machine {
  const machine = createMachine({ 'a.txt': 'alpha\n' }, { isCompiled: false });
  open.push(machine);
  return machine;
}

const list = ['--provider', 'offline', '-p', 'list .'];

async function worksOn(machine: Machine): Promise<void> {
  const ended = await machine.run(list);
  expect(ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('a.txt') });
}

function cacheFiles({ state }: Machine): string[] {
  const folder = join(state, 'cache/code');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

const programCache = (machine: Machine) =>
  cacheFiles(machine).find((path) => basename(path) === 'program.cjs.bin')!;

/** Turns over a byte at each of these shares of the length. */
function damagedAt(bytes: Buffer, shares: number[]): Buffer {
  const damaged = Buffer.from(bytes);
  for (const share of shares) {
    const place = Math.floor(share * bytes.length);
    damaged[place] = damaged[place]! ^ 0xff;
  }
  return damaged;
}

/** Makes V8's cache of another program of the same length, which is all it compares. */
function plantedCode(): Buffer {
  const file = join(dirname(program), '../dist/program.cjs');
  const planted = `({"main.cjs":function(exports){exports.main=(function(){console.log("planted")})}})`;
  const script = new Script(planted.padEnd(readFileSync(file, 'latin1').length), { filename: file });
  script.runInThisContext()['main.cjs']({ main: undefined });
  const code = script.createCachedData();
  const length = Buffer.alloc(4);
  length.writeUInt32LE('main.cjs'.length);
  return Buffer.concat([code, code, Buffer.from('main.cjs'), length]);
}

describe('code that lies in the cache', () => {
  const isRoot = process.getuid?.() === 0;
  const nobody = 65_534;
  /** Down to the file itself. */
  const places = ['.', 'cache', 'cache/code', 'the folder of the build', 'the file'];
  const placeOf = (machine: Machine, name: string): string =>
    ({ 'the folder of the build': dirname(programCache(machine)), 'the file': programCache(machine) })[
      name
    ] ?? join(machine.state, name);

  async function planted(): Promise<Machine> {
    const machine = start();
    await worksOn(machine);
    const path = programCache(machine);
    writeFileSync(path, plantedCode());
    return machine;
  }

  it('is run when it is ours', async () => {
    const machine = await planted();
    expect(await machine.run(list)).toMatchObject({ stdout: 'planted\n' });
  });

  it.runIf(isRoot).each(places)(
    'is not run when %s belongs to somebody else, nor is anything kept there',
    async (name) => {
      const machine = await planted();
      const before = readFileSync(programCache(machine));
      chownSync(placeOf(machine, name), nobody, nobody);
      const { stdout } = await machine.run(list);
      expect(stdout).not.toContain('planted');
      if (name !== 'the file') expect(readFileSync(programCache(machine))).toEqual(before);
    },
  );

  it.each(places)('is not run when others may write %s', async (name) => {
    const machine = await planted();
    chmodSync(placeOf(machine, name), name === 'the file' ? 0o622 : 0o722);
    await worksOn(machine);
  });

  it.each(places.slice(1))('is not run when %s is a link', async (name) => {
    const machine = await planted();
    const path = placeOf(machine, name);
    renameSync(path, join(machine.home, 'elsewhere'));
    symlinkSync(join(machine.home, 'elsewhere'), path);
    await worksOn(machine);
  });

  it('is not run when it comes through a pipe, and nobody waits for that', async () => {
    const machine = await planted();
    const path = programCache(machine);
    rmSync(path);
    execFileSync('mkfifo', [path]);
    await worksOn(machine);
  });
});

describe('the code cache', () => {
  it('is kept for the owner alone, and kept as it is by a run that needs no more', async () => {
    const machine = start();
    await worksOn(machine);
    expect(cacheFiles(machine).every((path) => (statSync(path).mode & 0o777) === 0o600)).toBe(true);
    expect(cacheFiles(machine).filter((path) => path.endsWith('.tmp'))).toEqual([]);
    const before = statSync(programCache(machine)).size;
    await worksOn(machine);
    expect(statSync(programCache(machine)).size).toBeLessThan(before * 1.1);
  });

  it('grows with a run that needs more of the program', async () => {
    const machine = start();
    await machine.run(['doctor']);
    const before = readFileSync(programCache(machine));
    await worksOn(machine);
    expect(readFileSync(programCache(machine)).length).toBeGreaterThan(before.length);
  });

  it.each([
    ['empty', () => Buffer.alloc(0)],
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['cut off at its end', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['noise', (bytes: Buffer) => Buffer.from(bytes.map((byte, index) => byte ^ (index % 251)))],
    ['damaged in one place', (bytes: Buffer) => damagedAt(bytes, [0.2])],
    ['damaged in many places', (bytes: Buffer) => damagedAt(bytes, [0.1, 0.3, 0.45, 0.6, 0.77, 0.9])],
    ['zeros', (bytes: Buffer) => Buffer.alloc(bytes.length)],
    ['of a longer program', (bytes: Buffer) => Buffer.concat([bytes, bytes])],
  ])('that is %s is passed over, and mended', async (_name, damaged) => {
    const machine = start();
    await worksOn(machine);
    const path = programCache(machine);
    writeFileSync(path, damaged(readFileSync(path)));
    await worksOn(machine);
    await worksOn(machine);
  });

  it('that can not be written hinders nothing', async () => {
    const machine = start();
    await worksOn(machine);
    const folder = join(machine.state, 'cache');
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'a file is in the way');
    await worksOn(machine);
  });

  it('is not made by --version and --help', async () => {
    const machine = start();
    await machine.run(['--version']);
    await machine.run(['--help']);
    expect(existsSync(machine.state)).toBe(false);
  });
});
