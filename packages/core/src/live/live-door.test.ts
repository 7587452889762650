import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { ConfirmRequest } from '../scheduler/call.js';
import { openLiveDoor } from './live-door.js';
import type { LiveEvent } from './live-words.js';
import { watchLive } from './watch-live.js';

const about = {
  session: 'abc',
  workspace: '/w',
  journal: '/j',
  front: 'interactive',
  pid: 1,
  provider: 'offline',
  model: 'offline',
  mode: 'default',
};
const request = (callId: string): ConfirmRequest => ({
  callId,
  tool: 'edit',
  description: 'Edit a.txt',
  reason: 'default mode asks',
  details: { kind: 'info', title: '', prompt: 'Edit?', urls: [], effects: [] },
  offers: [{ rule: 'Edit(a.txt)', allows: 'changes to a.txt' }],
  modifiable: false,
});

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

async function openBoth(folder = mkdtempSync(join(tmpdir(), 'toolwright-live-'))) {
  const state = openStateFolder(folder);
  const door = await openLiveDoor({ state, about, show: (path) => path });
  const ending = new AbortController();
  const events: LiveEvent[] = [];
  const sessions = watchLive(state, {
    signal: ending.signal,
    onList: () => undefined,
    onEvent: (_session, event) => void events.push(event),
  });
  ends.push(
    () => rmSync(folder, { recursive: true, force: true }),
    () => door.close(),
    () => ending.abort(),
  );
  await expect.poll(() => sessions.size).toBe(1);
  return { state, door, sessions, events, session: () => sessions.get('abc')! };
}

describe('the door of a running session', () => {
  it('is for the user alone, and shows what the journal does not have yet', async () => {
    const { state, door, session } = await openBoth();
    expect(statSync(state.pathOf('live')).mode & 0o777).toBe(0o700);
    expect(statSync(state.pathOf('live', 'abc.sock')).mode & 0o777).toBe(0o600);
    door.event({ type: 'text-delta', text: 'Hel' });
    door.event({ type: 'text-delta', text: 'lo' });
    await expect.poll(() => session().tail).toMatchObject({ working: true, text: 'Hello' });
    door.event({ type: 'call-start', callId: '1', tool: 'shell', args: {}, description: '' });
    door.event({ type: 'call-update', callId: '1', delta: 'output' });
    await expect.poll(() => session().tail).toMatchObject({ text: '', outputs: { '1': 'output' } });
  });

  it('takes an answer that names the open question, and only one that was offered', async () => {
    const { door, session } = await openBoth();
    const asking = new AbortController();
    const answered = door.question(request('1'), asking.signal);
    await expect.poll(() => session().tail.question).not.toBeNull();
    const { digest, question } = session().tail.question!;
    expect(question.title).toBe('Edit a.txt');
    expect(await session().answer({ digest: 'another', answer: 0 })).toBe(false);
    expect(await session().answer({ digest, answer: 99 })).toBe(false);
    expect(await session().answer({ digest, answer: 1, limit: { uses: 3 } })).toBe(true);
    expect(await answered).toEqual({
      outcome: { kind: 'always', rule: 'Edit(a.txt)', scope: 'session', uses: 3 },
      label: 'yes, and allow changes to a.txt for this session: rule Edit(a.txt)',
    });
    expect(await session().answer({ digest, answer: 0 })).toBe(false);
    asking.abort();
    await expect.poll(() => session().tail.question).toBeNull();
  });

  it('refuses the answer to an earlier question, and to one that was answered here', async () => {
    const { door, session } = await openBoth();
    const asking = new AbortController();
    void door.question(request('1'), asking.signal);
    await expect.poll(() => session().tail.question).not.toBeNull();
    const { digest } = session().tail.question!;
    asking.abort();
    await expect.poll(() => session().tail.question).toBeNull();
    expect(await session().answer({ digest, answer: 0 })).toBe(false);
    void door.question(request('2'), new AbortController().signal);
    await expect.poll(() => session().tail.question?.callId).toBe('2');
    expect(await session().answer({ digest, answer: 0 })).toBe(false);
  });

  it('is gone with its program, and what a killed one left is removed', async () => {
    const { state, door, sessions } = await openBoth();
    door.close();
    await expect.poll(() => sessions.size).toBe(0);
    const again = await openLiveDoor({ state, about, show: (path) => path });
    ends.push(() => again.close());
    await expect.poll(() => sessions.size).toBe(1);
  });

  it('opens in a folder whose path is too long for a socket', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'toolwright-live-')), 'long'.repeat(30));
    const { door, session } = await openBoth(folder);
    door.event({ type: 'text-delta', text: 'x' });
    await expect.poll(() => session().tail.text).toBe('x');
  });
});
