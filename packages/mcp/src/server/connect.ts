import type { JsonObject } from '@toolwright/machine/base/json.js';
import { readMessages } from '../content/prompt-messages.js';
import { readResourceContents } from '../content/to-parts.js';
import {
  type McpConnection,
  McpFailure,
  type McpListing,
  type McpListKind,
  type McpStage,
  type McpToolDefinition,
} from '../contract/connection.js';
import { mcpFailure, seconds } from '../contract/failure.js';
import { type Connect, DEFAULT_LIMITS, type McpLimits, type McpNeeds } from '../contract/needs.js';
import { plainText } from '../contract/plain-text.js';
import type { McpServerConfig } from '../contract/server-config.js';
import { withinLimit } from '../contract/within-limit.js';
import { readPrompts, readResources, readResourceTemplates } from '../lists/named-items.js';
import { createAnswers } from '../server-requests/answers.js';
import { describeError } from '../session/describe-error.js';
import { openSession } from '../session/open-session.js';
import { readList, readToolList } from '../session/read-list.js';
import type { RequestOptions, Session } from '../session/session.js';
import { callTool } from './call-tool.js';
import { type ChangeBursts, createChangeBursts } from './change-bursts.js';
import { createLastingSession, type LastingSession } from './lasting-session.js';
import { createKeptLists, type KeptLists } from './list-memory.js';

const MOST_COMPLETIONS = 100;

/** Starts or reaches a server and shakes hands with it. Throws `McpFailure`, or the abort reason. */
export const connect: Connect = async (config, parts, signal) => {
  const limits = { ...DEFAULT_LIMITS, ...parts.limits };
  const answers = createAnswers(config.alias, parts);
  const bursts = createChangeBursts(parts.clock);
  const kept = createKeptLists((session, within) => readToolList({ config, parts, limits }, session, within));
  const onListChanged = (what: McpListKind): void => {
    if (what === 'tools') kept.toolsChanged();
    bursts.changed(what);
  };
  const open = async (within: AbortSignal): Promise<Session> => {
    const session = await openSession({ config, parts, limits, answers, onListChanged, signal: within });
    setLogLevel(session, parts);
    return session;
  };
  const first = await open(signal);
  const onReconnect = ({ info }: Session): void => {
    for (const what of ['tools', 'prompts', 'resources'] as const) if (info.offers[what]) onListChanged(what);
  };
  const lasting = createLastingSession({ server: config.alias, first, open, onReconnect });
  const line: Line = { config, parts, limits, lasting };
  const caller = { ...line, answers, toolsOf: kept.toolsOf, known: kept.known };
  return {
    get info() {
      return lasting.latest().info;
    },
    get state() {
      return lasting.state;
    },
    callTool: (name, args, options) => callTool(caller, { ...options, name, args }),
    ...lists(line, kept),
    ...questions(line),
    ...life(lasting, bursts),
  };
};

function lists(
  line: Line,
  kept: KeptLists,
): Pick<McpConnection, 'listTools' | 'listPrompts' | 'listResources' | 'listResourceTemplates'> {
  const listOf = <Item>(what: NamedList<Item>, signal: AbortSignal): Promise<McpListing<Item>> => {
    const list = (session: Session) => listNamed(line, { ...what, session, signal });
    return kept.fresh(what.method, () => again(line, signal, list), signal);
  };
  return {
    listTools(signal) {
      const list = async (session: Session): Promise<McpListing<McpToolDefinition>> => {
        const listing = await readToolList(line, session, signal);
        kept.noteTools(session, listing);
        return listing;
      };
      return kept.fresh('tools/list', () => again(line, signal, list), signal);
    },
    listPrompts: (signal) => listOf(prompts, signal),
    listResources: (signal) => listOf(resources, signal),
    listResourceTemplates: (signal) => listOf(resourceTemplates, signal),
  };
}

interface Line {
  config: McpServerConfig;
  parts: McpNeeds;
  limits: McpLimits;
  lasting: LastingSession;
}

interface NamedList<Item> {
  offered: 'prompts' | 'resources';
  method: string;
  key: string;
  read(entries: readonly unknown[]): McpListing<Item>;
}

