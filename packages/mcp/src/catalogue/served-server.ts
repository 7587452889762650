import { plural } from '@toolwright/machine/base/amounts.js';
import { messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { CodeChange, CodeDigest } from '@toolwright/machine/host/run-code/digest-code.js';
import type {
  McpCallOptions,
  McpCallResult,
  McpConnection,
  McpToolDefinition,
} from '../contract/connection.js';
import type { Connect, McpNeeds } from '../contract/needs.js';
import { isIncluded, type McpServerConfig } from '../contract/server-config.js';
import { executableOf } from './executable.js';
import { createLink, type Link } from './link.js';
import { accepting, activeTools, differences, isAsShown, withFailure, withListing } from './pins.js';
import { codeChanges, refusedCode, serverCode } from './server-code.js';
import type { ServerRecord, ServerRecords } from './server-record.js';

/** One server of a session: known from its record, started when it is needed, stopped when it is idle. */
export interface ServedServer {
  readonly config: McpServerConfig;
  readonly record: ServerRecord | null;
  readonly state: Link['state'];
  /** Why it can't be used, when that is known. */
  readonly problem: string | null;
  /** What may be offered: accepted, still listed, not left out by the settings. */
  tools(): McpToolDefinition[];
  /** Starts it where needed and asks for its tools. */
  refresh(signal: AbortSignal): Promise<ServerRecord>;
  call(tool: string, args: JsonObject, options: McpCallOptions): Promise<McpCallResult>;
  /** For prompts and resources. The server is not idle while the work lasts. */
  use: Link['use'];
  /** The person has seen the differences of this record: its tools count from now on. */
  accept(shown: ServerRecord): Promise<ServerRecord>;
  /** What it would run in the folders to work in differs from what was accepted; null where nothing does. */
  otherCode(signal: AbortSignal): Promise<OtherCode | null>;
  /** The person has seen these differences: that code may run from now on. */
  acceptCode(seen: OtherCode): Promise<void>;
  /** The program that its command starts now; null for an address. */
  executable(): Promise<string | null>;
  /** What was accepted of it is forgotten, and that the person is signed in there. Where what it saved still lies; null without any. */
  forget(): Promise<string | null>;
  close(): Promise<void>;
}

export interface ServedServerOptions {
  config: McpServerConfig;
  parts: McpNeeds;
  connect(): Promise<Connect>;
  records: ServerRecords;
  record: ServerRecord | null;
  /** Where programs are looked for. */
  path: string;
  /** The folders to work in, whose files the model may change. */
  roots(): readonly string[];
  /** Asks the person whether what the server runs may be another than before; without it nobody can be asked. */
  onOtherCode?(other: OtherCode, signal: AbortSignal): Promise<boolean>;
  idleMs: number;
  /** The program may be another one than before: the person is about to look at the server. */
  anyExecutable?: boolean;
  /** Its tools are not what they were. */
  onTools(): Promise<void>;
  /** For the person, one sentence. */
  say(message: string): void;
}

/** What a server runs in the folders to work in, where that is not what the person agreed to. */
export interface OtherCode {
  server: string;
  changes: CodeChange[];
  /** As it is now. */
  code: CodeDigest;
}

const SAVE_LIMIT_MS = 20_000;

export function serveServer(options: ServedServerOptions): ServedServer {
  const { config, parts, records } = options;
  const { alias } = config;
  let record = options.record;
  const link = createLink({ alias, clock: parts.clock, idleMs: options.idleMs, open, onFailure });

  async function save(change: (current: ServerRecord | null) => ServerRecord): Promise<ServerRecord> {
    record = await records.update(change, AbortSignal.timeout(SAVE_LIMIT_MS));
    return record;
  }

  /** The code that the running server was started from. */
  let started: CodeDigest | null = null;
  /** Differences that the person has said no to are not asked about again. */
  let declined: string | null = null;

  /** What it would run now, and how that differs from what the person agreed to. */
  async function lookAtCode(
    signal: AbortSignal,
  ): Promise<{ code: CodeDigest | null; changes: CodeChange[] }> {
    const { path, roots } = options;
    const parts = { directory: options.parts.workspace, roots: roots(), path };
    const code = await serverCode(config.endpoint, parts, signal);
    return { code, changes: await codeChanges(record?.code ?? null, code) };
  }

  async function otherCode(signal: AbortSignal): Promise<OtherCode | null> {
    const { code, changes } = await lookAtCode(signal);
    return code === null || changes.length === 0 ? null : { server: alias, changes, code };
  }

  async function acceptCode({ code }: OtherCode): Promise<void> {
    await save((current) => ({ ...(current ?? record)!, code }));
    link.forgetFailure();
  }

  /** Before each start, also of one that was lost: the program and the code must be those that were agreed to. */
  async function beforeStart(signal: AbortSignal): Promise<void> {
    if (!options.anyExecutable) refuseOtherProgram(record, await findExecutable(options));
    const { code, changes } = await lookAtCode(signal);
    started = code;
    if (code === null || changes.length === 0) return;
    const other = { server: alias, changes, code };
    const key = JSON.stringify(code);
    const isAgreed = declined !== key && (await options.onOtherCode?.(other, signal)) === true;
    if (!isAgreed) {
      if (options.onOtherCode) declined = key;
      throw refusedCode(other);
    }
    await acceptCode(other);
    // The person did not agree to files that changed while they read.
    const after = await otherCode(signal);
    if (after !== null) throw refusedCode(after);
  }

  async function list(from: McpConnection, signal: AbortSignal): Promise<ServerRecord> {
    const { items, warnings } = from.info.offers.tools
      ? await from.listTools(signal)
      : { items: [], warnings: [] };
    const executable = await findExecutable(options);
    const listed = { tools: items, warnings, executable, code: started, at: parts.clock.now() };
    const before = record;
    const after = await save((current) => withListing(current, alias, listed));
    for (const news of newsOf(before, after)) options.say(news);
    await options.onTools();
    return after;
  }

  async function open(signal: AbortSignal): Promise<McpConnection> {
    const connect = await options.connect();
    // Consent is about all tools of a server; which of them are offered is for the settings alone.
    const opened = await connect(
      { ...config, includeTools: null, excludeTools: [] },
      { ...parts, beforeStart },
      signal,
    );
    try {
      await list(opened, signal);
    } catch (error) {
      await opened.close();
      throw error;
    }
    opened.onChanged((what) => {
      if (what !== 'tools' || signal.aborted) return;
      void list(opened, signal).catch((error: unknown) => {
        if (!signal.aborted) options.say(messageOf(error));
      });
    });
    return opened;
  }

  async function onFailure(error: unknown): Promise<void> {
    if (record && record.listedAt > 0) return;
    const failure = { message: messageOf(error), at: parts.clock.now() };
    await save((current) => withFailure(current, alias, failure));
  }

  return {
    config,
    get record() {
      return record;
    },
    get state() {
      return link.state;
    },
    get problem() {
      return link.failure ? messageOf(link.failure) : (record?.failure?.message ?? null);
    },
    tools: () => (record ? activeTools(record).filter(({ name }) => isIncluded(config, name)) : []),
    use: link.use,
    async refresh(signal) {
      const before = record;
      return link.use(async (from) => {
        const isListedJustNow = record !== null && record !== before;
        return isListedJustNow ? record! : list(from, signal);
      }, signal);
    },
    call: (tool, args, callOptions) =>
      link.use(async (from) => {
        // A server that comes back may be another one: its tools are looked at before one is called.
        if (from.state === 'lost') await list(from, callOptions.signal);
        refuseUnlessActive(alias, tool, record);
        return from.callTool(tool, args, callOptions);
      }, callOptions.signal),
    async accept(shown) {
      const executable = await findExecutable(options);
      const accepted = await save((current) => {
        if (current && !isAsShown(current, shown))
          throw new ToolError('conflict', `"${alias}" changed again meanwhile. Look at it once more.`);
        return { ...accepting(shown, executable), code: current?.code ?? shown.code };
      });
      link.forgetFailure();
      await options.onTools();
      return accepted;
    },
    otherCode,
    acceptCode,
    executable: () => findExecutable(options),
    async forget() {
      const limit = AbortSignal.timeout(SAVE_LIMIT_MS);
      await records.remove(limit);
      const saved = (await parts.forget?.(alias)) ?? null;
      if (config.endpoint.kind !== 'stdio' && (await parts.tokens.read(config.endpoint.url)))
        await parts.tokens.write(config.endpoint.url, null, limit);
      record = null;
      return saved;
    },
    close: link.close,
  };
}

function findExecutable({ config, path, parts }: ServedServerOptions): Promise<string | null> {
  return executableOf(config.endpoint, { path, directory: parts.workspace });
}

/** What the person should hear after a listing, and has not heard before. */
function newsOf(before: ServerRecord | null, after: ServerRecord): string[] {
  const pending = describePending(after);
  const isNew = pending !== null && pending !== (before && describePending(before));
  const [warning] = after.warnings;
  const isNewWarning = warning !== undefined && !before?.warnings.includes(warning);
  const more = after.warnings.length > 1 ? ' There is more: toolwright mcp list.' : '';
  return [
    ...(isNew ? [pending] : []),
    ...(isNewWarning ? [`MCP server "${after.server}": ${warning}${more}`] : []),
  ];
}

/** One sentence for the person, or null when everything the server lists was accepted. */
export function describePending(record: ServerRecord): string | null {
  const found = differences(record).filter(({ change }) => change !== 'gone');
  if (found.length === 0) return null;
  const names = found.slice(0, 3).map(({ tool, change }) => `${tool} (${change})`);
  const more = found.length > names.length ? ` and ${found.length - names.length} more` : '';
  return `The MCP server "${record.server}" has ${plural(found.length, 'tool')} that you have not accepted: ${names.join(', ')}${more}. They stay off until: toolwright mcp accept ${record.server}`;
}

function refuseOtherProgram(record: ServerRecord | null, found: string | null): void {
  if (!record || record.executable === null || record.listedAt === 0 || found === record.executable) return;
  throw new ToolError(
    'denied',
    `The MCP server "${record.server}" was not started: its command is now ${found ?? 'not found'}, and was ${record.executable} when it was accepted. If that is right: toolwright mcp accept ${record.server}`,
  );
}

function refuseUnlessActive(server: string, tool: string, record: ServerRecord | null): void {
  if (record && activeTools(record).some(({ name }) => name === tool)) return;
  const isPending = record?.pending.some(({ name }) => name === tool);
  throw isPending
    ? new ToolError(
        'denied',
        `The tool ${tool} of the MCP server "${server}" is not what it was when the user accepted it. It stays off until the user runs: toolwright mcp accept ${server}`,
      )
    : new ToolError('not_found', `The MCP server "${server}" no longer has a tool ${tool}.`);
}
