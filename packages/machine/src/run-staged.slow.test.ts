import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { becomeOrdinaryUser, type OrdinaryUser } from './changes/staged-run/fixtures/as-ordinary-user.js';
import { canStage, leftoversOf } from './changes/staged-run/fixtures/temp-staged.js';
import { type KeptAndUndone, keepAndUndo } from './fixtures/keep-and-undo.js';
import { isToolError, runStaged, summarize, undo } from './index.js';
import { createTempWorkspace, type TempWorkspace } from './testing/temp-workspace.js';

let temporary: TempWorkspace;
let place: { workspace: string; stateFolder: string };
let user: OrdinaryUser;
beforeAll(() => {
  user = becomeOrdinaryUser();
});
afterAll(() => user.leave());
beforeEach(() => {
  temporary = createTempWorkspace({
    content: {
      'src/main.c': 'int main(void) { return 0; }\n',
      'src/old.c': 'gone\n',
      'notes.txt': 'one\ntwo\n',
    },
  });
  place = { workspace: temporary.directory, stateFolder: `${temporary.outside}/state` };
});
afterEach(() => temporary.cleanup());

const here = await canStage();
const nothingLeft = { mounts: 0, folders: 0, processes: 0 };
const leftovers = () => leftoversOf(place.workspace, place.stateFolder);

describe.runIf(here)('runStaged', () => {
  it('shows what a command would remove, and removes nothing', async () => {
    const before = temporary.tree();
    const run = await runStaged('rm -rf src && ls', place);
    expect(run).toMatchObject({
      exitCode: 0,
      stdout: 'notes.txt\n',
      stderr: '',
      stopped: null,
      notKept: null,
    });
    expect(summarize(run.changeSet)).toBe('2 files and 1 folder deleted');
    expect(run.diff.files.map(({ path }) => path)).toEqual(['src/main.c', 'src/old.c']);
    expect(temporary.tree()).toEqual(before);
    await run.drop();
    await run.drop();
    expect(temporary.tree()).toEqual(before);
    expect(leftovers()).toEqual(nothingLeft);
  });

  it('runs a command that begins with a sign, which is no option of the shell', async () => {
    const run = await runStaged('+x; echo more >> notes.txt', place);
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('+x: command not found') });
    expect(summarize(run.changeSet)).toBe('1 file changed');
    await run.drop();
  });

  it('keeps an edit by sed with its diff', async () => {
    const run = await runStaged('sed -i s/two/three/ notes.txt', place);
    expect(run.diff.files[0]?.unified).toContain('-two\n+three');
    expect(temporary.read('notes.txt')).toBe('one\ntwo\n');
    await run.keep();
    expect(temporary.read('notes.txt')).toBe('one\nthree\n');
    expect(leftovers()).toEqual(nothingLeft);
  });

  it('keeps what a build makes, and flags the new executable', async () => {
    temporary.write(
      'build.sh',
      'mkdir out && cp src/main.c out/main.o && printf "#!/bin/sh\\necho built\\n" > out/run && chmod +x out/run\n',
    );
    const run = await runStaged('sh build.sh && out/run', place);
    expect(run).toMatchObject({ exitCode: 0, stdout: 'built\n' });
    expect(run.flags).toEqual([{ path: temporary.path('out/run'), why: 'a new executable' }]);
    await run.keep();
    expect(temporary.tree()).toHaveProperty(['out/main.o'], 'int main(void) { return 0; }\n');
  });

  it('has nothing to keep after a command that only reads', async () => {
    const heard: string[] = [];
    const run = await runStaged('cat notes.txt; echo careful >&2; exit 3', {
      ...place,
      onOutput: (text, stream) => heard.push(`${stream}: ${text}`),
    });
    expect(run).toMatchObject({ exitCode: 3, stdout: 'one\ntwo\n', stderr: 'careful\n' });
    expect(run.changeSet.changes).toEqual([]);
    expect(heard.toSorted()).toEqual(['stderr: careful\n', 'stdout: one\ntwo\n']);
    expect(leftovers()).toEqual(nothingLeft);
  });

  it('drops everything that a cancelled command had changed', async () => {
    const before = temporary.tree();
    const controller = new AbortController();
    const run = await runStaged('rm -rf src; echo gone; sleep 600', {
      ...place,
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect(run.stdout).toBe('gone\n');
    expect(run.notKept).toBe('The command was cancelled; what it had changed so far was dropped.');
    await expect(run.keep()).rejects.toThrow('The command was cancelled');
    expect(temporary.tree()).toEqual(before);
    expect(leftovers()).toEqual(nothingLeft);
  });

  it('ends a command at its deadline, with all it started', async () => {
    const run = await runStaged('echo begun > begun.txt; sleep 600 & wait', { ...place, deadlineMs: 1_000 });
    expect(run.stopped?.kind).toBe('timeout');
    expect(summarize(run.changeSet)).toBe('1 file created');
    await run.drop();
    expect(leftovers()).toEqual(nothingLeft);
  });

  it('keeps nothing when a file was changed meanwhile, and shows by what', async () => {
    const run = await runStaged('sed -i s/two/three/ notes.txt; rm src/old.c', place);
    temporary.write('notes.txt', 'one\ntwo\nmine\n');
    const error: unknown = await run.keep().catch((each: unknown) => each);
    expect(isToolError(error) && error.code).toBe('conflict');
    expect(String(error)).toContain('+mine');
    expect(temporary.read('notes.txt')).toBe('one\ntwo\nmine\n');
    expect(temporary.exists('src/old.c')).toBe(true);
    expect(leftovers()).toEqual(nothingLeft);
  });

  it('gives the command its variables and none of ours', async () => {
    process.env['OUR_SECRET_TOKEN'] = 'secret';
    try {
      const run = await runStaged('echo "$GREETING|$OUR_SECRET_TOKEN"', {
        ...place,
        environment: { GREETING: 'hi' },
      });
      expect(run.stdout).toBe('hi|\n');
    } finally {
      delete process.env['OUR_SECRET_TOKEN'];
    }
  });

  it('has no network unless told, where there is a sandbox', async () => {
    const run = await runStaged('cat /proc/net/dev | grep -c :', place);
    if (run.confinement.startsWith('confined')) expect(run.stdout).toBe('1\n');
    else expect(run.confinement).toMatch(/^unconfined: /);
  });

  it('says why it is not possible before anything runs', async () => {
    const inside = { ...place, stateFolder: temporary.path('state') };
    mkdirSync(inside.stateFolder);
    await expect(runStaged('touch ran', inside)).rejects.toThrow(
      /^Commands can't run .*: the state folder .* lies inside .*; set TOOLWRIGHT_HOME to a folder elsewhere\.$/,
    );
    expect(temporary.exists('ran')).toBe(false);
    await expect(runStaged('touch ran', { ...place, workspace: temporary.path('missing') })).rejects.toThrow(
      /can't be used: it does not exist/,
    );
  });
});

