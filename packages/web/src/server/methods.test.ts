import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Agent, createAgent, createToolbox, openState } from '@toolwright/core';
import { createClock, createIds, openLiveDoor } from '@toolwright/core/front-end';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/core/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StreamEvent, WebApi, WebMethod } from '../wire/wire.js';
import { openMethods } from './methods.js';
import type { WebNeeds } from './needs.js';

const { signal } = new AbortController();
const rules = [{ verdict: 'deny', text: 'Edit(secret.txt)', source: 'my rules' }] as const;
/** A busy machine takes its time; only a broken test waits to the end. */
const WAIT = { timeout: 30_000 };
let temp: TempWorkspace;
let web: ReturnType<typeof openMethods>;
let needs: WebNeeds;
let agents: Agent[];
let told: string[];
let askUser: () => void;
let expand: WebNeeds['expandPrompt'];
let hooks: string;

beforeEach(() => {
  temp = createTempWorkspace();
  temp.write('a.txt', 'one\ntwo\n');
  temp.write('src/deep.ts', 'export {};\n');
  agents = [];
  told = [];
  hooks = join(temp.outside, 'hooks.json');
  expand = async (text) => ({ parts: [{ text }], notes: [] });
  const stateFolder = join(temp.outside, 'state');
  const common = { workspace: temp.directory, stateFolder, rules: [...rules] };
  needs = {
    workspace: temp.directory,
    state: openState({ path: stateFolder, host: { clock: createClock(), ids: createIds() } }),
    openToolbox: ({ changes }) => createToolbox({ ...common, ...(changes ? {} : { onlyLooks: true }) }),
    async openAgent({ resume, onQuestion, mode = 'auto-edit' }) {
      askUser = onQuestion;
      const agent = await createAgent({
        ...common,
        model: { provider: 'offline' },
        approvalMode: mode,
        ...(resume === undefined ? {} : { resume }),
        pieces: { hooks: [{ path: hooks, shown: 'hooks.json', format: 'claude', isOwn: true }] },
      });
      agents.push(agent);
      return Object.assign(agent, { tell: (message: string) => void told.push(message) });
    },
    expandPrompt: (text, agent, within) => expand(text, agent, within),
    examine: async () => [{ state: 'ok', what: 'sandbox', detail: 'works' }],
    readServers: async () => [],
    readMemory: async () => ({ bytes: 0, maxBytes: 1, files: [], facts: [] }),
    openFleet: async () => null,
    report: async (error) => `reported: ${String(error)}`,
  };
  web = openMethods(needs, { readOnly: false });
});
afterEach(async () => {
  await web.close();
  await temp.cleanup();
});

function call<Method extends WebMethod>(
  method: Method,
  given: WebApi[Method]['takes'],
): Promise<WebApi[Method]['gives']> {
  return web.methods[method](given, signal);
}

/** Prompts, and waits until the model has answered. */
async function prompted(text: string, session?: string): Promise<string> {
  const { session: id } = await call('prompt', { text, ...(session === undefined ? {} : { session }) });
  await vi.waitFor(async () => {
    const view = await followed(id);
    expect(view.items.at(-1)).toMatchObject({ kind: 'answer', text: expect.stringMatching(/\S/) });
  }, WAIT);
  return id;
}

async function followed(session: string) {
  const events = await subscribed(session, 'session');
  const last = events.find((event) => event.type === 'session');
  if (last?.type !== 'session') throw new Error(JSON.stringify(events));
  return last.view;
}

/** Gives the events for a page that looks at a session, up to an event of this type. */
async function subscribed(session: string, last: StreamEvent['type']): Promise<StreamEvent[]> {
  const closing = new AbortController();
  const events: StreamEvent[] = [];
  await web.subscribe({ send: (event) => void events.push(event), closed: closing.signal }, { session });
  await expect.poll(() => events.map(({ type }) => type)).toContain(last);
  closing.abort();
  return events;
}

