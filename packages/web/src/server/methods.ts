import {
  describeEffect,
  entriesFrom,
  type LiveSession,
  openModelTable,
  type SavedEntry,
  toMarkdown,
  watchLive,
} from '@toolwright/core';
import type { CallView, LiveRow, WebApi } from '../wire/wire.js';
import { createConversations } from './conversations.js';
import type { Methods } from './http/answer-requests.js';
import type { EventStream } from './http/event-stream.js';
import type { WebNeeds } from './needs.js';
import { exportHtml } from './sessions/export-html.js';
import { type FollowedSession, followSession } from './sessions/follow-session.js';
import { createSessionIndex, NotFound } from './sessions/session-index.js';
import type { FactsOfModel } from './sessions/timeline.js';
import { dropApart, keepApart, listApart, readApart, readHunks } from './views/apart.js';
import { listChanges, readChange, readImage, undoChange } from './views/changes.js';
import { completeFiles } from './views/complete-files.js';
import { createLookingToolbox } from './views/looking-toolbox.js';
import { readDisk, readTool, readTools } from './views/machine.js';
import { explainText, readRules, replayRules } from './views/rules.js';

interface Following {
  stream: EventStream;
  followed: FollowedSession | null;
  session: string;
}

/** Everything that the page can ask for. */
export function openMethods(needs: WebNeeds, { readOnly }: { readOnly: boolean }) {
  const ending = new AbortController();
  const index = createSessionIndex(needs.state);
  const conversations = createConversations(needs);
  const looking = createLookingToolbox(needs);
  const streams = new Set<Following>();
  const titles = new Map<string, string>();

  const live = watchLive(needs.state, {
    signal: ending.signal,
    onList: () => {
      for (const { followed } of streams) followed?.changed();
      void tellLive();
    },
    onEvent: (session, event) => {
      for (const each of streams) if (each.session === session) each.followed?.event(event);
      if (event.type !== 'text-delta' && event.type !== 'thinking-delta' && event.type !== 'call-update')
        void tellLive();
    },
  });

  async function liveRows(): Promise<LiveRow[]> {
    if ([...live.keys()].some((id) => !titles.get(id)))
      for (const { id, title } of await index.list('', ending.signal)) titles.set(id, title);
    return [...live.values()].map((session) => rowOf(session, titles, conversations));
  }

  let telling: Promise<void> | null = null;
  function tellLive(): Promise<void> {
    telling ??= (async () => {
      const rows = await liveRows();
      telling = null;
      for (const { stream } of streams) stream.send({ type: 'live', live: rows });
    })();
    return telling;
  }

  async function entriesOfSession(id: string, signal: AbortSignal): Promise<SavedEntry[]> {
    return (await entriesFrom((await index.find(id)).path, 0, signal)).entries;
  }

  const methods: Methods = {
    'list/start': async (_given, signal) => ({
      workspace: needs.workspace,
      readOnly,
      mode: await looking.use(async ({ permission }) => permission.mode, signal),
      live: await liveRows(),
    }),
    'list/sessions': ({ search = '' }, signal) => index.list(search, signal),
    'list/changes': (_given, signal) => listChanges(needs, signal),
    'list/apart': () => listApart(needs),
    'list/rules': (_given, signal) => looking.use(async (toolbox) => readRules(toolbox), signal),
    'list/files': ({ typed }, signal) =>
      looking.use((toolbox) => completeFiles(toolbox, typed, signal), signal),
    'read/call': async ({ session, callId }, signal) =>
      callView(await entriesOfSession(session, signal), callId, needs.workspace),
    'read/export': async ({ id, format }, signal) => {
      const entries = await entriesOfSession(id, signal);
      return { text: exported({ entries, id, format }, await openModelTable(needs.state)) };
    },
    'read/change': ({ id }, signal) => readChange(needs, id, signal),
    'read/image': (given, signal) => readImage(needs, given, signal),
    'read/apart': ({ id }, signal) => readApart(needs, id, signal),
    'read/hunks': (given, signal) => readHunks(needs, given, signal),
    'read/machine': async ({ part }, signal) => readPart(part, signal),
    'read/tool': (given, signal) => looking.use((toolbox) => readTool(toolbox, given), signal),
    answer: async ({ session, ...answer }) => {
      const found = live.get(session);
      return { taken: found !== undefined && (await found.answer(answer)) };
    },
    prompt: async (request) => ({ session: await conversations.prompt(request) }),
    'prompt/cancel': async ({ session }) => ({ cancelled: conversations.cancel(session) }),
    undo: ({ id }, signal) => undoChange(needs, id, signal),
    'undo/keep': (given, signal) => keepApart(needs, given, signal),
    'undo/drop': (given, signal) => dropApart(needs, given, signal),
    explain: (given, signal) => looking.use((toolbox) => explainText(toolbox, given), signal),
    'explain/replay': ({ rules }, signal) =>
      looking.use((toolbox) => replayRules(needs, toolbox, { rules, signal }), signal),
  };

  async function readPart(part: WebApi['read/machine']['takes']['part'], signal: AbortSignal) {
    switch (part) {
      case 'doctor':
        return { doctor: await needs.examine() };
      case 'servers':
        return { servers: await needs.readServers(signal) };
      case 'tools':
        return { tools: await looking.use(async (toolbox) => readTools(toolbox), signal) };
      case 'memory':
        return { memory: await needs.readMemory(signal) };
      case 'disk':
        return { disk: await readDisk(needs.state.path) };
    }
  }

  async function subscribe(stream: EventStream, session: string): Promise<void> {
    const following: Following = { stream, session, followed: null };
    streams.add(following);
    stream.closed.addEventListener('abort', () => streams.delete(following), { once: true });
    stream.send({ type: 'live', live: await liveRows() });
    if (session === '') return;
    const found = await index.find(session).catch((error: unknown) => {
      if (!(error instanceof NotFound)) throw error;
      stream.send({ type: 'problem', message: error.message });
      return null;
    });
    if (!found) return;
    const factsOf = await openModelTable(needs.state);
    following.followed = followSession({
      id: session,
      path: found.path,
      live: () => live.get(session),
      send: stream.send,
      factsOf,
      signal: stream.closed,
    });
  }

  return {
    methods,
    subscribe,
    async close() {
      ending.abort();
      await conversations.close();
      await looking.close();
    },
  };
}