describe.runIf(here)('undo', () => {
  it('takes back what was kept, once', async () => {
    const before = temporary.tree();
    const run = await runStaged('rm -rf src; echo new > new.txt', place);
    const kept = await run.keep();
    expect(await undo(kept, place)).toMatchObject({ kind: 'undone' });
    expect(temporary.tree()).toEqual(before);
    expect(await undo(kept, place)).toEqual({ kind: 'nothing' });
  });

  it('refuses to lose what was changed since', async () => {
    const run = await runStaged('sed -i s/two/three/ notes.txt', place);
    const kept = await run.keep();
    temporary.write('notes.txt', 'one\nthree\nmine\n');
    expect(await undo(kept, place)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('Changed since: notes.txt'),
    });
    expect(temporary.read('notes.txt')).toBe('one\nthree\nmine\n');
  });

  it('works by the id alone in another process with the same state folder', async () => {
    const before = temporary.tree();
    const { id } = await (await runStaged('rm -rf src', place)).keep();
    const program = `${temporary.outside}/undo.mjs`;
    await build({
      stdin: {
        contents: `import { undo } from ${JSON.stringify(new URL('./run-staged.ts', import.meta.url).pathname)};
console.log((await undo(...JSON.parse(process.argv[2]))).kind);`,
        resolveDir: temporary.outside,
      },
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
    });
    const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify([id, place])]);
    expect(stdout).toBe('undone\n');
    expect(temporary.tree()).toEqual(before);
  });

  it('says so when it knows no such change set', async () => {
    await expect(undo('../../etc/passwd', place)).rejects.toThrow(
      /^No kept change set "..\/..\/etc\/passwd" is in/,
    );
    await expect(undo('0mf1x', place)).rejects.toThrow(/^No kept change set "0mf1x" is in/);
  });
});

describe.runIf(here).each([
  ['the user of the tests', keepAndUndo],
  [
    'an ordinary user',
    () => user.call<KeptAndUndone>(new URL('./fixtures/keep-and-undo.ts', import.meta.url), 'keepAndUndo'),
  ],
] as const)('runStaged and undo by %s', (who, act) => {
  it('leave the workspace as it was, and nothing else', async () => {
    const { summary, before, trees, undone, leftovers: left } = await act();
    console.log(`evidence: runStaged by ${who}: ${summary.join(', ')}; leftovers ${JSON.stringify(left)}`);
    expect(summary).toEqual(['delete src/a.c', 'delete src/deep/b.c', 'create made.txt', 'modify notes.txt']);
    expect(trees).toEqual([before, { 'made.txt': 'new\n', 'notes.txt': 'two\n' }, before]);
    expect(undone).toBe('undone');
    expect(left).toEqual(nothingLeft);
  });
});
