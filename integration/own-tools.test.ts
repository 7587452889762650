import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { isConfined } from './confined.js';
import { carriers } from './own-tools/carriers.js';
import { createMachine, type Ended, type Machine } from './program.js';

const machines: Machine[] = [];
let checked = 0;
let left = 0;

/** A machine whose programs keep their temporary files in a folder that is looked at in the end. */
function open(files: Record<string, string> = {}): Machine & { temporary: string } {
  const machine = createMachine(files);
  machines.push(machine);
  const temporary = join(dirname(machine.home), 'tmp');
  mkdirSync(temporary);
  return {
    ...machine,
    temporary,
    run: (args, options) => machine.run(args, { ...options, env: { TMPDIR: temporary, ...options?.env } }),
  };
}

afterEach(() => {
  for (const machine of machines.splice(0)) {
    checked += 1;
    const leftovers = [...processesOf(machine), ...readdirSync(join(dirname(machine.home), 'tmp'))];
    left += leftovers.length;
    machine.cleanup();
    expect(leftovers).toEqual([]);
  }
});

afterAll(() => {
  console.log(
    `evidence: left after ${checked} machines with own tools: ${left} processes and temporary files`,
  );
});

/** Command lines of processes whose folder, command or environment names this machine. */
function processesOf(machine: Machine): string[] {
  if (process.platform !== 'linux') return [];
  const base = dirname(machine.home);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const told = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'));
        return told.some((text) => text.includes(base)) ? [(told[0] ?? '').replaceAll('\0', ' ')] : [];
      } catch {
        return [];
      }
    });
}

function writeOwn(machine: Machine, files: Record<string, string>, settings?: object): void {
  const all = { ...files, ...(settings ? { 'settings.json': JSON.stringify(settings) } : {}) };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(machine.state, name)), { recursive: true, mode: 0o700 });
    writeFileSync(join(machine.state, name), text);
  }
}

it('from tools new to a passing check and a call by the offline model takes less than a minute', async () => {
  const machine = open();
  const transcript: string[] = [];
  const type = async (...args: string[]): Promise<Ended> => {
    const ended = await machine.run(args);
    const shown = args.map((word) => (/^[\w./=-]+$/.test(word) ? word : `'${word}'`)).join(' ');
    transcript.push(
      `$ toolwright ${shown}`,
      `${ended.stdout}${ended.stderr}`.trimEnd(),
      `(exit ${ended.code})`,
    );
    return ended;
  };
  const start = Date.now();
  const made = await type('tools', 'new', 'word_count');
  expect(made.stdout).toMatch(/Grade A: keeps every promise\./);
  await type('trust');
  const graded = await type('tools', 'check', 'word_count');
  expect(graded.stdout).toMatch(/^Grade A/m);
  const called = await type('-p', 'use word_count with text="one two three"', '--provider', 'offline');
  expect(called.stdout).toMatch(/^3 words\n/);
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  expect([made, graded, called].map(({ code }) => code)).toEqual([0, 0, 0]);
  console.log(
    `evidence: from tools new to a call by the offline model in ${seconds} s:\n${transcript.join('\n')}`,
  );
}, 60_000);

