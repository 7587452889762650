import type { SavedEntry } from '@toolwright/core';
import { entriesFrom, openModelTable, toMarkdown } from '@toolwright/core/front-end';
import type { Wanted, WebApi } from '../wire/wire.js';
import { createConversations } from './conversations.js';
import { fleetMethods } from './fleet/fleet-methods.js';
import { FleetWatch } from './fleet/fleet-watch.js';
import type { Methods } from './http/answer-requests.js';
import type { EventStream } from './http/event-stream.js';
import { LiveStreams } from './live-streams.js';
import type { WebNeeds } from './needs.js';
import { callViewOf } from './sessions/call-view.js';
import { exportHtml } from './sessions/export-html.js';
import { createSessionIndex, type SessionIndex } from './sessions/session-index.js';
import type { FactsOfModel } from './sessions/timeline.js';
import { dropApart, keepApart, listApart, readApart, readHunks } from './views/apart.js';
import { listChanges, readChange, readImage, undoChange } from './views/changes.js';
import { completeFiles } from './views/complete-files.js';
import { createLookingToolbox } from './views/looking-toolbox.js';
import { readDisk, readTool, readTools } from './views/machine.js';
import { explainText, readRules, replayRules } from './views/rules.js';

/** Everything that the page can ask for. */
export function openMethods(needs: WebNeeds, { readOnly }: { readOnly: boolean }) {
  const index = createSessionIndex(needs.state);
  const conversations = createConversations(needs);
  const looking = createLookingToolbox(needs);
  const live = new LiveStreams({ state: needs.state, index, conversations });
  const fleet = new FleetWatch({ openFleet: needs.openFleet, ...live.forFleet });
  const methods: Methods = {
    ...listing({ needs, index, looking }),
    ...reading({ needs, index, looking }),
    ...fleetMethods(fleet, needs),
    'list/start': async (_given, signal) => ({
      workspace: needs.workspace,
      readOnly,
      mode: await looking.use(async ({ permission }) => permission.mode, signal),
      live: await live.rows(),
    }),
    answer: async ({ session, ...answer }) => {
      const found = live.find(session);
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
  return {
    methods,
    subscribe(stream: EventStream, wanted: Wanted): Promise<void> {
      const subscribed = live.subscribe(stream, wanted);
      if (fleet.board !== undefined) stream.send({ type: 'fleet', board: fleet.board });
      fleet.wake();
      return subscribed;
    },
    async close() {
      live.close();
      await fleet.close();
      await conversations.close();
      await looking.close();
    },
  };
}

interface Looking {
  needs: WebNeeds;
  index: SessionIndex;
  looking: ReturnType<typeof createLookingToolbox>;
}

function listing({ needs, index, looking }: Looking) {
  return {
    'list/sessions': ({ search = '' }, signal) => index.list(search, signal),
    'list/changes': (_given, signal) => listChanges(needs, signal),
    'list/apart': () => listApart(needs),
    'list/rules': (_given, signal) => looking.use(async (toolbox) => readRules(toolbox), signal),
    'list/files': ({ typed }, signal) =>
      looking.use((toolbox) => completeFiles(toolbox, typed, signal), signal),
  } satisfies Partial<Methods>;
}

function reading({ needs, index, looking }: Looking) {
  async function entriesOfSession(id: string, signal: AbortSignal): Promise<SavedEntry[]> {
    return (await entriesFrom((await index.find(id)).path, 0, signal)).entries;
  }
  return {
    'read/call': async ({ session, callId }, signal) =>
      callViewOf(await entriesOfSession(session, signal), callId, needs.workspace),
    'read/export': async ({ id, format }, signal) => {
      const entries = await entriesOfSession(id, signal);
      return { text: exported({ entries, id, format }, await openModelTable(needs.state)) };
    },
    'read/change': ({ id }, signal) => readChange(needs, id, signal),
    'read/image': (given, signal) => readImage(needs, given, signal),
    'read/apart': ({ id }, signal) => readApart(needs, id, signal),
    'read/hunks': (given, signal) => readHunks(needs, given, signal),
    'read/machine': ({ part }, signal) => readPart(part, { needs, looking }, signal),
    'read/tool': (given, signal) => looking.use((toolbox) => readTool(toolbox, given), signal),
  } satisfies Partial<Methods>;
}

async function readPart(
  part: WebApi['read/machine']['takes']['part'],
  { needs, looking }: Pick<Looking, 'needs' | 'looking'>,
  signal: AbortSignal,
): Promise<WebApi['read/machine']['gives']> {
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

interface Exporting {
  entries: readonly SavedEntry[];
  id: string;
  format: 'markdown' | 'json' | 'html';
}

function exported({ entries, id, format }: Exporting, factsOf: FactsOfModel): string {
  if (format === 'json') return `${JSON.stringify(entries, null, 2)}\n`;
  return format === 'markdown' ? toMarkdown(entries) : exportHtml(entries, id, factsOf);
}
