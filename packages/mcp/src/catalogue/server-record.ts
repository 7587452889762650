import { TOOL_NAME } from '@toolwright/machine/base/content.js';
import { shortHash } from '@toolwright/machine/base/digest/sha256.js';
import { messageOf, SettingsError } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject, type JsonSchema } from '@toolwright/machine/base/json.js';
import type { CodeDigest } from '@toolwright/machine/host/run-code/digest-code.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { removeFile, replaceFile } from '@toolwright/machine/host/state/replace-file.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import { inStateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { upgrade } from '@toolwright/machine/host/state/versions.js';
import type { McpIcon, McpToolDefinition, McpToolHints } from '../contract/connection.js';
import type { McpServerConfig } from '../contract/server-config.js';

/** The memory of one server between runs: its tools, and what the user consented to. */
export interface ServerRecord {
  server: string;
  /** The program behind the command when consent was given; null for an address. */
  executable: string | null;
  /** The server's code in the folders to work in when consent was given, by path; null where nobody has looked yet. */
  code: CodeDigest | null;
  /** Tools as they were accepted. */
  accepted: McpToolDefinition[];
  /** Names of accepted tools that the server no longer lists. */
  gone: string[];
  /** Tools that are new, or differ from what was accepted: off until they are. */
  pending: McpToolDefinition[];
  /** Set while the server has never been listed: why, and when that was tried. */
  failure: { message: string; at: number } | null;
  /** Milliseconds since 1970; 0 as long as it never answered. */
  listedAt: number;
  /** Problems with the last list, one sentence each. */
  warnings: string[];
  /** True if the server has resources to read. */
  resources?: boolean;
  /** The time and the version since which the question for revisions is spared: the server ended, or said nothing, when asked. */
  spared?: { at: number; version: string };
}

export interface ServerRecords {
  /** Null when nothing is saved for the server as it is configured now. */
  read(): Promise<ServerRecord | null>;
  /** Reads, changes and replaces the record under its lock. What is given back as it was is not written again. */
  update(change: (current: ServerRecord | null) => ServerRecord, signal: AbortSignal): Promise<ServerRecord>;
  remove(signal: AbortSignal): Promise<void>;
}

const FORMAT = 'mcp-server';
const NEW_LINE = 10;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The record of a server. What consent binds stands in it word for word, so that the hash in its name need not be one
 * that nobody can forge: another command or address is another server.
 */
export function openServerRecord(
  state: Pick<State, 'path' | 'pathOf' | 'make' | 'withLock'>,
  config: McpServerConfig,
  place: string,
): ServerRecords {
  const bound = boundText(config, place);
  const hash = shortHash(bound);
  const path = state.pathOf('mcp', `${fileName(config.alias)}-${hash}.json`);
  const lock = `mcp-${hash}`;

  async function read(): Promise<ServerRecord | null> {
    const bytes = await readSmallFile(path, MAX_BYTES);
    const saved = bytes === null ? null : recordIn(bytes, path);
    return saved?.bound === bound ? saved : null;
  }

  return {
    read,
    async update(change, signal) {
      await state.make();
      return state.withLock(
        lock,
        async () => {
          const current = await read();
          const next = change(current);
          if (next === current) return next;
          await inStateFolder(state.path, () => replaceFile(path, written(next, bound)));
          return next;
        },
        signal,
      );
    },
    remove: (signal) => state.withLock(lock, () => removeFile(path), signal),
  };
}

function fileName(alias: string): string {
  return (TOOL_NAME.test(alias) ? alias : alias.replace(/[^A-Za-z0-9_-]/g, '_')).slice(0, 40);
}

/** Names of variables and headers count, their values do not: a new token is no new server. */
function boundText({ alias, endpoint }: McpServerConfig, place: string): string {
  const bound =
    endpoint.kind === 'stdio'
      ? {
          command: endpoint.command,
          args: endpoint.args,
          cwd: endpoint.cwd,
          environment: Object.keys(endpoint.env).sort(),
        }
      : { url: endpoint.url, headers: Object.keys(endpoint.headers).sort() };
  return JSON.stringify({ alias, place, ...bound });
}

/** The part of a definition that is needed before the tool is called. */
type Offered = Omit<McpToolDefinition, Kept>;
type Kept = 'asSent' | 'outputSchema' | 'icons';

/**
 * Two lines: what every start needs, and what the accepted tools were when they were accepted, which is most of the
 * text and is read when a tool is called or the server has started.
 */
function written(record: ServerRecord, bound: string): string {
  const kept = JSON.stringify(
    record.accepted.map(({ asSent, outputSchema, icons }) => ({ asSent, outputSchema, icons })),
  );
  const accepted = record.accepted.map(
    ({ name, title, description, inputSchema, hints }): Offered => ({
      name,
      title,
      description,
      inputSchema,
      hints,
    }),
  );
  const first = { v: 3, bound, ...record, accepted, kept: Buffer.byteLength(kept) };
  return `${JSON.stringify(first)}\n${kept}\n`;
}

function recordIn(bytes: Buffer, path: string): SavedRecord {
  const end = bytes.indexOf(NEW_LINE);
  const first = parsed(bytes.toString('utf8', 0, end === -1 ? bytes.length : end), path);
  const saved = isJsonObject(first) ? upgrade(FORMAT, first, { where: path }) : {};
  if (!isRecord(saved)) throw unreadable(path, 'it is not what was saved there');
  const { v: _version, kept: length, ...record } = saved;
  if (length === undefined) return record;
  // Without its end nothing could be held to what was accepted.
  if (bytes.length !== end + 1 + length + 1) throw unreadable(path, 'a part of it is missing');
  const kept = new KeptLine(bytes, end + 1, record.accepted.length, path);
  record.accepted = record.accepted.map((offered, index) => new AcceptedTool(offered, index, kept));
  return record;
}

/** Reads what is kept of each accepted tool. The number must match: nothing else could be held to what was accepted. */
function keptIn(value: unknown, count: number, path: string): Pick<McpToolDefinition, Kept>[] {
  const isWhole = (item: unknown): boolean => isJsonObject(item) && isJsonObject(item['asSent']);
  if (Array.isArray(value) && value.length === count && value.every(isWhole)) return value;
  throw unreadable(path, 'it is not what was saved there');
}

/** The second line, read when somebody asks. */
class KeptLine {
  #read: Pick<McpToolDefinition, Kept>[] | undefined;

  constructor(
    private readonly bytes: Buffer,
    private readonly start: number,
    private readonly count: number,
    private readonly path: string,
  ) {}

  of(index: number): Pick<McpToolDefinition, Kept> {
    this.#read ??= keptIn(parsed(this.bytes.toString('utf8', this.start), this.path), this.count, this.path);
    return this.#read[index]!;
  }
}

class AcceptedTool implements McpToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly hints: McpToolHints;

  readonly #index: number;
  readonly #kept: KeptLine;

  constructor({ name, title, description, inputSchema, hints }: Offered, index: number, kept: KeptLine) {
    this.#index = index;
    this.#kept = kept;
    this.name = name;
    this.title = title;
    this.description = description;
    this.inputSchema = inputSchema;
    this.hints = hints;
  }

  get asSent(): JsonObject {
    return this.#kept.of(this.#index).asSent;
  }

  get outputSchema(): JsonSchema | null {
    return this.#kept.of(this.#index).outputSchema;
  }

  get icons(): McpIcon[] | undefined {
    return this.#kept.of(this.#index).icons;
  }

  toJSON(): McpToolDefinition {
    return { ...this, asSent: this.asSent, outputSchema: this.outputSchema, icons: this.icons };
  }
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(path, messageOf(error));
  }
}

function unreadable(path: string, problem: string): SettingsError {
  return new SettingsError(
    `${path} can't be read: ${problem}. Move it away; the tools of that server are then taken as they come.`,
  );
}

type SavedRecord = ServerRecord & { bound: string };

function isRecord(value: JsonObject): value is JsonObject & SavedRecord & { kept?: number } {
  const { bound, server, executable, code, accepted, gone, pending, listedAt, warnings, kept } = value;
  return (
    typeof bound === 'string' &&
    typeof server === 'string' &&
    (executable === null || typeof executable === 'string') &&
    (code === null || isJsonObject(code)) &&
    areDefinitions(accepted, kept === undefined) &&
    areDefinitions(pending, true) &&
    [gone, warnings].every((list) => Array.isArray(list)) &&
    typeof listedAt === 'number'
  );
}

function areDefinitions(list: unknown, isWhole: boolean): boolean {
  return (
    Array.isArray(list) &&
    list.every(
      (item: unknown) =>
        isJsonObject(item) &&
        typeof item['name'] === 'string' &&
        typeof item['description'] === 'string' &&
        isJsonObject(item['inputSchema']) &&
        (!isWhole || isJsonObject(item['asSent'])),
    )
  );
}
