import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { createRedactor } from '@toolwright/machine/base/secrets/redact.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { openState } from '@toolwright/machine/host/state/state.js';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it, onTestFinished } from 'vitest';
import { pastChanges } from './past-changes.js';
import { findSession, savedSessions } from './saved-sessions.js';
import { openSession } from './session.js';

const HOUR_MS = 3_600_000;
const changeSet = (id: string) => ({
  v: 1 as const,
  id,
  changes: [],
  directories: [],
  removedDirectories: [],
});

/** A process of its own whose clock is so far off: it begins a conversation and makes a change an hour later. */
async function converse(temp: ReturnType<typeof createTempWorkspace>, offsetMs: number, name: string) {
  let offset = offsetMs;
  const clock = { ...createClock(), now: () => Date.now() + offset };
  const ids = createIds({ now: clock.now });
  const state = openState({ path: join(temp.outside, 'state'), host: { clock, ids } });
  const host = { clock, ids, workspace: temp.workspace };
  const session = openSession({ host, state, redactor: createRedactor(), front: 'test' });
  await session.recordMessage({ role: 'user', parts: [{ text: name }] });
  offset += HOUR_MS;
  await session.recordChanges(changeSet(name));
  await session.close();
  utimesSync(session.journalPath, new Date(clock.now()), new Date(clock.now()));
  return { state, id: session.id, path: session.journalPath };
}

it('after the clock was set back the latest session is still the one begun last, and so is the latest change', async () => {
  const temp = createTempWorkspace();
  onTestFinished(() => temp.cleanup());
  await converse(temp, 24 * HOUR_MS, 'tomorrow');
  const today = await converse(temp, 0, 'today');
  const yesterday = await converse(temp, -24 * HOUR_MS, 'yesterday');
  const { state } = yesterday;
  expect((await findSession(state, temp.directory)).id).toBe(yesterday.id);
  const titles = (await savedSessions(state, temp.directory)).map(({ title }) => title);
  expect(titles).toEqual(['yesterday', 'today', 'tomorrow']);
  const changes = await pastChanges(state, temp.directory);
  expect(changes.map((change) => change.changeSet.id)).toEqual(['tomorrow', 'today', 'yesterday']);
  // The times that the user sees stay those of the clock.
  expect(Date.parse(changes[2]?.at ?? '')).toBeLessThan(statSync(today.path).mtimeMs - 12 * HOUR_MS);
});
