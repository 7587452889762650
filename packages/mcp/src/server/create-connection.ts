import { messageOf } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { readMessages } from '../content/prompt-messages.js';
import { readResourceContents } from '../content/to-parts.js';
import type {
  McpCallResult,
  McpConnection,
  McpListing,
  McpServerInfo,
  McpStage,
  McpToolDefinition,
} from '../contract/connection.js';
import { DEFAULT_LIMITS, type McpNeeds, type ServerContext } from '../contract/needs.js';
import { plainText } from '../contract/plain-text.js';
import type { McpServerConfig } from '../contract/server-config.js';
import { createAnswers } from '../server-requests/answers.js';
import { exchange } from '../session/exchange.js';
import { type OpenSession, openSession } from '../session/open-session.js';
import { type ListOf, PROMPTS, RESOURCES, TOOLS } from '../session/read-list.js';
import type { Session } from '../session/session.js';
import { type AcceptedCallOptions, callTool } from './call-tool.js';
import { createChangeBursts } from './change-bursts.js';
import { createListMemory } from './list-memory.js';
import type { ServerLife } from './server-life.js';

const MOST_COMPLETIONS = 100;

export interface ConnectionOptions {
  life: ServerLife;
  config: McpServerConfig;
  needs: McpNeeds;
  /** Called with the tools of each new session, before anybody uses it. */
  onOpened?(tools: McpListing<McpToolDefinition>, info: McpServerInfo): Promise<void>;
  /** Opens sessions in another way than over the transport of the configuration. */
  openSession?: OpenSession;
}

export interface ServerConnection extends McpConnection {
  callTool(name: string, args: JsonObject, options: AcceptedCallOptions): Promise<McpCallResult>;
  /** Opens a session for the life of the server. */
  open(signal: AbortSignal): Promise<Session>;
}

/** The requests that can be made of one server, over whatever session its life has at the moment. */
export function createConnection(options: ConnectionOptions): ServerConnection {
  const { config, needs, life, onOpened } = options;
  const context: ServerContext = { config, needs, limits: { ...DEFAULT_LIMITS, ...needs.limits } };
  const answers = createAnswers(config.alias, needs);
  const bursts = createChangeBursts(needs.clock, () => needs.onToolsChanged?.());
  const lists = createListMemory(context);
  const memory = { fearsQuestion: false };
  const onListChanged = (kind: ListOf<unknown>['kind']): void => {
    lists.changed(kind);
    if (kind === 'tools') bursts.changed();
  };

  async function open(signal: AbortSignal): Promise<Session> {
    signal.throwIfAborted();
    const session = await (options.openSession ?? openSession)({
      ...context,
      answers,
      onListChanged,
      memory,
      signal,
    });
    try {
      setLogLevel(session, needs);
      if (onOpened) await onOpened(await lists.read(TOOLS, session, signal), session.info);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /** A new list; where none can be had, the last good one with a warning. */
  async function list<Item>(of: ListOf<Item>, signal: AbortSignal): Promise<McpListing<Item>> {
    try {
      return await askAgain(life, signal, (session) => lists.read(of, session, signal));
    } catch (error) {
      const last = lists.latest(of);
      if (signal.aborted || !last) throw error;
      const warning = `The last good list is used, as a new one could not be had. ${messageOf(error)}`;
      return { items: last.items, warnings: [warning] };
    }
  }

  const ask: Ask = (stage, method, params, signal) =>
    askAgain(life, signal, (session) =>
      exchange(context, { session, stage, method, limitMs: context.limits.callIdle, signal }, (within) =>
        session.request(method, params, { signal: within }),
      ),
    );

  return {
    open,
    get info() {
      if (!life.latest) throw new Error('the server was never started');
      return life.latest.info;
    },
    get state() {
      return life.state.at;
    },
    callTool: (name, args, call) => callTool({ ...context, answers, life, lists }, { ...call, name, args }),
    listTools: (signal) => list(TOOLS, signal),
    listPrompts: (signal) => list(PROMPTS, signal),
    listResources: (signal) => list(RESOURCES, signal),
    ...promptsAndResources(life, ask),
    stderrTail: () => life.latest?.stderrTail() ?? '',
    async close() {
      bursts.stop();
      await life.close();
    },
  };
}

type Ask = (stage: McpStage, method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

function promptsAndResources(
  life: ServerLife,
  ask: Ask,
): Pick<McpConnection, 'getPrompt' | 'readResource' | 'complete'> {
  return {
    async getPrompt(name, args, signal) {
      const result = await ask('read', 'prompts/get', { name, arguments: args }, signal);
      const entries = Array.isArray(result['messages']) ? result['messages'] : [];
      return { description: plainText(String(result['description'] ?? '')), ...readMessages(entries) };
    },
    async readResource(uri, signal) {
      const result = await ask('read', 'resources/read', { uri }, signal);
      return readResourceContents(Array.isArray(result['contents']) ? result['contents'] : []);
    },
    async complete({ of, argument, typed, others }, signal) {
      if (!life.latest?.info.offers.completions) return [];
      const params = {
        ref: { type: 'ref/prompt', name: of.prompt },
        argument: { name: argument, value: typed },
        context: others && { arguments: others },
      };
      const { completion } = await ask('complete', 'completion/complete', params, signal);
      const values = isJsonObject(completion) ? completion['values'] : [];
      const texts = (Array.isArray(values) ? values : []).filter((value) => typeof value === 'string');
      return texts.slice(0, MOST_COMPLETIONS).map(plainText);
    },
  };
}

/** Asks once more when the session was lost on the way: for questions that change nothing. */
async function askAgain<Result>(
  life: ServerLife,
  signal: AbortSignal,
  ask: (session: Session) => Promise<Result>,
): Promise<Result> {
  return life.use(async (session) => {
    try {
      return await ask(session);
    } catch (error) {
      if (signal.aborted || session.ending() === null || life.state.at === 'closed') throw error;
      return life.use(ask, signal);
    }
  }, signal);
}

/** Without a word from us a server decides itself how much it says. */
function setLogLevel({ info, request }: Session, { onLog }: McpNeeds): void {
  if (!onLog || !info.offers.logging) return;
  const { signal } = new AbortController();
  void request('logging/setLevel', { level: 'info' }, { signal }).catch(() => undefined);
}
