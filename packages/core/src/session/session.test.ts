import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRedactor } from '@toolwright/machine/base/secrets/redact.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { openState } from '@toolwright/machine/host/state/state.js';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, expect, it } from 'vitest';
import { projectKey, readJournal, type SavedEntry } from './journal.js';
import { latestToUndo, type PastChange, pastChanges } from './past-changes.js';
import { openSession } from './session.js';

const open: TempWorkspace[] = [];
afterEach(async () => {
  for (const workspace of open.splice(0)) await workspace.cleanup();
});

function start() {
  const temp = createTempWorkspace();
  open.push(temp);
  const [clock, ids] = [createClock(), createIds()];
  const state = openState({ path: join(temp.outside, 'state'), host: { clock, ids } });
  const session = (front = 'test', resume?: string, model?: { provider: string; model: string }) =>
    openSession({
      resume,
      model,
      host: { clock, ids, workspace: temp.workspace },
      state,
      redactor: createRedactor(['hunter2hunter2']),
      front,
    });
  return { temp, state, session };
}

async function entries(path: string): Promise<SavedEntry[]> {
  const all: SavedEntry[] = [];
  for await (const entry of readJournal(path)) all.push(entry);
  return all;
}

const changeSet = (id: string) => ({
  v: 1 as const,
  id,
  changes: [],
  directories: [],
  removedDirectories: [],
});

it('a session writes nothing before there is something to keep', async () => {
  const { temp, session } = start();
  await session().close();
  expect(readdirSync(temp.outside)).toEqual([]);
});

it('a session names the model of an answer where it is not that of its start', async () => {
  const { session } = start();
  const one = session('headless', undefined, { provider: 'openai', model: 'first' });
  for (const by of ['first', 'second']) await one.recordMessage({ role: 'model', parts: [] }, undefined, by);
  await one.close();
  const [, ...answers] = await entries(one.journalPath);
  expect(answers.map((entry) => entry.type === 'message' && entry.model)).toEqual([undefined, 'second']);
});

it('a session keeps every entry with version and time, in order, in a file of the workspace', async () => {
  const { temp, session } = start();
  const one = session('headless');
  await one.recordMessage({ role: 'user', parts: [{ text: 'hello' }] });
  await one.recordCall({ type: 'call-start', callId: 'c1', tool: 'read_file', args: {}, effects: [] });
  await one.close();
  expect(one.journalPath).toContain(projectKey(temp.directory));
  const saved = await entries(one.journalPath);
  expect(saved.map(({ type }) => type)).toEqual(['session-start', 'message', 'call-start']);
  expect(saved.every(({ v, at }) => v === 1 && !Number.isNaN(Date.parse(at)))).toBe(true);
});

it('a session belongs to one process at a time', async () => {
  const { session } = start();
  const one = session();
  await one.recordMessage({ role: 'user', parts: [{ text: 'hello' }] });
  const other = session('test', one.id);
  await expect(other.claim()).rejects.toThrow(
    new RegExp(`^The session ${one.id} is in use by process ${process.pid} on .*without --resume`),
  );
  await expect(other.recordMessage({ role: 'user', parts: [] })).rejects.toThrow(/in use/);
  await other.close();
  await one.close();
  const next = session('test', one.id);
  await next.claim();
  await next.recordMessage({ role: 'user', parts: [{ text: 'again' }] });
  await next.close();
  expect((await entries(one.journalPath)).map(({ type }) => type)).toEqual([
    'session-start',
    'message',
    'session-start',
    'message',
  ]);
});

it('a session keeps secrets out of the journal', async () => {
  const { session } = start();
  const one = session();
  await one.recordMessage({ role: 'user', parts: [{ text: 'the password is hunter2hunter2' }] });
  const output = await one.saveOutput('a.txt', 'hunter2hunter2');
  await one.close();
  expect(readFileSync(one.journalPath, 'utf8')).not.toContain('hunter2');
  expect(readFileSync(output, 'utf8')).toBe('[redacted]');
});

it('a session passes over a line torn by a crash', async () => {
  const { session } = start();
  const one = session();
  await one.recordMessage({ role: 'user', parts: [] });
  await one.close();
  const { appendFileSync } = await import('node:fs');
  appendFileSync(one.journalPath, '{"v":1,"type":"mess');
  expect((await entries(one.journalPath)).length).toBe(2);
});

