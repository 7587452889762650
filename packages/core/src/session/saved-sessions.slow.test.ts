import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Message } from '@toolwright/machine/base/content.js';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { openStateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { type JournalEntry, projectKey } from './journal.js';
import { findSession, resumeSession, savedSessions } from './saved-sessions.js';

let base: string;
beforeEach(() => {
  base = tempFolder();
});

const workspace = '/work/place';
const user = (text: string): JournalEntry => ({
  type: 'message',
  message: { role: 'user', parts: [{ text }] },
});
const model = (text: string): JournalEntry => ({
  type: 'message',
  message: { role: 'model', parts: [{ text }] },
});
const calls = (...ids: string[]): JournalEntry => ({
  type: 'message',
  message: { role: 'model', parts: ids.map((id) => ({ functionCall: { id, name: 'look', args: {} } })) },
});
const responses = (...ids: string[]): JournalEntry => ({
  type: 'message',
  message: { role: 'user', parts: ids.map((id) => ({ functionResponse: responseTo(id) })) },
});
const ended = (id: string): JournalEntry => ({
  type: 'call-end',
  callId: `our-${id}`,
  tool: 'look',
  response: responseTo(id),
  display: '',
});
const responseTo = (id: string) => ({ id, name: 'look', response: { output: `seen by ${id}` } });

function pathOf(id: string): string {
  return join(base, 'sessions', projectKey(workspace), `${id}.jsonl`);
}

function save(id: string, entries: JournalEntry[]): string {
  mkdirSync(dirname(pathOf(id)), { recursive: true, mode: 0o700 });
  const start: JournalEntry = { type: 'session-start', sessionId: id, workspace, front: 'test' };
  const line = (entry: JournalEntry) => JSON.stringify({ v: 1, at: `2030-01-01T00:00:00.000Z`, ...entry });
  writeFileSync(pathOf(id), `${[start, ...entries].map(line).join('\n')}\n`);
  return pathOf(id);
}

async function resume(entries: JournalEntry[]): Promise<string[]> {
  const { messages } = await resumeSession({ id: 'a', path: save('a', entries) });
  return messages.map(described);
}

function described({ role, parts }: Message): string {
  const items = parts.map(({ text, functionCall, functionResponse }) => {
    if (functionCall) return `call ${functionCall.id}`;
    if (!functionResponse) return text;
    const { output } = functionResponse.response ?? {};
    return `${functionResponse.id} ${output === undefined ? 'interrupted' : 'answered'}`;
  });
  return `${role}: ${items.join(', ')}`;
}

describe('a session that goes on', () => {
  it('a session holds what was said and done', async () => {
    const entries = [user('hello'), calls('1'), ended('1'), responses('1'), model('done')];
    expect(await resume(entries)).toEqual([
      'user: hello',
      'model: call 1',
      'user: 1 answered',
      'model: done',
    ]);
  });

  it('keeps what was answered before the program stopped, and tells the rest as interrupted', async () => {
    expect(await resume([user('hello'), calls('1', '2'), ended('2')])).toEqual([
      'user: hello',
      'model: call 1, call 2',
      'user: 1 interrupted, 2 answered',
    ]);
  });

  it('keeps it also when it went on before, and stopped again', async () => {
    const first = [user('hello'), calls('1', '2'), ended('2')];
    const second = [user('go on'), model('I see.'), user('more'), calls('3'), ended('3')];
    expect(await resume([...first, ...second, user('and now?')])).toEqual([
      'user: hello',
      'model: call 1, call 2',
      'user: 1 interrupted, 2 answered, go on',
      'model: I see.',
      'user: more',
      'model: call 3',
      'user: 3 answered, and now?',
    ]);
  });

  it('starts with the summary where it was shortened', async () => {
    const summary: JournalEntry = {
      type: 'history',
      messages: [{ role: 'user', parts: [{ text: 'summary' }] }],
    };
    expect(await resume([user('hello'), calls('1'), summary, model('done')])).toEqual([
      'user: summary',
      'model: done',
    ]);
  });

  it('counts the calls that were running at the last stop only', async () => {
    const path = save('a', [calls('1'), user('go on'), calls('2', '3'), ended('2')]);
    expect((await resumeSession({ id: 'a', path })).interrupted).toBe(1);
  });

  it('has a response for every call, and every whole line, wherever a crash cut the journal off', async () => {
    const path = save('a', [
      user('hello'),
      calls('1', '2'),
      ended('1'),
      ended('2'),
      responses('1', '2'),
      calls('3'),
      ended('3'),
      user('go on'),
      model('done'),
    ]);
    const bytes = readFileSync(path);
    const cut = join(base, 'cut.jsonl');
    for (let end = 0; end <= bytes.length; end++) {
      writeFileSync(cut, bytes.subarray(0, end));
      const { messages } = await resumeSession({ id: 'a', path: cut });
      const whole = bytes.subarray(0, end).toString().split('\n').slice(0, -1);
      const said = messages.map(described).join('\n');
      for (const line of whole) {
        const { message, response } = JSON.parse(line);
        if (response) expect(said).toContain(`${response.id} answered`);
        for (const part of message?.parts ?? []) if (part.text) expect(said).toContain(part.text);
      }
      messages.forEach(({ parts }, index) => {
        const asked = parts.flatMap((part) => part.functionCall?.id ?? []);
        const given = (messages[index + 1]?.parts ?? []).flatMap((part) => part.functionResponse?.id ?? []);
        if (asked.length > 0) expect(given).toEqual(asked);
      });
    }
  });
});

describe('looking for a session', () => {
  const state = () => openStateFolder(base);

  it('finds it by the beginning of its id, and the newest conversation without one', async () => {
    save('0a1', [user('first')]);
    save('0a2', [user('second')]);
    save('0b1', []);
    writeFileSync(pathOf('0c1'), '{"v":1,"type":"session-st');
    expect((await savedSessions(state(), workspace)).map(({ id }) => id).sort()).toEqual([
      '0a1',
      '0a2',
      '0b1',
    ]);
    expect(await findSession(state(), workspace)).toMatchObject({ id: '0a2', title: 'second' });
    expect(await findSession(state(), workspace, '0a1')).toMatchObject({ id: '0a1', title: 'first' });
    expect(await findSession(state(), workspace, '0b')).toMatchObject({ id: '0b1', messages: 0 });
  });

  it.each([
    ['0a', '2 session ids begin with 0a. toolwright sessions list shows them.'],
    ['1', 'There is no session 1 in this workspace. toolwright sessions list shows them.'],
  ])('says what is wrong with %s', async (id, message) => {
    save('0a1', []);
    save('0a2', []);
    await expect(findSession(state(), workspace, id)).rejects.toThrow(message);
  });

  it('says that there is none', async () => {
    save('0a1', []);
    await expect(findSession(state(), workspace)).rejects.toThrow(
      'There is no earlier conversation in this workspace. toolwright sessions list shows them.',
    );
  });
});
