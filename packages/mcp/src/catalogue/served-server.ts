import { messageOf } from '@toolwright/machine/base/errors.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type {
  McpCallOptions,
  McpCallResult,
  McpConnection,
  McpListing,
  McpServerInfo,
  McpServerState,
  McpToolDefinition,
} from '../contract/connection.js';
import type { McpNeeds } from '../contract/needs.js';
import { isIncluded, type McpServerConfig } from '../contract/server-config.js';
import type { ServerConnection } from '../server/create-connection.js';
import { createServerLife, type ServerLife } from '../server/server-life.js';
import type { OpenSession } from '../session/open-session.js';
import type { SessionMemory } from '../session/shake-hands.js';
import { activeTools } from './pins.js';
import { openRecordInUse, type RecordInUse } from './record-in-use.js';
import { isSpared } from './revision-question.js';
import type { ServerRecord, ServerRecords } from './server-record.js';
import {
  createStartConsent,
  type OtherCode,
  type StartConsent,
  type StartConsentOptions,
} from './start-consent.js';

/** A server of a session: known from its record, started when it is needed, stopped when it is idle. */
export interface ServedServer extends Pick<StartConsent, 'otherCode' | 'executable'> {
  readonly config: McpServerConfig;
  readonly record: ServerRecord | null;
  readonly state: McpServerState;
  /** The reason why it can't be used, when one is known. */
  readonly problem: string | null;
  /** The tools that may be offered: accepted, still listed, not left out by the settings. */
  tools(): McpToolDefinition[];
  /** Starts it where needed and asks for its tools. */
  refresh(signal: AbortSignal): Promise<ServerRecord>;
  call(tool: string, args: JsonObject, options: McpCallOptions): Promise<McpCallResult>;
  /** For prompts and resources. The server is not stopped while the work lasts. */
  use<Result>(work: (connection: McpConnection) => Promise<Result>, signal: AbortSignal): Promise<Result>;
  /** The user has seen the differences of this record: its tools count from now on. */
  accept(shown: ServerRecord): Promise<ServerRecord>;
  /** The user has seen these differences: that code may run from now on. */
  acceptCode(seen: OtherCode): Promise<void>;
  /** Forgets what was accepted and signs the user out there. Gives the folder of what the server saved; null without any. */
  forget(): Promise<string | null>;
  /** Ends it where it runs; the next use starts it again. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface ServedServerOptions
  extends Pick<StartConsentOptions, 'config' | 'path' | 'roots' | 'anyExecutable' | 'onOtherCode'> {
  needs: McpNeeds;
  /** @internal Declarations that we publish do without the types of the protocol library, which may be missing. */
  openSession?: OpenSession;
  records: ServerRecords;
  record: ServerRecord | null;
  /** The error of a record that can't be read: nothing could be held to it, so the server is not started. */
  unreadable?: unknown;
  idleMs: number;
  /** Called when its tools are not what they were. */
  onTools(): Promise<void>;
  /** Shows one sentence to the user. */
  say(message: string): void;
}

/** A server that can't be reached is not tried again with every call. */
const RETRY_MS = 10_000;
const SIGN_OUT_LIMIT_MS = 20_000;

export function serveServer(options: ServedServerOptions): ServedServer {
  return new ServerOfSession(options);
}

class ServerOfSession implements ServedServer {
  readonly config: McpServerConfig;
  readonly #options: ServedServerOptions;
  readonly #record: RecordInUse;
  readonly #consent: StartConsent;
  readonly #life: ServerLife;
  /** Made with the first use: most servers of a session are never used, and the protocol library is large. */
  #made: { connection: ServerConnection; memory: SessionMemory } | null = null;

