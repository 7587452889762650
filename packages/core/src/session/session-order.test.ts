import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { createRedactor } from '@toolwright/machine/base/secrets/redact.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { openState } from '@toolwright/machine/host/state/state.js';
import { openStateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it, onTestFinished } from 'vitest';
import { everyJournal } from './every-session.js';
import { findSession, savedSessions } from './saved-sessions.js';
import { openSession } from './session.js';
import { listSessions } from './session-list.js';

const MINUTE_MS = 60_000;

/** Conversations of one workspace whose journals were last written to so many minutes from now. */
async function conversations(minutes: readonly [title: string, minute: number, sessionId?: string][]) {
  const temp = createTempWorkspace();
  onTestFinished(() => temp.cleanup());
  const begun = Date.now();
  const host = { clock: createClock(), ids: createIds(), workspace: temp.workspace };
  const path = join(temp.outside, 'state');
  const state = openState({ path, host });
  const paths = new Map<string, string>();
  for (const [title, , sessionId] of minutes) {
    const session = openSession({ host, state, redactor: createRedactor(), front: 'test', sessionId });
    await session.recordMessage({ role: 'user', parts: [{ text: title }] });
    await session.close();
    paths.set(title, session.journalPath);
  }
  const writtenTo = (title: string, minute: number): void => {
    const moment = new Date(begun + minute * MINUTE_MS);
    utimesSync(paths.get(title)!, moment, moment);
  };
  for (const [title, minute] of minutes) writtenTo(title, minute);
  return { state: openStateFolder(path), directory: temp.directory, writtenTo };
}

it('conversations with chosen ids stand among the others by when they were last written to, in every list', async () => {
  const { state, directory, writtenTo } = await conversations([
    ['first', 1, 'rename'],
    ['second', 2, 'aaa'],
    ['third', 3],
  ]);
  const orders = async () => [
    [(await findSession(state, directory)).title],
    (await savedSessions(state, directory)).map(({ title }) => title),
    (await listSessions(state, { workspace: directory })).sessions.map(({ title }) => title),
    (await everyJournal(state)).map(({ id }) => (/^(rename|aaa)$/.test(id) ? id : 'made')),
  ];
  const latestFirst = ['third', 'second', 'first'];
  expect(await orders()).toEqual([['third'], latestFirst, latestFirst, ['made', 'aaa', 'rename']]);
  writtenTo('second', 4);
  const goneOn = ['second', 'third', 'first'];
  expect(await orders()).toEqual([['second'], goneOn, goneOn, ['aaa', 'made', 'rename']]);
});

it('a list that is read page by page shows no conversation twice when one is written to in between', async () => {
  const { state, writtenTo } = await conversations([
    ['first', 1, 'rename'],
    ['second', 2, 'aaa'],
    ['third', 3],
    ['fourth', 4, 'b'],
  ]);
  const page = await listSessions(state, { most: 2 });
  expect(page.sessions.map(({ title }) => title)).toEqual(['fourth', 'third']);
  writtenTo('third', 5);
  const rest = await listSessions(state, { most: 2, after: page.next ?? '' });
  expect(rest.sessions.map(({ title }) => title)).toEqual(['second', 'first']);
  expect(rest.next).toBeUndefined();
});

it('a chosen id is no time, not even one of as many letters and digits as the ids that are made', async () => {
  const { state, directory } = await conversations([
    ['first', 1, '650f1f77bcf86cd799439011'],
    ['second', 2, '0123456789abcdef0123456789abcdef'],
    ['third', 3],
  ]);
  const titles = (await savedSessions(state, directory)).map(({ title }) => title);
  expect(titles).toEqual(['third', 'second', 'first']);
});

it('a whole id means that session, also where longer ids begin with it', async () => {
  const { state, directory } = await conversations([
    ['first', 1, 'fix'],
    ['second', 2, 'fix-2'],
  ]);
  expect((await findSession(state, directory, 'fix')).title).toBe('first');
  await expect(findSession(state, directory, 'fi')).rejects.toThrow('2 session ids begin with fi.');
});