function rowOf(
  { about, tail }: LiveSession,
  titles: Map<string, string>,
  own: { has(id: string): boolean },
): LiveRow {
  return {
    ...about,
    title: titles.get(about.session) ?? '',
    asks: tail.question !== null,
    working: tail.working,
    isOwn: own.has(about.session),
  };
}

interface Exporting {
  entries: readonly SavedEntry[];
  id: string;
  format: 'markdown' | 'json' | 'html';
}

function exported({ entries, id, format }: Exporting, factsOf: FactsOfModel): string {
  if (format === 'json') return `${JSON.stringify(entries, null, 2)}\n`;
  return format === 'markdown' ? toMarkdown(entries) : exportHtml(entries, id, factsOf);
}

function callView(entries: readonly SavedEntry[], callId: string, workspace: string): CallView {
  const ofCall = entries.filter((entry) => 'callId' in entry && entry.callId === callId);
  const start = ofCall.find((entry) => entry.type === 'call-start');
  if (!start) throw new NotFound(`There is no call ${callId} in this session.`);
  const end = ofCall.find((entry) => entry.type === 'call-end');
  const decision = ofCall.findLast((entry) => entry.type === 'call-decision');
  const show = (path: string): string =>
    path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
  const effects = decision?.effects ?? start.effects ?? [];
  return {
    args: start.args,
    display: end?.display ?? null,
    response: end ? responseText(end.response.response) : '',
    effects: effects.map((effect) => describeEffect(effect, show)),
  };
}

function responseText(response: Record<string, unknown> = {}): string {
  const { output, error } = response;
  const said = output ?? error;
  return typeof said === 'string' ? said : JSON.stringify(response, null, 2);
}