  constructor(options: ServedServerOptions) {
    const { config, needs } = options;
    const { alias } = config;
    this.config = config;
    this.#options = options;
    this.#record = openRecordInUse({ ...options, alias, now: () => needs.clock.now() });
    this.#consent = createStartConsent({
      ...options,
      workspace: needs.workspace,
      record: () => this.#record.current,
      acceptCode: (seen) => this.acceptCode(seen),
    });
    this.#life = createServerLife({
      alias,
      clock: needs.clock,
      idleMs: options.idleMs,
      retryMs: RETRY_MS,
      open: async (signal) => (await this.#connection()).open(signal),
      onFailure: this.#record.saveFailure,
    });
  }

  get record(): ServerRecord | null {
    return this.#record.current;
  }

  get state(): McpServerState {
    return this.#life.state.at;
  }

  get problem(): string | null {
    const { state } = this.#life;
    return state.at === 'failed' ? messageOf(state.error) : (this.record?.failure?.message ?? null);
  }

  tools(): McpToolDefinition[] {
    return this.record ? activeTools(this.record).filter(({ name }) => isIncluded(this.config, name)) : [];
  }

  use<Result>(work: (connection: McpConnection) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    return this.#life.use(async () => work(await this.#connection()), signal);
  }

  refresh(signal: AbortSignal): Promise<ServerRecord> {
    const before = this.#record.listings;
    const isListed = (): boolean => this.#record.listings > before;
    return this.#life.use(async () => (this.record && isListed() ? this.record : this.#list(signal)), signal);
  }

  call(tool: string, args: JsonObject, call: McpCallOptions): Promise<McpCallResult> {
    return this.#life.use(async () => {
      const accepted = this.record?.accepted.find(({ name }) => name === tool)?.asSent ?? null;
      return (await this.#connection()).callTool(tool, args, { ...call, accepted });
    }, call.signal);
  }

  async accept(shown: ServerRecord): Promise<ServerRecord> {
    const accepted = await this.#record.accept(shown, await this.#consent.executable());
    this.#life.forgive();
    await this.#options.onTools();
    return accepted;
  }

  otherCode(signal: AbortSignal): Promise<OtherCode | null> {
    return this.#consent.otherCode(signal);
  }

  async acceptCode({ code }: OtherCode): Promise<void> {
    await this.#record.saveCode(code);
    this.#life.forgive();
  }

  executable(): Promise<string | null> {
    return this.#consent.executable();
  }

  async forget(): Promise<string | null> {
    const { config, needs } = this.#options;
    await this.#record.remove();
    const saved = (await needs.forget?.(config.alias)) ?? null;
    await signOut(config, needs);
    return saved;
  }

  async stop(): Promise<void> {
    await this.#life.stop();
  }

  async close(): Promise<void> {
    await (this.#made ? this.#made.connection.close() : this.#life.close());
  }

  async #connection(): Promise<ServerConnection> {
    const { createConnection } = await import('../server/create-connection.js');
    if (this.#made) return this.#made.connection;
    const { config, needs, openSession } = this.#options;
    const memory = { fearsQuestion: isSpared(this.record, needs.clock.now()) };
    const connection = createConnection({
      // Consent is about all tools of a server; which of them are offered is for the settings alone.
      config: { ...config, includeTools: null, excludeTools: [] },
      needs: {
        ...needs,
        beforeStart: (signal) => this.#beforeStart(signal),
        onToolsChanged: () => this.#toolsChanged(),
      },
      life: this.#life,
      memory,
      onOpened: async (listing, info) => void (await this.#saveListing(listing, info)),
      openSession,
    });
    this.#made = { connection, memory };
    return connection;
  }

  async #beforeStart(signal: AbortSignal): Promise<void> {
    if (this.#options.unreadable !== undefined) throw this.#options.unreadable;
    await this.#consent.check(signal);
  }

  async #list(signal: AbortSignal): Promise<ServerRecord> {
    const connection = await this.#connection();
    return this.#saveListing(await connection.listTools(signal), connection.info);
  }

  async #saveListing(
    listing: McpListing<McpToolDefinition>,
    { offers, version }: McpServerInfo,
  ): Promise<ServerRecord> {
    const memory = this.#made?.memory;
    const saved = await this.#record.saveListing(listing, {
      executable: await this.#consent.executable(),
      code: this.#consent.startedFrom(),
      hasResources: offers.resources,
      version,
      fearsQuestion: memory?.fearsQuestion,
    });
    if (memory) memory.fearsQuestion = saved.spared !== undefined;
    await this.#options.onTools();
    return saved;
  }

  /** A server that is not running lists its tools when it starts. */
  #toolsChanged(): void {
    if (this.#life.state.at !== 'ready') return;
    this.#list(new AbortController().signal).catch((error: unknown) => {
      if (this.#life.state.at !== 'closed') this.#options.say(messageOf(error));
    });
  }
}

async function signOut({ endpoint }: McpServerConfig, { tokens }: McpNeeds): Promise<void> {
  if (endpoint.kind === 'stdio' || !(await tokens.read(endpoint.url))) return;
  await tokens.write(endpoint.url, null, deadlineIn(SIGN_OUT_LIMIT_MS));
}
