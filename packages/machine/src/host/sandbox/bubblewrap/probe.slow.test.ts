import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSandbox } from '../create-sandbox.js';
import { createTempSandbox, never, runLaunch, type TempSandbox } from '../fixtures/temp-sandbox.js';
import { launchInside } from './launch.js';
import { prepareOwnFiles } from './own-files.js';
import { bubblewrapVersion, findBubblewrap, isAtLeast } from './probe.js';

let temporary: TempSandbox;
let answer: string;

beforeEach(() => {
  temporary = createTempSandbox();
  answer = join(temporary.state.path, 'cache/sandbox.json');
});

afterEach(() => temporary.cleanup());

/** Another start of the program, on the same state. */
const again = () => createSandbox({ ...temporary, mode: 'auto' }).state(never);

/** False, and said, where there is nothing to try. */
async function works(): Promise<boolean> {
  const { confined, sentence } = await temporary.sandbox.state(never);
  if (!confined) console.log(`not tried: commands are ${sentence}`);
  return confined;
}

test('the answer says who confines, or why nobody does', async () => {
  const { confined, sentence, program } = await temporary.sandbox.state(never);
  expect(sentence).toMatch(confined ? /^confined by bubblewrap \d/ : /^unconfined: bubblewrap .+/);
  expect(program).toBe(confined ? findBubblewrap()?.path : null);
});

test('what was found out is remembered for the next start, and only for this machine and program', async () => {
  if (!(await works())) return;
  const saved = JSON.parse(readFileSync(answer, 'utf8'));
  expect(saved).toMatchObject({
    v: 1,
    program: '/usr/bin/bwrap',
    disablesUserNamespaces: expect.any(Boolean),
  });
  expect(statSync(answer).mode & 0o777).toBe(0o600);
  writeFileSync(answer, JSON.stringify({ ...saved, sentence: 'confined by memory' }));
  expect((await again()).sentence).toBe('confined by memory');
  writeFileSync(answer, JSON.stringify({ ...saved, key: 'another boot', sentence: 'confined by memory' }));
  expect((await again()).sentence).toMatch(/^confined by bubblewrap/);
});

test.each(['', '{', '[]', '{"v": 2}'])('a damaged answer (%j) is found out anew', async (content) => {
  if (!(await works())) return;
  writeFileSync(answer, content);
  expect((await again()).sentence).toMatch(/^confined by bubblewrap/);
});

test('an abort is passed on, and asked again it answers', async () => {
  const aborted = AbortSignal.abort({ kind: 'user' });
  if (findBubblewrap() === null) return console.log('not tried: bubblewrap is not installed');
  await expect(temporary.sandbox.state(aborted)).rejects.toEqual({ kind: 'user' });
  expect((await temporary.sandbox.state(never)).sentence).toMatch(/confined/);
});

test('files that a sandbox is made with are mended when something has happened to them', async () => {
  if (!(await works())) return;
  const filter = join(temporary.state.path, 'cache/sandbox', `system-calls-${process.arch}`);
  if (!existsSync(filter)) return console.log(`not tried: there is no filter for ${process.arch}`);
  const good = readFileSync(filter);
  writeFileSync(filter, 'damaged');
  const other = createSandbox({ ...temporary, mode: 'auto' });
  const profile = { workspace: 'writable', roots: [temporary.workspace], network: 'off' } as const;
  await (await other.confine(temporary.launch('true'), profile, never)).release();
  expect(readFileSync(filter).equals(good)).toBe(true);
});

test('nothing is started where it would not be seen', async () => {
  if (!(await works())) return;
  const launch = { ...temporary.launch('true'), directory: '/srv' };
  const profile = { workspace: 'writable', roots: [temporary.workspace], network: 'off' } as const;
  await expect(temporary.sandbox.confine(launch, profile, never)).rejects.toMatchObject({
    code: 'outside_workspace',
    message:
      '/srv is not seen inside the sandbox, so nothing can be started there. Start it in a folder to work in; the user can add one with --include-directories.',
  });
});

test('the filter and the program each forbid further user namespaces without the other', async () => {
  if (!(await works())) return;
  const program = findBubblewrap()?.path ?? '';
  const version = (await bubblewrapVersion(program, never)) ?? '0';
  const files = await prepareOwnFiles(temporary.state, process.arch);
  const profile = { workspace: 'writable', roots: [temporary.workspace], network: 'off' } as const;
  const attempt = async (disablesUserNamespaces: boolean, filter: string | null) => {
    const { launch } = launchInside(temporary.launch('unshare --user true && echo made'), profile, {
      program,
      features: { disablesUserNamespaces },
      files: { ...files, filter },
      tunnel: null,
      toolchains: () => [],
      options: temporary,
    });
    return (await runLaunch(launch)).output.trim();
  };
  if (files.filter !== null) expect(await attempt(false, files.filter)).toMatch(/Operation not permitted$/);
  if (isAtLeast(version, '0.8')) expect(await attempt(true, null)).toMatch(/No space left on device$/);
  expect(await attempt(false, null)).toBe('made');
});
