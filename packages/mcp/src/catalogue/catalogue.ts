import { type AbortReason, messageOf } from '@toolwright/machine/base/errors.js';
import { withinDeadline } from '@toolwright/machine/host/deadline.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import type { McpServerConfig } from '../contract/server-config.js';
import type { OpenSession } from '../session/open-session.js';
import { describePending } from './pins.js';
import { type ServedServer, type ServedServerOptions, serveServer } from './served-server.js';
import { openServerRecord, type ServerRecord } from './server-record.js';

/** A server the user, or a project they trust, has configured. */
export interface ConfiguredServer {
  config: McpServerConfig;
  /** The scope of its consent: empty for the user's own server, the project's folder for a project's. */
  place: string;
  /** Named for this very run: its tools are worth waiting for. */
  isAskedFor?: boolean;
}

/** The MCP servers of a session. */
export interface McpCatalogue {
  readonly servers: readonly ServedServer[];
  find(alias: string): ServedServer | undefined;
  /** Starts, after a moment, the servers whose tools are not known yet. Failures are said, once each. */
  startUnknown(): void;
  /** Waits, within a limit, for the servers whose tools are not known yet and that the text names or the run asked for. */
  awaitNamed(text: string, signal: AbortSignal): Promise<void>;
  /** The same for all of them. */
  awaitAll(signal: AbortSignal): Promise<void>;
  /** Ends those that run; each starts again when it is needed. */
  stopAll(): Promise<void>;
  close(): Promise<void>;
}

/** The options of `openCatalogue`. */
export interface CatalogueOptions
  extends Pick<ServedServerOptions, 'needs' | 'path' | 'roots' | 'anyExecutable' | 'onOtherCode' | 'say'> {
  servers: readonly ConfiguredServer[];
  /** @internal */
  openSession?: OpenSession;
  state: State;
  idleMs?: number;
  onTools(server: ServedServer): Promise<void>;
}

const IDLE_MS = 5 * 60_000;
/** The first request to the model goes out before servers compete with it for the processor. */
const HEAD_START_MS = 250;
const AWAIT_LIMIT_MS = 15_000;
/** A server that never answered is not tried again with every start. */
const FAILURE_HOLDS_MS = 10 * 60_000;

/** Reads what is known of each server; starts none of them. */
export async function openCatalogue(options: CatalogueOptions): Promise<McpCatalogue> {
  let looked: Promise<boolean> | undefined;
  /** Looks for the state once, for all servers. */
  const mayBeKnown = (): Promise<boolean> => (looked ??= options.state.exists());
  const servers = await Promise.all(options.servers.map((server) => open(server, mayBeKnown, options)));
  for (const { record } of servers) {
    const pending = record && describePending(record);
    if (pending) options.say(pending);
  }
  return new CatalogueOfSession(servers, options);
}

class CatalogueOfSession implements McpCatalogue {
  #isClosed = false;
  /** Made with the first start: in most sessions there is none. */
  #ending: AbortController | undefined;
  /** Several may wait for the same start; its failure is told once. */
  readonly #told = new Set<unknown>();

  constructor(
    readonly servers: readonly ServedServer[],
    private readonly options: CatalogueOptions,
  ) {}

  find(alias: string): ServedServer | undefined {
    return this.servers.find(({ config }) => config.alias === alias);
  }

  startUnknown(): void {
    const unknown = this.servers.filter(isUnknown);
    if (unknown.length === 0 || this.#isClosed) return;
    for (const server of unknown) if (this.#failedLately(server)) this.options.say(toldAgain(server));
    const worthATry = unknown.filter((server) => !this.#failedLately(server));
    if (worthATry.length === 0) return;
    this.options.needs.clock.sleep(HEAD_START_MS, this.#untilClosed()).then(
      () => worthATry.forEach((server) => void this.#start(server)),
      () => undefined,
    );
  }

  awaitNamed(text: string, signal: AbortSignal): Promise<void> {
    const { servers } = this.options;
    return this.#awaitEach(
      ({ config }, index) => servers[index]?.isAskedFor === true || names(text, config.alias),
      signal,
    );
  }

  awaitAll(signal: AbortSignal): Promise<void> {
    return this.#awaitEach(() => true, signal);
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#ending?.abort({ kind: 'shutdown' } satisfies AbortReason);
    await Promise.all(this.servers.map((server) => server.close()));
  }

  async #awaitEach(
    isWanted: (server: ServedServer, index: number) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const { needs, say } = this.options;
    const wanted = this.servers.filter(
      (server, index) => isUnknown(server) && !this.#failedLately(server) && isWanted(server, index),
    );
    if (wanted.length === 0) return;
    const silent = new Set(wanted);
    const starting = wanted.map((server) => this.#start(server).finally(() => silent.delete(server)));
    await withinDeadline(Promise.all(starting), { ms: AWAIT_LIMIT_MS, clock: needs.clock, signal });
    if (signal.aborted) return;
    for (const { config } of silent) say(stillStarting(config.alias));
  }

  async #start(server: ServedServer): Promise<void> {
    try {
      await server.refresh(this.#untilClosed());
    } catch (error) {
      if (!this.#isClosed && !this.#told.has(error)) this.options.say(messageOf(error));
      this.#told.add(error);
    }
  }

  #failedLately({ record }: ServedServer): boolean {
    return record?.failure != null && this.options.needs.clock.now() - record.failure.at < FAILURE_HOLDS_MS;
  }

  #untilClosed(): AbortSignal {
    return (this.#ending ??= new AbortController()).signal;
  }
}

function isUnknown({ record }: ServedServer): boolean {
  return !record || record.listedAt === 0;
}

async function open(
  server: ConfiguredServer,
  mayBeKnown: () => Promise<boolean>,
  options: CatalogueOptions,
): Promise<ServedServer> {
  const { config, place } = server;
  const records = openServerRecord(options.state, config, place);
  let record: ServerRecord | null = null;
  let unreadable: unknown;
  try {
    record = (await mayBeKnown()) ? await records.read() : null;
  } catch (error) {
    // This server stays off, and the others work.
    unreadable = error;
  }
  const made: ServedServer = serveServer({
    ...options,
    config,
    records,
    record,
    unreadable,
    idleMs: options.idleMs ?? IDLE_MS,
    onTools: () => options.onTools(made),
  });
  return made;
}

function stillStarting(alias: string): string {
  return `The MCP server "${alias}" has not answered within ${AWAIT_LIMIT_MS / 1_000} s; continuing without its tools. To see what it is waiting for: toolwright mcp doctor ${alias}`;
}

function toldAgain({ config: { alias }, record }: ServedServer): string {
  const [first = ''] = (record?.failure?.message ?? '').split('\n');
  return `${first} It was not tried again; toolwright mcp list ${alias} does.`;
}

function names(text: string, alias: string): boolean {
  const escaped = alias.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![A-Za-z0-9])${escaped}(?![A-Za-z0-9])`, 'i').test(text);
}
