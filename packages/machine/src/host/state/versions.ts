import { SettingsError } from '../../base/errors.js';
import { canonical, isJsonObject, type JsonObject } from '../../base/json.js';

/** A step of a saved format to the next version. */
export interface Migration {
  format: string;
  from: number;
  change(data: JsonObject): JsonObject;
}

export interface Formats {
  /** The version this program writes, for each saved format. */
  versions: Readonly<Record<string, number>>;
  /** Every older version that can still be read, one step each. */
  migrations: readonly Migration[];
}

/** The one table of everything that is kept on disk. A new version adds its number and its step here. */
export const savedFormats = {
  versions: {
    settings: 1,
    trust: 1,
    extensions: 1,
    'skill-list': 1,
    'known-pieces': 1,
    'import-offer': 1,
    grants: 1,
    journal: 1,
    history: 1,
    drafts: 1,
    models: 1,
    connection: 1,
    'mcp-server': 3,
    'mcp-tokens': 1,
    'mcp-tasks': 1,
    'false-claims': 1,
    apart: 1,
  },
  migrations: [
    { format: 'mcp-server', from: 1, change: wholeDefinitions },
    // The code that such a server runs at its next start becomes the code that it is held to.
    { format: 'mcp-server', from: 2, change: (record) => ({ ...record, code: null }) },
  ],
} satisfies Formats;

/** Completes definitions of an older version, which left out what `asSent` holds too and kept the server's order in schemas. */
function wholeDefinitions(record: JsonObject): JsonObject {
  const whole = (definition: unknown): unknown => {
    if (!isJsonObject(definition) || !isJsonObject(definition['asSent'])) return definition;
    const sent = definition['asSent'];
    const shared = ['name', 'title', 'description', 'inputSchema', 'outputSchema'].map((key) => [
      key,
      sent[key],
    ]);
    const all: JsonObject = { ...Object.fromEntries(shared), ...definition };
    return { ...all, inputSchema: canonical(all['inputSchema']) };
  };
  const list = (value: unknown): unknown => (Array.isArray(value) ? value.map(whole) : value);
  return { ...record, accepted: list(record['accepted']), pending: list(record['pending']) };
}

/** Saved data in the form this program works with. `where` names the file, and the line of a journal. */
export function upgrade(
  format: string,
  data: JsonObject,
  { where, formats = savedFormats }: { where: string; formats?: Formats },
): JsonObject {
  const wanted = formats.versions[format];
  if (wanted === undefined) throw new Error(`there is no saved format ${format}`);
  let result = data;
  let version = data['v'];
  if (!Number.isInteger(version)) {
    throw new SettingsError(
      `${where} has no version ("v": ${wanted}). Restore it from a backup, or move it away.`,
    );
  }
  while (version !== wanted) {
    if (Number(version) > wanted) {
      throw new SettingsError(
        `${where} was written by a newer Toolwright (format ${version}; this one reads up to ${wanted}). Update Toolwright, or move the file away.`,
      );
    }
    const step = formats.migrations.find(
      (migration) => migration.format === format && migration.from === version,
    );
    if (!step)
      throw new SettingsError(`${where} has format ${version}, which this Toolwright can't read any more.`);
    version = Number(version) + 1;
    result = { ...step.change(result), v: version };
  }
  return result;
}