describe('the requests of the page', () => {
  it('prompt, list, search, subscribe to, read and export a session', async () => {
    expect(await call('list/sessions', {})).toEqual([]);
    const id = await prompted("replace 'two' with 'three' in a.txt");
    expect(temp.read('a.txt')).toBe('one\nthree\n');
    const [row] = await call('list/sessions', {});
    expect(row).toMatchObject({ id, calls: 2, title: "replace 'two' with 'three' in a.txt" });
    const [found] = await call('list/sessions', { search: 'a.txt three' });
    expect(found?.hits?.map((hit) => hit.in)).toContain('prompt');
    expect(await call('list/sessions', { search: 'nowhere' })).toEqual([]);

    const { items } = await followed(id);
    expect(items.map(({ kind }) => kind)).toEqual([
      ...['start', 'prompt', 'answer', 'call', 'answer', 'call', 'answer'],
    ]);
    const edit = items.filter((item) => item.kind === 'call')[1]!;
    expect(edit).toMatchObject({ tool: 'edit', state: 'done', decision: { by: 'auto-edit mode' } });
    const read = await call('read/call', { session: id, callId: edit.callId });
    expect(read.args).toMatchObject({ old_string: 'two', new_string: 'three' });
    expect(read.effects.join('\n')).toContain('a.txt');
    await expect(call('read/call', { session: id, callId: 'nope' })).rejects.toThrow('no call nope');

    const { text } = await call('read/export', { id, format: 'html' });
    expect(text).toContain('replace &#39;two&#39;');
    expect(await subscribed('0'.repeat(24), 'problem')).toContainEqual({
      type: 'problem',
      message: `There is no session ${'0'.repeat(24)}.`,
    });
  });

  it('send what a command stands for, and say why one is not sent', async () => {
    expand = async () => ({ parts: [{ text: 'list src' }], notes: ['a note'] });
    const { items } = await followed(await prompted('/look'));
    expect(items.filter(({ kind }) => kind === 'prompt')).toMatchObject([{ text: 'list src' }]);
    expect(told).toEqual(['a note']);
    expand = async () => ({ problem: '/look is off.' });
    await expect(call('prompt', { text: '/look' })).rejects.toThrow('/look is off.');
  });

  it('say why a hook refuses a prompt, so that it stays with whoever wrote it', async () => {
    const refusing = {
      type: 'command',
      command: 'grep -q secret && { echo no secrets >&2; exit 2; }; exit 0',
    };
    const entries = { UserPromptSubmit: [{ hooks: [refusing] }] };
    mkdirSync(temp.outside, { recursive: true });
    writeFileSync(hooks, JSON.stringify({ hooks: entries }));
    await expect(call('prompt', { text: 'list secret' })).rejects.toThrow(
      /^The prompt was not sent: the hook .* says no: no secrets/,
    );
    const session = await prompted('list src');
    await expect(call('prompt', { text: 'the secret', session })).rejects.toThrow('says no: no secrets');
    const { items } = await followed(session);
    expect(items.filter(({ kind }) => kind === 'prompt')).toMatchObject([{ text: 'list src' }]);
  });

  it('give the session while a command of the prompt asks something, so that it can be answered', async () => {
    let answer: (expanded: Awaited<ReturnType<typeof expand>>) => void = () => undefined;
    expand = () =>
      new Promise((resolve) => {
        answer = resolve;
        askUser();
      });
    const { session } = await call('prompt', { text: '/look' });
    expand = async (text) => ({ parts: [{ text }], notes: [] });
    await call('prompt', { text: 'list src', session });
    answer({ problem: '/look was not sent.' });
    await vi.waitFor(async () => {
      const { items } = await followed(session);
      expect(items.at(-1)).toMatchObject({ kind: 'answer', text: expect.stringMatching(/\S/) });
      expect(items.filter(({ kind }) => kind === 'prompt')).toMatchObject([{ text: 'list src' }]);
    }, WAIT);
    expect(told).toEqual(['/look was not sent.']);
  });

  it('send no prompt that was cancelled while a command of it asked something', async () => {
    let answer: (expanded: Awaited<ReturnType<typeof expand>>) => void = () => undefined;
    expand = () =>
      new Promise((resolve) => {
        answer = resolve;
        askUser();
      });
    const { session } = await call('prompt', { text: '/look' });
    expect(await call('prompt/cancel', { session })).toEqual({ cancelled: true });
    answer({ parts: [{ text: 'list src' }], notes: ['a note'] });
    expand = async (text) => ({ parts: [{ text }], notes: [] });
    await prompted('read a.txt', session);
    const { items } = await followed(session);
    expect(items.filter(({ kind }) => kind === 'prompt')).toMatchObject([{ text: 'read a.txt' }]);
    expect(told).toEqual([]);
  });

  it('send nothing of what waited behind a prompt that was cancelled, and say so, but what comes after that', async () => {
    let answer: (expanded: Awaited<ReturnType<typeof expand>>) => void = () => undefined;
    expand = () =>
      new Promise((resolve) => {
        answer = resolve;
        askUser();
      });
    const { session } = await call('prompt', { text: '/look' });
    expand = async (text) => ({ parts: [{ text }], notes: [] });
    await call('prompt', { text: 'list src', session });
    await call('prompt/cancel', { session });
    expect(told).toEqual(['Not sent, because you cancelled: list src']);
    await call('prompt', { text: 'read a.txt', session });
    answer({ parts: [{ text: 'list .' }], notes: [] });
    await vi.waitFor(async () => {
      const { items } = await followed(session);
      expect(items.filter(({ kind }) => kind === 'prompt')).toMatchObject([{ text: 'read a.txt' }]);
      expect(items.at(-1)).toMatchObject({ kind: 'answer', text: expect.stringMatching(/\S/) });
    }, WAIT);
  });

  it('work on what came while a command of the first one failed', async () => {
    let fail: (error: Error) => void = () => undefined;
    expand = () =>
      new Promise((_, reject) => {
        fail = reject;
        askUser();
      });
    const { session } = await call('prompt', { text: '/look' });
    expand = async (text) => ({ parts: [{ text }], notes: [] });
    await call('prompt', { text: 'list src', session });
    fail(new Error('broken command'));
    await vi.waitFor(async () => {
      const { items } = await followed(session);
      expect(items.filter(({ kind }) => kind === 'prompt')).toMatchObject([{ text: 'list src' }]);
      expect(items.at(-1)).toMatchObject({ kind: 'answer', text: expect.stringMatching(/\S/) });
    }, WAIT);
    expect(told).toEqual(['reported: Error: broken command']);
  });

  it('go on with an earlier session, and cancel only what works', async () => {
    const id = await prompted('list src');
    await web.close();
    web = openMethods(needs, { readOnly: false });
    expect(await call('prompt/cancel', { session: id })).toEqual({ cancelled: false });
    expect(await prompted("replace 'one' with 'zero' in a.txt", id)).toBe(id);
    expect((await call('list/sessions', {})).length).toBe(1);
    await expect(call('prompt', { text: '  ' })).rejects.toThrow('The prompt is empty.');
  });

  it('undo, redo, and name what stands in the way', async () => {
    await prompted("replace 'two' with 'three' in a.txt");
    const [change] = await call('list/changes', {});
    expect(change).toMatchObject({ by: 'edit', files: ['a.txt'], summary: '1 file changed' });
    const view = await call('read/change', { id: change!.id });
    expect(view.diff.files[0]).toMatchObject({ path: 'a.txt', added: 1, removed: 1 });
    expect(view.undo.state).toBe('ready');
    const undone = await call('undo', { id: change!.id });
    expect(undone.state).toBe('undone');
    expect(temp.read('a.txt')).toBe('one\ntwo\n');
    await call('undo', { id: undone.id! });
    expect(temp.read('a.txt')).toBe('one\nthree\n');
    temp.write('a.txt', 'one\nby hand\n');
    const [latest] = await call('list/changes', {});
    const refused = await call('undo', { id: latest!.id });
    expect(refused).toMatchObject({ state: 'refused' });
    expect(refused.text).toContain('a.txt');
    expect(temp.read('a.txt')).toBe('one\nby hand\n');
    await expect(call('undo', { id: 'nope' })).rejects.toThrow('There is no change nope');
  });

  it('list and explain rules, and replay a draft against past sessions', async () => {
    const { mode, rules: present } = await call('list/rules', {});
    expect([mode, present]).toMatchObject(['default', [{ text: 'Edit(secret.txt)', source: 'my rules' }]]);
    const pushed = await call('explain', { text: 'git push' });
    expect(pushed.explained?.decision).toBe('ask');
    expect(pushed.verdict).toBe('ask only if it changes something');
    expect(pushed.by).toMatch(/^default mode/);
    const fetched = await call('explain', { text: 'curl https://example.com' });
    expect(fetched.sentences.join('\n')).toMatch(/curl.* would reach nothing/);
    expect((await call('explain', { text: 'edit {"file_path": ' })).problem).toMatch(/JSON/);
    const drafts = [{ verdict: 'deny' as const, text: 'Edit(a.txt)' }];
    expect(
      (await call('explain', { text: 'ls', rules: [{ verdict: 'deny', text: 'Nope(' }] })).problem,
    ).toMatch(/^this page: "Nope\(" is not a rule/);
    await prompted("replace 'two' with 'three' in a.txt");
    const replayed = await call('explain/replay', { rules: drafts });
    expect(replayed).toMatchObject({ sessions: 1, calls: 2, earlier: { deny: 0 }, now: { deny: 1 } });
    expect(replayed.changed).toMatchObject([{ tool: 'edit', earlier: 'allow', now: 'deny' }]);
  });

  it('complete names of files inside the workspace alone', async () => {
    expect(await call('list/files', { typed: 'a' })).toEqual(['a.txt']);
    expect(await call('list/files', { typed: 'src/' })).toEqual(['src/deep.ts']);
    expect(await call('list/files', { typed: '../' })).toEqual([]);
  });

  it('read tools as a provider gets them, and the parts of the state folder', async () => {
    const { tools = [] } = await call('read/machine', { part: 'tools' });
    expect(tools.map(({ name }) => name)).toContain('read_file');
    const tool = await call('read/tool', { name: 'read_file', provider: 'anthropic' });
    expect(tool.declaration).toMatchObject({ offered: true, sent: { input_schema: { type: 'object' } } });
    await expect(call('read/tool', { name: 'nope', provider: 'openai' })).rejects.toThrow(
      'There is no tool nope.',
    );
    await prompted('list src');
    const { disk = [] } = await call('read/machine', { part: 'disk' });
    expect(disk.find(({ name }) => name === 'sessions')).toMatchObject({ files: 1 });
  });

  it('answer the question that a digest names, and no other', async () => {
    const session = await prompted('list src');
    const about = {
      session,
      workspace: temp.directory,
      journal: '/j',
      front: 'interactive',
      pid: 1,
      provider: 'offline',
      model: 'offline',
      mode: 'default' as const,
    };
    const door = await openLiveDoor({ state: needs.state, about, show: (path) => path });
    const asking = new AbortController();
    const answered = door.question(
      {
        callId: '1',
        tool: 'edit',
        description: 'Edit a.txt',
        reason: 'default mode asks',
        details: { kind: 'info', title: '', prompt: 'Edit?', urls: [], effects: [] },
        offers: [],
        modifiable: false,
      },
      asking.signal,
    );
    await vi.waitFor(async () =>
      expect((await call('list/start', {})).live).toMatchObject([{ session, asks: true, isOwn: true }]),
    );
    const other = { session, digest: 'another question', answer: 0 };
    expect(await call('answer', other)).toEqual({ taken: false });
    expect(await call('answer', { ...other, session: 'nobody' })).toEqual({ taken: false });
    const { digest } = (await followed(session)).tail!.question!;
    expect(await call('answer', { session, digest, answer: 0 })).toEqual({ taken: true });
    expect((await answered).outcome).toEqual({ kind: 'once' });
    expect(await call('answer', { session, digest, answer: 0 })).toEqual({ taken: false });
    door.close();
  });
});