const prompts = { offered: 'prompts', method: 'prompts/list', key: 'prompts', read: readPrompts } as const;
const resources = {
  offered: 'resources',
  method: 'resources/list',
  key: 'resources',
  read: readResources,
} as const;
const resourceTemplates = {
  offered: 'resources',
  method: 'resources/templates/list',
  key: 'resourceTemplates',
  read: readResourceTemplates,
} as const;

async function listNamed<Item>(
  line: Line,
  { offered, ...what }: NamedList<Item> & Pick<RequestOptions, 'signal'> & { session: Session },
): Promise<McpListing<Item>> {
  return what.session.info.offers[offered] ? await readList(line, what) : { items: [], warnings: [] };
}

/** Questions that change nothing are asked again when the session was lost on the way. */
async function again<Result>(
  { lasting }: Line,
  signal: AbortSignal,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const session = await lasting.get(signal);
  try {
    return await work(session);
  } catch (error) {
    if (signal.aborted || session.ending() === null || lasting.state === 'closed') throw error;
    return await work(await lasting.get(signal));
  }
}

interface Question {
  stage: McpStage;
  method: string;
  params: JsonObject;
  signal: AbortSignal;
}

async function ask(line: Line, { stage, method, params, signal }: Question): Promise<JsonObject> {
  const { config, parts, limits } = line;
  return await again(line, signal, async (session) => {
    const stderrTail = () => session.stderrTail();
    const trouble = { server: config.alias, stage };
    const limitMs = limits.callIdle;
    const late = () =>
      mcpFailure({
        ...trouble,
        code: 'timeout',
        what: `${method} was not answered within ${seconds(limitMs)}`,
        stderrTail: stderrTail(),
      });
    const limit = { clock: parts.clock, limitMs, signal, onLimit: late };
    return await withinLimit(
      (within) => session.request(method, params, { signal: within, stage }),
      limit,
    ).catch((error: unknown) => {
      if (signal.aborted || error instanceof McpFailure) throw error;
      const { kind, what, code } = describeError(error, session.ending());
      if (kind === 'lost') session.giveUp(what);
      throw mcpFailure({
        ...trouble,
        code,
        what: `${method}: ${what}`,
        stderrTail: stderrTail(),
        cause: error,
      });
    });
  });
}

function questions(line: Line): Pick<McpConnection, 'getPrompt' | 'readResource' | 'complete'> {
  return {
    async getPrompt(name, args, signal) {
      const params = { name, arguments: args };
      const result = await ask(line, { stage: 'read', method: 'prompts/get', params, signal });
      const entries = Array.isArray(result['messages']) ? result['messages'] : [];
      return { description: plainText(String(result['description'] ?? '')), ...readMessages(entries) };
    },
    async readResource(uri, signal) {
      const result = await ask(line, { stage: 'read', method: 'resources/read', params: { uri }, signal });
      return readResourceContents(Array.isArray(result['contents']) ? result['contents'] : []);
    },
    async complete({ of, argument, typed, others }, signal) {
      if (!line.lasting.latest().info.offers.completions) return [];
      const ref =
        'prompt' in of
          ? { type: 'ref/prompt', name: of.prompt }
          : { type: 'ref/resource', uri: of.uriTemplate };
      const params = {
        ref,
        argument: { name: argument, value: typed },
        ...(others ? { context: { arguments: others } } : {}),
      };
      const result = await ask(line, { stage: 'complete', method: 'completion/complete', params, signal });
      const values = (result['completion'] as JsonObject | undefined)?.['values'];
      const texts = (Array.isArray(values) ? values : []).filter((value) => typeof value === 'string');
      return texts.slice(0, MOST_COMPLETIONS).map(plainText);
    },
  };
}

function life(
  lasting: LastingSession,
  bursts: ChangeBursts,
): Pick<McpConnection, 'onChanged' | 'rootsChanged' | 'stderrTail' | 'close'> {
  return {
    onChanged: bursts.listen,
    rootsChanged: () => lasting.latest().rootsChanged(),
    stderrTail: () => lasting.latest().stderrTail(),
    async close() {
      bursts.stop();
      await lasting.close();
    },
  };
}

/** Without a word from us a server decides itself how much it says. */
function setLogLevel(session: Session, { onLog }: McpNeeds): void {
  if (!onLog || !session.info.offers.logging) return;
  const { signal } = new AbortController();
  void session
    .request('logging/setLevel', { level: 'info' }, { signal, stage: 'initialize' })
    .catch(() => undefined);
}
