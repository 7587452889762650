import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { createRipgrep, type RipgrepEnd, type RipgrepRun } from './ripgrep.js';
import { findRipgrep } from './ripgrep-program.js';

let folder: string;
beforeEach(() => {
  folder = tempFolder();
});

function script(name: string, body: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

interface Outcome extends RipgrepEnd {
  records: string[];
}

async function run(options: Partial<RipgrepRun>, program?: string): Promise<Outcome> {
  const records: string[] = [];
  const end = await createRipgrep({ program }).run({
    args: [],
    directory: folder,
    signal: new AbortController().signal,
    onRecord: (record) => void records.push(record),
    ...options,
  });
  return { ...end, records };
}

describe('running ripgrep', () => {
  it('waits for the work on a piece before it reads the next one, and before its end', async () => {
    for (let index = 0; index < 60; index++) writeFileSync(join(folder, `${index}`), 'one\n'.repeat(200));
    let isWorking = false;
    let whileWorking = 0;
    let pieces = 0;
    const { exitCode } = await run({
      args: ['one', './'],
      onRecord: () => void (whileWorking += isWorking ? 1 : 0),
      async afterPiece() {
        isWorking = true;
        await new Promise((resolve) => setTimeout(resolve, 20));
        isWorking = false;
        pieces += 1;
      },
    });
    expect([exitCode, isWorking, whileWorking]).toEqual([0, false, 0]);
    expect(pieces).toBeGreaterThan(1);
  });

  it('fails with the failure of that work', async () => {
    writeFileSync(join(folder, 'a'), 'one\n');
    const afterPiece = async (): Promise<void> => {
      throw new Error('no room');
    };
    await expect(run({ args: ['one', './'], afterPiece })).rejects.toThrow('no room');
  });

  it('is ended before an endless .gitignore takes all memory', async ({ skip }) => {
    if (!existsSync('/proc/self/status')) skip('this system does not tell how much memory a process takes');
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'sub/a.txt'), 'one\n');
    symlinkSync('/dev/zero', join(folder, 'sub/.gitignore'));
    const args = ['--no-require-git', 'one', './'];
    await expect(run({ args, maxMemoryBytes: 64 * 1024 * 1024 })).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(/took too much memory.*include_ignored/),
    });
    expect((await run({ args: ['--no-ignore', ...args] })).records).toEqual(['./sub/a.txt:one']);
  });

  it('is ended when it waits for a .gitignore that is a pipe', async ({ skip }) => {
    if (!existsSync('/proc/self/wchan')) skip('this system does not tell what a process waits for');
    mkdirSync(join(folder, 'sub'));
    execFileSync('mkfifo', [join(folder, 'sub/.gitignore')]);
    await expect(run({ args: ['--no-require-git', 'one', './'] })).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringMatching(/a pipe or a terminal.*include_ignored/),
    });
  });

  it('hands over each line of a real search and the exit code', async () => {
    writeFileSync(join(folder, 'a.txt'), 'one\ntwo\nthree\n');
    const found = await run({ args: ['--no-filename', '-e', 't', '--', './'] });
    expect(found).toEqual({ records: ['two', 'three'], exitCode: 0, stopped: null, stderr: '' });
    expect(await run({ args: ['-e', 'four', '--', './'] })).toMatchObject({ exitCode: 1, records: [] });
  });

  it('passes on what ripgrep says of a pattern it can not read', async () => {
    const end = await run({ args: ['-e', 'a(', '--', './'] });
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain('unclosed group');
  });

  it('does not read a configuration file', async () => {
    writeFileSync(join(folder, 'a.txt'), 'one\n');
    writeFileSync(join(folder, 'config'), '--invert-match\n');
    process.env['RIPGREP_CONFIG_PATH'] = join(folder, 'config');
    try {
      expect((await run({ args: ['--no-filename', '-e', 'one', '--', './a.txt'] })).records).toEqual(['one']);
    } finally {
      delete process.env['RIPGREP_CONFIG_PATH'];
    }
  });

  it('gives the program few variables and --no-config first', async () => {
    process.env['TOOLWRIGHT_TEST_SECRET'] = 'x';
    try {
      const { records } = await run({ args: ['--files'] }, script('rg', 'echo "$@"; env'));
      expect(records[0]).toBe('--no-config --files');
      expect(records.join('\n')).not.toContain('TOOLWRIGHT_TEST_SECRET');
    } finally {
      delete process.env['TOOLWRIGHT_TEST_SECRET'];
    }
  });

  it('keeps only the beginning of what goes to standard error', async () => {
    const { stderr } = await run({}, script('rg', 'yes problem | head -c 1000000 >&2'));
    expect(stderr).toHaveLength(16 * 1024);
  });
});

