import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { makeShortLivedFolder } from '@toolwright/machine/host/leases/owned-folder.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { openState } from '@toolwright/machine/host/state/state.js';
import { expect, it, onTestFinished } from 'vitest';
import { openSessionsApart, remarksOnSessionsApart } from './apart-on-disk.js';

/** A state folder with a session apart, and its journal, whose workspace was that of a program that is gone. */
async function leftByAKilledProgram({ prompt = true } = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'apart-on-disk-')));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const state = openState({ path: join(base, 'state'), host: { clock: createClock(), ids: createIds() } });
  const ours = makeShortLivedFolder();
  onTestFinished(() => rmSync(ours, { recursive: true }));
  const { pid: gone } = spawnSync('true');
  const workspace = join(dirname(ours), basename(ours).replace(String(process.pid), String(gone)));
  const begun = await (await openSessionsApart(state)).create({
    session: 's1',
    workspace,
    roots: [],
    prompt: '',
  });
  mkdirSync(join(begun.path, 'upper-0'));
  writeFileSync(join(begun.path, 'upper-0', 'a.txt'), 'changed');
  await begun.close();
  const journal = join(await state.make('sessions', 'w-1'), 's1.jsonl');
  const entries = [
    { type: 'session-start', sessionId: 's1', workspace, front: 'eval' },
    { type: 'message', message: { role: 'user', parts: [{ text: 'do it' }] } },
  ].slice(0, prompt ? 2 : 1);
  const lines = entries.map((entry) => JSON.stringify({ v: 1, at: '2026-11-18T12:00:00Z', ...entry }));
  writeFileSync(journal, `${lines.join('\n')}\n`);
  const logged: string[] = [];
  const log = { error: (message: string) => void logged.push(message) };
  return { state, journal, view: begun.path, log, logged };
}

it.each([true, false])(
  'a start removes view and journal of a program that was killed, with a prompt in it: %s',
  async (prompt) => {
    const { state, journal, view, log, logged } = await leftByAKilledProgram({ prompt });
    expect(await remarksOnSessionsApart(state, log)).toEqual([]);
    expect([existsSync(view), existsSync(dirname(journal)), logged]).toEqual([false, false, []]);
  },
);

it('a journal that a program has open stays with its view, and nothing is told', async () => {
  const { state, journal, view, log, logged } = await leftByAKilledProgram();
  const held = await state.hold('session-s1', new AbortController().signal);
  await remarksOnSessionsApart(state, log);
  expect([existsSync(view), existsSync(journal), logged]).toEqual([true, true, []]);
  if ('release' in held) held.release();
  await remarksOnSessionsApart(state, log);
  expect([existsSync(view), existsSync(journal)]).toEqual([false, false]);
});

it('where a journal can not be removed, that is logged, and the view stays for the next start', async () => {
  const { state, journal, view, log, logged } = await leftByAKilledProgram();
  rmSync(journal);
  mkdirSync(join(journal, 'in the way'), { recursive: true });
  await remarksOnSessionsApart(state, log);
  expect(logged).toEqual([`what a killed program left in ${basename(view)} stays`]);
  expect(readdirSync(dirname(view))).toEqual([basename(view)]);
  rmSync(journal, { recursive: true });
  await remarksOnSessionsApart(state, log);
  expect(existsSync(view)).toBe(false);
});
