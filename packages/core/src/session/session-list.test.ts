import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createRedactor } from '@toolwright/machine/base/secrets/redact.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { openState } from '@toolwright/machine/host/state/state.js';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it, onTestFinished } from 'vitest';
import { openSession } from './session.js';
import { deleteSession, listSessions, sessionOfId } from './session-list.js';

const never = new AbortController().signal;

function start() {
  const temps = [createTempWorkspace(), createTempWorkspace()];
  onTestFinished(async () => {
    for (const temp of temps) await temp.cleanup();
  });
  const [first, second] = temps as [(typeof temps)[0], (typeof temps)[0]];
  const host = { clock: createClock(), ids: createIds() };
  const state = openState({ path: join(first.outside, 'state'), host });
  const open = (workspace = first.workspace) =>
    openSession({ host: { ...host, workspace }, state, redactor: createRedactor([]), front: 'test' });
  const said = async (text: string, workspace = first.workspace): Promise<string> => {
    const session = open(workspace);
    await session.recordMessage({ role: 'user', parts: [{ text }] });
    await session.close();
    return session.id;
  };
  return { first, second, state, open, said };
}

it('the title of a conversation is what was typed, without the files that were given with it', async () => {
  const { state, open } = start();
  const session = open();
  const parts = [
    { text: 'look at @a.txt' },
    { text: '\n\nThe files named with @ above:\n\n' },
    { text: 'one' },
  ];
  await session.recordMessage({ role: 'user', parts });
  await session.close();
  expect((await listSessions(state, {})).sessions.map(({ title }) => title)).toEqual(['look at @a.txt']);
});

it('conversations are listed the newest first, page by page, of one workspace or of all', async () => {
  const { first, second, state, said } = start();
  const ids = [await said('one'), await said('two\n lines', second.workspace), await said('three')];
  const all = await listSessions(state, {});
  expect(all.next).toBeUndefined();
  expect(all.sessions.map(({ title }) => title)).toEqual(['three', 'two lines', 'one']);
  const here = await listSessions(state, { workspace: first.directory });
  expect(here.sessions.map(({ id, workspace }) => [id, workspace])).toEqual([
    [ids[2], first.directory],
    [ids[0], first.directory],
  ]);
  const page = await listSessions(state, { most: 2 });
  expect(page.sessions).toHaveLength(2);
  const rest = await listSessions(state, { most: 2, after: page.next ?? '' });
  expect(rest.sessions.map(({ title }) => title)).toEqual(['one']);
  expect(rest.next).toBeUndefined();
});

it('a session without a prompt is none', async () => {
  const { state, open } = start();
  const session = open();
  await session.recordCall({ type: 'call-start', callId: 'c', tool: 't', args: {}, effects: [] });
  await session.close();
  expect(await listSessions(state, {})).toEqual({ sessions: [] });
});

it('a deleted session is gone with its output; one that is open stays', async () => {
  const { state, open, said } = start();
  const id = await said('one');
  const found = await sessionOfId(state, id);
  await deleteSession(state, found!, never);
  expect(existsSync(found!.path)).toBe(false);
  expect(await sessionOfId(state, id)).toBeNull();

  const session = open();
  await session.recordMessage({ role: 'user', parts: [{ text: 'two' }] });
  const output = await session.saveOutput('long.txt', 'x');
  const used = await sessionOfId(state, session.id);
  await expect(deleteSession(state, used!, never)).rejects.toThrow(/is in use by/);
  await session.close();
  await deleteSession(state, used!, never);
  expect(existsSync(output)).toBe(false);
});
