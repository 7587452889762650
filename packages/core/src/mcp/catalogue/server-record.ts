import { messageOf, SettingsError } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json.js';
import { readSmallFile } from '../../host/state/read-file.js';
import { removeFile, replaceFile } from '../../host/state/replace-file.js';
import type { State } from '../../host/state/state.js';
import { inStateFolder } from '../../host/state/state-folder.js';
import { upgrade } from '../../host/state/versions.js';
import { shortHash } from '../../model/wire/wire-names.js';
import type { McpToolDefinition } from '../connection.js';
import type { McpServerConfig } from '../server-config.js';

/** What is known of one server between runs: its tools, and what the person consented to. */
export interface ServerRecord {
  server: string;
  /** The program behind the command when consent was given; null for an address. */
  executable: string | null;
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
  /** What was wrong with the last list, one sentence each. */
  warnings: string[];
}

export interface ServerRecords {
  read(): Promise<ServerRecord | null>;
  /** Reads, changes and replaces the record under its lock. */
  update(change: (current: ServerRecord | null) => ServerRecord, signal: AbortSignal): Promise<ServerRecord>;
  remove(signal: AbortSignal): Promise<void>;
}

const FORMAT = 'mcp-server';
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The record of a server. What consent binds stands in it word for word, so that the hash in its name need not be one
 * that nobody can forge: another command or address is another server.
 */
export function openServerRecord(
  state: Pick<State, 'path' | 'pathOf' | 'exists' | 'make' | 'withLock'>,
  config: McpServerConfig,
  place: string,
): ServerRecords {
  const bound = boundText(config, place);
  const name = config.alias.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40);
  const path = state.pathOf('mcp', `${name}-${shortHash(bound)}.json`);
  const lock = `mcp-${shortHash(bound)}`;

  async function read(): Promise<ServerRecord | null> {
    if (!(await state.exists())) return null;
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
          const next = change(await read());
          await inStateFolder(state.path, () =>
            replaceFile(path, `${JSON.stringify({ v: 1, bound, ...packed(next) })}\n`),
          );
          return next;
        },
        signal,
      );
    },
    remove: (signal) => state.withLock(lock, () => removeFile(path), signal),
  };
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

function recordIn(bytes: Uint8Array, path: string): SavedRecord {
  const { v: _version, ...saved } = upgrade(FORMAT, parsed(bytes, path), { where: path });
  const record = unpacked(saved);
  if (isRecord(record)) return record;
  throw unreadable(path, 'it is not what was saved there');
}

const SENT_KEYS = ['name', 'title', 'description', 'inputSchema', 'outputSchema'] as const;

/** Most of a definition is what the server sent, word for word: kept once, because every start reads it. */
function packed(record: ServerRecord): JsonObject {
  const pack = ({ asSent, ...read }: McpToolDefinition): JsonObject => {
    const own = Object.entries(read).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(asSent[key]),
    );
    return { asSent, ...Object.fromEntries(own) };
  };
  return { ...record, accepted: record.accepted.map(pack), pending: record.pending.map(pack) };
}

function unpacked(saved: JsonObject): JsonObject {
  const unpack = (definition: unknown): unknown => {
    if (!isJsonObject(definition) || !isJsonObject(definition['asSent'])) return definition;
    const { asSent } = definition;
    const sent = SENT_KEYS.map((key) => [key, asSent[key]]);
    return { ...Object.fromEntries(sent), ...definition };
  };
  const list = (value: unknown): unknown => (Array.isArray(value) ? value.map(unpack) : value);
  return { ...saved, accepted: list(saved['accepted']), pending: list(saved['pending']) };
}

function parsed(bytes: Uint8Array, path: string): JsonObject {
  try {
    const value: unknown = JSON.parse(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
    );
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw unreadable(path, messageOf(error));
  }
  throw unreadable(path, 'it is not an object');
}

function unreadable(path: string, problem: string): SettingsError {
  return new SettingsError(
    `${path} can't be read: ${problem}. Move it away; the tools of that server are then taken as they come.`,
  );
}

type SavedRecord = ServerRecord & { bound: string };

function isRecord(value: JsonObject): value is JsonObject & SavedRecord {
  const { bound, server, executable, accepted, gone, pending, listedAt, warnings } = value;
  return (
    typeof bound === 'string' &&
    typeof server === 'string' &&
    (executable === null || typeof executable === 'string') &&
    [accepted, pending].every((list) => Array.isArray(list) && list.every(isDefinition)) &&
    [gone, warnings].every((list) => Array.isArray(list)) &&
    typeof listedAt === 'number'
  );
}

function isDefinition(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    typeof value['name'] === 'string' &&
    typeof value['description'] === 'string' &&
    isJsonObject(value['inputSchema']) &&
    isJsonObject(value['asSent'])
  );
}
