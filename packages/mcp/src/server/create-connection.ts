import { messageOf } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { readMessages } from '../content/prompt-messages.js';
import { readResourceContents } from '../content/to-parts.js';
import {
  type McpCallResult,
  type McpCompletionRequest,
  type McpConnection,
  type McpContent,
  McpFailure,
  type McpListing,
  type McpPrompt,
  type McpPromptText,
  type McpResource,
  type McpResourceTemplate,
  type McpServerInfo,
  type McpServerState,
  type McpStage,
  type McpToolDefinition,
} from '../contract/connection.js';
import { DEFAULT_LIMITS, type McpNeeds, type ServerContext } from '../contract/needs.js';
import { plainText } from '../contract/plain-text.js';
import type { McpServerConfig } from '../contract/server-config.js';
import { type Answers, createAnswers } from '../server-requests/answers.js';
import { errorCodeOf, METHOD_NOT_FOUND } from '../session/describe-error.js';
import { exchange } from '../session/exchange.js';
import { NEWEST_REVISION } from '../session/newer-wire.js';
import { type OpenSession, openSession } from '../session/open-session.js';
import { type ListOf, PROMPTS, RESOURCE_TEMPLATES, RESOURCES, TOOLS } from '../session/read-list.js';
import type { Session } from '../session/session.js';
import type { SessionMemory } from '../session/shake-hands.js';
import { type AcceptedCallOptions, callTool } from './call-tool.js';
import { type ChangeBursts, createChangeBursts } from './change-bursts.js';
import { createListMemory, type ListMemory } from './list-memory.js';
import type { ServerLife } from './server-life.js';
import { WatchedResources } from './watched-resources.js';

const MOST_COMPLETIONS = 100;
/** A resource is read after it was subscribed to, so that nobody should wait long for that. */
const SUBSCRIBE_LIMIT_MS = 5_000;

export interface ConnectionOptions {
  life: ServerLife;
  config: McpServerConfig;
  needs: McpNeeds;
  /** Called with the tools of each new session, before anybody uses it. */
  onOpened?(tools: McpListing<McpToolDefinition>, info: McpServerInfo): Promise<void>;
  /** Knowledge of earlier sessions; what the sessions learn is written into it. */
  memory?: SessionMemory;
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
  return new ConnectionOverLife(options);
}

class ConnectionOverLife implements ServerConnection {
  readonly #life: ServerLife;
  readonly #context: ServerContext;
  readonly #answers: Answers;
  readonly #bursts: ChangeBursts;
  readonly #lists: ListMemory;
  readonly #memory: SessionMemory;
  readonly #watched = new WatchedResources();
  /** The session in which a subscription failed; it is not asked for another. */
  #untold: Session | null = null;

  constructor(private readonly options: ConnectionOptions) {
    const { config, needs, life, memory = { fearsQuestion: false } } = options;
    this.#life = life;
    this.#context = { config, needs, limits: { ...DEFAULT_LIMITS, ...needs.limits } };
    this.#answers = createAnswers(config.alias, needs);
    this.#bursts = createChangeBursts(needs.clock, () => needs.onToolsChanged?.());
    this.#lists = createListMemory(this.#context);
    this.#memory = memory;
  }