describe('stopping ripgrep', () => {
  const endless = 'echo $$ > "$PWD/pid"; echo first; while :; do echo more; done';

  function expectGone(): void {
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  }

  it('when the caller has enough leaves no process', async () => {
    const seen: string[] = [];
    const end = await run({ onRecord: (record) => seen.push(record) < 3 }, script('rg', endless));
    expect(end).toMatchObject({ exitCode: null, stopped: 'caller' });
    expect(seen).toEqual(['first', 'more', 'more']);
    expectGone();
  });

  it('on abort throws the reason and leaves no process', async () => {
    const controller = new AbortController();
    const reason = { kind: 'user' };
    const onRecord = (): undefined => controller.abort(reason) as undefined;
    await expect(run({ signal: controller.signal, onRecord }, script('rg', endless))).rejects.toBe(reason);
    expectGone();
  });

  it('never starts when it was aborted before', async () => {
    const program = script('rg', 'touch "$PWD/started"');
    await expect(run({ signal: AbortSignal.abort('no') }, program)).rejects.toBe('no');
    expect(existsSync(join(folder, 'started'))).toBe(false);
  });

  it('at the byte limit reports that limit', async () => {
    const end = await run({ maxBytes: 100_000 }, script('rg', endless));
    expect(end.stopped).toBe('bytes');
    expectGone();
  });

  it('at the time limit says so and gives what came until then', async () => {
    const program = script('rg', 'echo $$ > "$PWD/pid"; echo first; exec sleep 300');
    const end = await run({ timeoutMs: 500 }, program);
    expect(end).toMatchObject({ exitCode: null, stopped: 'time', records: ['first'] });
    expectGone();
  });

  it('when the caller throws passes the error on', async () => {
    const onRecord = (): never => {
      throw new Error('mine');
    };
    await expect(run({ onRecord }, script('rg', endless))).rejects.toThrow('mine');
    expectGone();
  });
});

describe('finding ripgrep', () => {
  const nowhere = { from: [] as string[], environment: { PATH: '' } };

  it('takes the program of the installed package', async () => {
    expect(await findRipgrep({ environment: {} })).toMatch(/@vscode\/ripgrep-[a-z0-9-]+\/bin\/rg/);
  });

  it('takes the one that is named, by option before variable', async () => {
    const [one, two] = [script('one', ''), script('two', '')];
    const environment = { TOOLWRIGHT_RIPGREP: two };
    expect(await findRipgrep({ environment })).toBe(two);
    expect(await findRipgrep({ program: one, environment })).toBe(one);
  });

  it('does not go on looking when the one that is named can not be run', async () => {
    await expect(findRipgrep({ environment: { TOOLWRIGHT_RIPGREP: '/none/rg' } })).rejects.toThrow(
      'TOOLWRIGHT_RIPGREP is /none/rg, which is not an executable file.',
    );
    writeFileSync(join(folder, 'plain'), '');
    await expect(findRipgrep({ program: join(folder, 'plain') })).rejects.toThrow('not an executable file');
  });

  it('falls back on the search path, but not on folders of the place it runs in', async () => {
    mkdirSync(join(folder, 'bin'));
    const program = script('bin/rg', '');
    const path = `.:${join(process.cwd(), 'bin')}:${join(folder, 'none')}:${join(folder, 'bin')}`;
    expect(await findRipgrep({ ...nowhere, environment: { PATH: path } })).toBe(program);
  });

  it('says what to do when there is none, and looks again the next time', async () => {
    const environment: Record<string, string> = { PATH: '' };
    const ripgrep = createRipgrep({ from: [], environment });
    const search: RipgrepRun = {
      args: [],
      directory: folder,
      signal: new AbortController().signal,
      onRecord: () => undefined,
    };
    await expect(ripgrep.run(search)).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('Install ripgrep, or set TOOLWRIGHT_RIPGREP'),
    });
    environment['TOOLWRIGHT_RIPGREP'] = script('late', 'exit 1');
    expect((await ripgrep.run(search)).exitCode).toBe(1);
  });

  it('works from a CommonJS bundle', async () => {
    const { build } = await import('esbuild');
    const bundle = join(process.cwd(), 'node_modules', '.cache', `toolwright-ripgrep-${process.pid}.cjs`);
    const entry = new URL('./ripgrep-program.ts', import.meta.url).pathname;
    await build({
      stdin: {
        contents: `import { findRipgrep } from ${JSON.stringify(entry)}; findRipgrep().then((path) => console.log(path));`,
        resolveDir: folder,
      },
      outfile: bundle,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      logLevel: 'silent',
    });
    try {
      const environment = { PATH: '' };
      const printed = execFileSync(process.execPath, [bundle], {
        cwd: folder,
        env: environment,
        encoding: 'utf8',
      });
      expect(printed).toMatch(/bin\/rg\n$/);
    } finally {
      rmSync(bundle, { force: true });
    }
  });
});