describe('tools check', () => {
  it.each(carriers)('judges $title', async ({ title, files, settings, target, grade, says }) => {
    const machine = open();
    writeOwn(machine, files, settings);
    // In a folder that nobody trusts no interpreter is let loose with code on its command line.
    await machine.run(['trust']);
    const place = target.startsWith('./') ? join(machine.state, 'tools', target.slice(2)) : target;
    const { stdout, stderr, code } = await machine.run(['tools', 'check', place]);
    console.log(`evidence: tools check on ${title} (exit ${code}):\n${stdout}${stderr}`);
    expect(stdout).toMatch(new RegExp(`^Grade ${grade}:`, 'm'));
    for (const part of says)
      typeof part === 'string' ? expect(stdout).toContain(part) : expect(stdout).toMatch(part);
    expect(code).toBe(grade === 'F' ? 1 : 0);
  });

  it('judges an MCP tool alike whether its server has to be started for the first call or runs already', async () => {
    const { files, settings, target } = carriers.find(({ title }) => title === 'a good MCP server')!;
    const machine = open();
    writeOwn(machine, files, settings);
    await machine.run(['trust']);
    const first = await machine.run(['tools', 'check', target]);
    // The tools are known from the first time, so the server is not started to list them.
    const second = await machine.run(['tools', 'check', target]);
    expect(first.stdout).toMatch(/^Grade A/m);
    expect(second.stdout).toBe(first.stdout);
  });

  it('prints JSON, and makes a call that is given', async () => {
    const machine = open();
    writeOwn(machine, { 'tools/capitals.ts': carriers[0]!.files['tools/capitals.ts']! });
    const { stdout } = await machine.run(['tools', 'check', 'capitals', '--json', '--args', '{"text": "a"}']);
    expect(JSON.parse(stdout)).toMatchObject({
      v: 1,
      tools: [{ name: 'capitals', grade: 'A', findings: [] }],
    });
    const looked = await machine.run(['tools', 'check', 'capitals']);
    expect(looked.stdout).toMatch(
      /improve \(test\): There is no test, so nothing was run\. Write .*capitals\.test\.json/,
    );
    expect(looked.code).toBe(0);
  });

  it('of what is not there says what is near', async () => {
    const machine = open();
    const { stderr, code } = await machine.run(['tools', 'check', 'read_flie']);
    expect(stderr).toContain('There is no tool, MCP server or file read_flie. Did you mean read_file?');
    expect(code).toBe(2);
  });
});

describe('tools new', () => {
  it.runIf(isConfined)(
    'makes a program with its manifest, for all projects too, and never writes over a file',
    async () => {
      const machine = open();
      const made = await machine.run(['tools', 'new', 'count', '--exec', '--user']);
      expect(made.stdout).toMatch(/^Grade A/m);
      expect(readdirSync(join(machine.state, 'tools')).sort()).toEqual([
        'count',
        'count.json',
        'count.test.json',
      ]);
      expect((await machine.run(['tools', 'run', 'count', '--args', '{"text": "a b"}'])).stdout).toBe(
        '2 words\n',
      );
      expect((await machine.run(['tools', 'run', 'count', '--args', '{"text": "a"}'])).stdout).toBe(
        '1 word\n',
      );
      const again = await machine.run(['tools', 'new', 'count', '--exec', '--user']);
      expect(again.stderr).toMatch(/count\.json already exists\. Choose another name, or remove it first\./);
      expect(again.code).toBe(2);
      expect((await machine.run(['tools', 'new', 'a b'])).code).toBe(2);
      const taken = await machine.run(['tools', 'new', 'edit', '--user']);
      expect(taken).toMatchObject({ stdout: '', code: 2 });
      expect(taken.stderr).toContain('The name edit is taken by a built-in tool. Choose another one.');
    },
  );

  it('that does not compile is checked by its name all the same: the report says where', async () => {
    const machine = open();
    await machine.run(['tools', 'new', 'count', '--user']);
    writeFileSync(join(machine.state, 'tools', 'count.ts'), 'export default {\n');
    const { stdout, stderr, code } = await machine.run(['tools', 'check', 'count']);
    expect(stdout).toMatch(/mend \(loading\): .*count\.ts:\d+:\d+: .*\n\nGrade F/s);
    expect(stderr).not.toContain('There is no tool');
    expect(code).toBe(1);
  });

  it('is missing in a folder that nobody trusts, and that is said', async () => {
    const machine = open();
    await machine.run(['tools', 'new', 'count']);
    const { stderr, code } = await machine.run(['tools', 'run', 'count', '--args', '{"text": "a"}']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The tools of this folder take effect once you trust it: toolwright trust$/m);
  });

  it('keeps the trust of whoever trusted the folder, for what it made alone', async () => {
    const machine = open();
    await machine.run(['trust']);
    await machine.run(['tools', 'new', 'count']);
    expect((await machine.run(['tools', 'run', 'count', '--args', '{"text": "a"}'])).stdout).toBe('1 word\n');
  });
});