  get info(): McpServerInfo {
    if (!this.#life.latest) throw new Error('the server was never started');
    return this.#life.latest.info;
  }

  get state(): McpServerState {
    return this.#life.state.at;
  }

  async open(signal: AbortSignal): Promise<Session> {
    signal.throwIfAborted();
    const { needs, onOpened, openSession: openWith = openSession } = this.options;
    const session = await openWith({
      ...this.#context,
      answers: this.#answers,
      onListChanged: (kind) => this.#listChanged(kind),
      onResourceChanged: (uri) => {
        if (this.#watched.hear(uri)) needs.onResourceChanged?.(uri);
      },
      memory: this.#memory,
      signal,
    });
    try {
      setLogLevel(session, needs);
      this.#watchAgain(session);
      if (onOpened) await onOpened(await this.#lists.read(TOOLS, session, signal), session.info);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  callTool(name: string, args: JsonObject, call: AcceptedCallOptions): Promise<McpCallResult> {
    const caller = { ...this.#context, answers: this.#answers, life: this.#life, lists: this.#lists };
    return callTool(caller, { ...call, name, args });
  }

  listTools(signal: AbortSignal): Promise<McpListing<McpToolDefinition>> {
    return this.#list(TOOLS, signal);
  }

  listPrompts(signal: AbortSignal): Promise<McpListing<McpPrompt>> {
    return this.#list(PROMPTS, signal);
  }

  async getPrompt(name: string, args: Record<string, string>, signal: AbortSignal): Promise<McpPromptText> {
    const result = await this.#ask('read', 'prompts/get', { params: { name, arguments: args }, signal });
    const entries = Array.isArray(result['messages']) ? result['messages'] : [];
    return { description: plainText(String(result['description'] ?? '')), ...readMessages(entries) };
  }

  listResources(signal: AbortSignal): Promise<McpListing<McpResource>> {
    return this.#list(RESOURCES, signal);
  }

  async listResourceTemplates(signal: AbortSignal): Promise<McpListing<McpResourceTemplate>> {
    try {
      return await this.#list(RESOURCE_TEMPLATES, signal);
    } catch (error) {
      const isUnknown = error instanceof McpFailure && errorCodeOf(error.cause) === METHOD_NOT_FOUND;
      if (isUnknown) return { items: [], warnings: [] };
      throw error;
    }
  }

  async readResource(uri: string, signal: AbortSignal): Promise<McpContent> {
    this.#watched.wasRead(uri);
    const result = await this.#ask('read', 'resources/read', { params: { uri }, signal });
    return readResourceContents(Array.isArray(result['contents']) ? result['contents'] : []);
  }

  subscribe(uri: string, signal: AbortSignal): Promise<boolean> {
    return this.#life.use(async (session) => {
      if (!session.info.offers.resourceChanges || session === this.#untold) return false;
      if (this.#watched.has(uri)) return true;
      this.#watched.add(uri);
      try {
        await this.#watch(session, 'resources/subscribe', signal);
        return true;
      } catch (error) {
        this.#watched.delete(uri);
        this.#untold = session;
        throw error;
      }
    }, signal);
  }

  async unsubscribe(uri: string, signal: AbortSignal): Promise<void> {
    if (!this.#watched.has(uri)) return;
    this.#watched.delete(uri);
    // A session that is over tells nothing any more.
    const { state } = this.#life;
    if (state.at === 'ready') await this.#watch(state.session, 'resources/unsubscribe', signal);
  }

  changedResources(): string[] {
    return this.#watched.changed;
  }

  async complete(request: McpCompletionRequest, signal: AbortSignal): Promise<string[]> {
    if (!this.#life.latest?.info.offers.completions) return [];
    const { of, argument, typed, others } = request;
    const params = {
      ref: { type: 'ref/prompt', name: of.prompt },
      argument: { name: argument, value: typed },
      context: others && { arguments: others },
    };
    const { completion } = await this.#ask('complete', 'completion/complete', { params, signal });
    const values = isJsonObject(completion) ? completion['values'] : [];
    const texts = (Array.isArray(values) ? values : []).filter((value) => typeof value === 'string');
    return texts.slice(0, MOST_COMPLETIONS).map(plainText);
  }

  stderrTail(): string {
    return this.#life.latest?.stderrTail() ?? '';
  }

  async close(): Promise<void> {
    this.#bursts.stop();
    await this.#life.close();
  }

  #listChanged(kind: ListOf<unknown>['kind']): void {
    this.#lists.changed(kind);
    if (kind === 'tools') this.#bursts.changed();
  }

  #watch(session: Session, method: string, signal: AbortSignal): Promise<void> {
    const limitMs = Math.min(SUBSCRIBE_LIMIT_MS, this.#context.limits.list);
    return exchange(this.#context, { session, stage: 'read', method, limitMs, signal }, (within) =>
      session.watch(this.#watched.uris, within),
    );
  }

  /** A new session knows nothing of what was subscribed to in the one before; nobody waits for this. */
  #watchAgain(session: Session): void {
    if (this.#watched.uris.length === 0 || !session.info.offers.resourceChanges) return;
    const { signal } = new AbortController();
    void this.#watch(session, 'resources/subscribe', signal).catch(() => undefined);
  }

  /** A new list; where none can be had, the last good one with a warning. */
  async #list<Item>(of: ListOf<Item>, signal: AbortSignal): Promise<McpListing<Item>> {
    try {
      return await askAgain(this.#life, signal, (session) => this.#lists.read(of, session, signal));
    } catch (error) {
      const last = this.#lists.latest(of);
      if (signal.aborted || !last) throw error;
      const warning = `The last good list is used, because a new one could not be fetched. ${messageOf(error)}`;
      return { items: last.items, warnings: [warning] };
    }
  }

  #ask(
    stage: McpStage,
    method: string,
    { params, signal }: { params: JsonObject; signal: AbortSignal },
  ): Promise<JsonObject> {
    const limitMs = this.#context.limits.callIdle;
    return askAgain(this.#life, signal, (session) =>
      exchange(this.#context, { session, stage, method, limitMs, signal }, (within) =>
        session.request(method, params, { signal: within }),
      ),
    );
  }
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

/** Without a word from us a server decides itself how much it says. In the newer revision each request says it. */
function setLogLevel({ info, request }: Session, { onLog }: McpNeeds): void {
  if (!onLog || !info.offers.logging || info.protocolVersion >= NEWEST_REVISION) return;
  const { signal } = new AbortController();
  void request('logging/setLevel', { level: 'info' }, { signal }).catch(() => undefined);
}
