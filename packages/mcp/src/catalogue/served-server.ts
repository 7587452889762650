import { messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import type {
  McpCallOptions,
  McpCallResult,
  McpConnection,
  McpListing,
  McpServerState,
  McpToolDefinition,
} from '../contract/connection.js';
import type { McpNeeds } from '../contract/needs.js';
import { isIncluded, type McpServerConfig } from '../contract/server-config.js';
import type { ServerConnection } from '../server/create-connection.js';
import { createServerLife } from '../server/server-life.js';
import type { OpenSession } from '../session/open-session.js';
import { accepting, activeTools, isAsShown, newsOf, withFailure, withListing } from './pins.js';
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

const SAVE_LIMIT_MS = 20_000;
/** A server that can't be reached is not tried again with every call. */
const RETRY_MS = 10_000;

export function serveServer(options: ServedServerOptions): ServedServer {
  const { config, needs, records, say } = options;
  const { alias } = config;
  let record = options.record;
  let listings = 0;
  const consent = createStartConsent({
    ...options,
    workspace: needs.workspace,
    record: () => record,
    acceptCode,
  });
  const life = createServerLife({
    alias,
    clock: needs.clock,
    idleMs: options.idleMs,
    retryMs: RETRY_MS,
    open: async (signal) => (await connection()).open(signal),
    onFailure,
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
      onOpened: async (listing) => void (await saveListing(listing)),
      openSession: options.openSession,
    });
    return made;
  }

  async function beforeStart(signal: AbortSignal): Promise<void> {
    if (options.unreadable !== undefined) throw options.unreadable;
    await consent.check(signal);
  }

  async function save(change: (current: ServerRecord | null) => ServerRecord): Promise<ServerRecord> {
    record = await records.update(change, AbortSignal.timeout(SAVE_LIMIT_MS));
    return record;
  }

  async function saveListing({ items, warnings }: McpListing<McpToolDefinition>): Promise<ServerRecord> {
    const listed = {
      tools: items,
      warnings,
      executable: await consent.executable(),
      code: consent.startedFrom(),
      at: needs.clock.now(),
    };
    const before = record;
    const after = await save((current) => withListing(current, alias, listed));
    listings += 1;
    for (const news of newsOf(before, after)) say(news);
    await options.onTools();
    return after;
  }

  async function list(signal: AbortSignal): Promise<ServerRecord> {
    return saveListing(await (await connection()).listTools(signal));
  }

  /** A server that is not running lists its tools when it starts. */
  function onToolsChanged(): void {
    if (life.state.at !== 'ready') return;
    list(new AbortController().signal).catch((error: unknown) => {
      if (life.state.at !== 'closed') say(messageOf(error));
    });
  }

  async function onFailure(error: unknown): Promise<void> {
    if (record && record.listedAt > 0) return;
    const failure = { message: messageOf(error), at: needs.clock.now() };
    await save((current) => withFailure(current, alias, failure));
  }

  async function acceptCode({ code }: OtherCode): Promise<void> {
    await save((current) => ({ ...(current ?? record)!, code }));
    life.forgive();
  }

  return {
    config,
    get record() {
      return record;
    },
    get state() {
      return life.state.at;
    },
    get problem() {
      return life.state.at === 'failed' ? messageOf(life.state.error) : (record?.failure?.message ?? null);
    },
    tools: () => (record ? activeTools(record).filter(({ name }) => isIncluded(config, name)) : []),
    use: (work, signal) => life.use(async () => work(await connection()), signal),
    refresh(signal) {
      const before = listings;
      return life.use(async () => (record && listings > before ? record : list(signal)), signal);
    },
    call: (tool, args, call) =>
      life.use(async () => {
        const accepted = record?.accepted.find(({ name }) => name === tool)?.asSent ?? null;
        return (await connection()).callTool(tool, args, { ...call, accepted });
      }, call.signal),
    async accept(shown) {
      const executable = await consent.executable();
      const accepted = await save((current) => {
        if (current && !isAsShown(current, shown))
          throw new ToolError('conflict', `"${alias}" changed again meanwhile. Look at it once more.`);
        return { ...accepting(shown, executable), code: current?.code ?? shown.code };
      });
      life.forgive();
      await options.onTools();
      return accepted;
    },
    otherCode: consent.otherCode,
    acceptCode,
    executable: consent.executable,
    async forget() {
      const limit = AbortSignal.timeout(SAVE_LIMIT_MS);
      await records.remove(limit);
      const saved = (await needs.forget?.(alias)) ?? null;
      if (config.endpoint.kind !== 'stdio' && (await needs.tokens.read(config.endpoint.url)))
        await needs.tokens.write(config.endpoint.url, null, limit);
      record = null;
      return saved;
    },
    close: async () => (made ? made.close() : life.close()),
  };
}