it('a session keeps long output in a folder that the file tools can read but not write', async () => {
  const { temp, session } = start();
  const path = await session().saveOutput('call.txt', 'long output');
  expect(await temp.files.readText(temp.workspace.resolve(path))).toBe('long output');
  await expect(temp.files.write(path, Buffer.from('x'), { expect: { kind: 'absent' } })).rejects.toThrow();
});

it('a session finds the changes of all sessions of the workspace, what was undone, and the call that made each', async () => {
  const { temp, state, session } = start();
  const one = session();
  await one.recordCall({ type: 'call-start', callId: 'c1', tool: 'edit', args: {}, effects: [] });
  await one.recordChanges(changeSet('first'));
  await one.recordCall({
    type: 'call-end',
    callId: 'c1',
    tool: 'edit',
    response: {},
    display: '',
    changeSet: 'first',
  });
  await new Promise((resolve) => setTimeout(resolve, 2));
  const two = session();
  await two.recordCall({ type: 'call-start', callId: 'c2', tool: 'write_file', args: {}, effects: [] });
  await two.recordChanges(changeSet('second'));
  await new Promise((resolve) => setTimeout(resolve, 2));
  await one.recordChanges(changeSet('undo'), { undoes: 'second' });
  await one.recordChanges(changeSet('second'));
  const changes = await pastChanges(state, temp.directory);
  expect(changes).toMatchObject([
    { changeSet: { id: 'first' }, call: { callId: 'c1', tool: 'edit' } },
    { changeSet: { id: 'second' }, call: { callId: 'c2', tool: 'write_file' }, undoneBy: 'undo' },
    { changeSet: { id: 'undo' }, undoes: 'second' },
  ]);
  const ready = async ({ changeSet: { id } }: PastChange) => ({
    kind: 'refused' as const,
    reason: id,
    diff: { kind: 'diff' as const, files: [] },
  });
  expect((await latestToUndo(changes, ready))?.change.changeSet.id).toBe('first');
  expect(await latestToUndo(changes, async () => ({ kind: 'nothing' }))).toBeUndefined();
  await new Promise((resolve) => setTimeout(resolve, 2));
  await two.recordChanges(changeSet('redo'), { undoes: 'undo' });
  const later = await pastChanges(state, temp.directory);
  expect(later.map(({ undoneBy }) => undoneBy)).toEqual([undefined, undefined, 'redo', undefined]);
  expect((await latestToUndo(later, ready))?.plan).toMatchObject({ reason: 'second' });
});

it('a session names the command that ran, not the one that the user changed', async () => {
  const { temp, state, session } = start();
  const one = session();
  const about = { callId: 'c1', tool: 'run_shell_command' };
  const ran = {
    kind: 'execute' as const,
    command: 'echo two',
    directory: temp.directory,
    readOnly: false,
    network: false,
    background: false,
    commands: null,
  };
  const decided = {
    decision: 'ask' as const,
    reason: '',
    winner: { kind: 'mode' as const, mode: 'default' as const, class: 'none' as const },
  };
  await one.recordCall({ type: 'call-start', ...about, args: { command: 'echo one' }, effects: [] });
  await one.recordCall({ type: 'call-decision', callId: 'c1', ...decided, effects: [ran] });
  await one.recordChanges(changeSet('first'));
  await one.recordCall({ type: 'call-end', ...about, response: {}, display: '', changeSet: 'first' });
  expect(await pastChanges(state, temp.directory)).toMatchObject([{ call: { command: 'echo two' } }]);
});

it('a session says what to do when the disk is full, and is closed all the same', async ({ skip }) => {
  if (!existsSync('/dev/full')) skip('there is no /dev/full on this system');
  const { state, session } = start();
  const full = session();
  await state.make('sessions');
  mkdirSync(dirname(full.journalPath), { mode: 0o700 });
  symlinkSync('/dev/full', full.journalPath);
  await expect(full.recordChanges(changeSet('a'))).rejects.toMatchObject({
    name: 'SettingsError',
    message: `The state folder ${state.path} can't be used: the disk is full. Make room there, or set TOOLWRIGHT_HOME to a folder of your own.`,
  });
  await full.close();
});
