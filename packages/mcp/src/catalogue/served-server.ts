import { messageOf } from '@toolwright/machine/base/errors.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
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
import { createServerLife } from '../server/server-life.js';
import type { OpenSession } from '../session/open-session.js';
import { activeTools } from './pins.js';
import { openRecordInUse } from './record-in-use.js';
import type { ServerRecord, ServerRecords } from './server-record.js';
import {
  createStartConsent,
  type OtherCode,
  type StartConsent,
  type StartConsentOptions,
} from './start-consent.js';

/** One server of a session: known from its record, started when it is needed, stopped when it is idle. */
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
  const { config, needs, say } = options;
  const { alias } = config;
  const record = openRecordInUse({ ...options, alias, now: () => needs.clock.now() });
  const consent = createStartConsent({
    ...options,
    workspace: needs.workspace,
    record: () => record.current,
    acceptCode,
  });
  const life = createServerLife({
    alias,
    clock: needs.clock,
    idleMs: options.idleMs,
    retryMs: RETRY_MS,
    open: async (signal) => (await connection()).open(signal),
    onFailure: record.saveFailure,
  });
  let made: ServerConnection | null = null;

  /** Made with the first use: most servers of a session are never used, and the protocol library is large. */
  async function connection(): Promise<ServerConnection> {
    const { createConnection } = await import('../server/create-connection.js');
    made ??= createConnection({
      // Consent is about all tools of a server; which of them are offered is for the settings alone.
      config: { ...config, includeTools: null, excludeTools: [] },
      needs: { ...needs, beforeStart, onToolsChanged },
      life,
      onOpened: async (listing, info) => void (await saveListing(listing, info)),
      openSession: options.openSession,
    });
    return made;
  }

  async function beforeStart(signal: AbortSignal): Promise<void> {
    if (options.unreadable !== undefined) throw options.unreadable;
    await consent.check(signal);
  }

  async function saveListing(
    listing: McpListing<McpToolDefinition>,
    { offers }: McpServerInfo,
  ): Promise<ServerRecord> {
    const startedFrom = {
      executable: await consent.executable(),
      code: consent.startedFrom(),
      hasResources: offers.resources,
    };
    const saved = await record.saveListing(listing, startedFrom);
    await options.onTools();
    return saved;
  }

  async function list(signal: AbortSignal): Promise<ServerRecord> {
    const current = await connection();
    return saveListing(await current.listTools(signal), current.info);
  }

  /** A server that is not running lists its tools when it starts. */
  function onToolsChanged(): void {
    if (life.state.at !== 'ready') return;
    list(new AbortController().signal).catch((error: unknown) => {
      if (life.state.at !== 'closed') say(messageOf(error));
    });
  }

  async function acceptCode({ code }: OtherCode): Promise<void> {
    await record.saveCode(code);
    life.forgive();
  }

  return {
    config,
    get record() {
      return record.current;
    },
    get state() {
      return life.state.at;
    },
    get problem() {
      const { state } = life;
      return state.at === 'failed' ? messageOf(state.error) : (record.current?.failure?.message ?? null);
    },
    tools: () =>
      record.current ? activeTools(record.current).filter(({ name }) => isIncluded(config, name)) : [],
    use: (work, signal) => life.use(async () => work(await connection()), signal),
    refresh(signal) {
      const before = record.listings;
      return life.use(
        async () => (record.current && record.listings > before ? record.current : list(signal)),
        signal,
      );
    },
    call: (tool, args, call) =>
      life.use(async () => {
        const accepted = record.current?.accepted.find(({ name }) => name === tool)?.asSent ?? null;
        return (await connection()).callTool(tool, args, { ...call, accepted });
      }, call.signal),
    async accept(shown) {
      const accepted = await record.accept(shown, await consent.executable());
      life.forgive();
      await options.onTools();
      return accepted;
    },
    otherCode: consent.otherCode,
    acceptCode,
    executable: consent.executable,
    async forget() {
      await record.remove();
      const saved = (await needs.forget?.(alias)) ?? null;
      await signOut(config, needs);
      return saved;
    },
    close: async () => (made ? made.close() : life.close()),
  };
}

async function signOut({ endpoint }: McpServerConfig, { tokens }: McpNeeds): Promise<void> {
  if (endpoint.kind === 'stdio' || !(await tokens.read(endpoint.url))) return;
  await tokens.write(endpoint.url, null, AbortSignal.timeout(SIGN_OUT_LIMIT_MS));
}
