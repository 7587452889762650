import { parseJsonc } from '@toolwright/machine/base/configuration/jsonc.js';
import type { JsonEntry, JsonNode, JsonPosition } from '@toolwright/machine/base/configuration/plain-json.js';
import { canonical } from '@toolwright/machine/base/json.js';
import { nearest } from '@toolwright/machine/base/nearest.js';
import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
import { savedFormats } from '@toolwright/machine/host/state/versions.js';
import { type CheckContext, checkValue, invalid, reportTwice, unknownKey } from './check-value.js';
import { type Layer, type Origin, originIn, type Problem, placeOf, type UnsetProblem } from './problems.js';
import { fileKeys, settingKeys } from './setting-keys.js';
import type { Key, Keys } from './setting-kinds.js';

/** A setting as one layer gives it. Entries of a map are settings of their own. */
export interface Assignment {
  path: readonly string[];
  key: Key;
  value: unknown;
  origin: Origin;
  /** File and line of each item of a list. */
  items?: Origin[];
}

export interface ReadLayer {
  assignments: Assignment[];
  problems: Problem[];
  warnings: Problem[];
  /** Variables for want of which servers are off. */
  serverWarnings: UnsetProblem[];
}

export interface LayerText {
  layer: Layer;
  file: string;
  text: string;
  environment: Environment;
  /** `mcpServers` only, in a file that other programs read too. */
  serversOnly?: boolean;
}

/** Every setting with its dotted path, sections left out. */
export const settingPaths: ReadonlyMap<string, Key> = new Map(leavesOf(settingKeys));

const spellings: ReadonlyMap<string, string> = new Map(
  [...settingPaths].flatMap(([path, key]) =>
    (key.spellings ?? []).map((other): [string, string] => [other, path]),
  ),
);

function leavesOf(keys: Keys, prefix = ''): [string, Key][] {
  return Object.entries(keys).flatMap(([name, key]): [string, Key][] => {
    const path = `${prefix}${name}`;
    return key.kind.type === 'group' ? leavesOf(key.kind.keys, `${path}.`) : [[path, key]];
  });
}

/** Reads a file of settings: its assignments, and its problems. */
export async function readLayer(source: LayerText): Promise<ReadLayer> {
  const result: ReadLayer = { assignments: [], problems: [], warnings: [], serverWarnings: [] };
  const context = contextFor(source, result);
  const parsed = await parseJsonc(source.text);
  if (!parsed.ok) {
    for (const { at, message } of parsed.problems) context.problem(at, `${message}.`);
  } else if (parsed.root.type !== 'object') {
    context.problem(parsed.root.at, 'expected an object: settings are written between { and }.');
  } else {
    const walk = new Walk(source, context, result.assignments);
    if (source.serversOnly) walk.servers(parsed.root);
    else walk.section(parsed.root, settingKeys, []);
  }
  return result;
}

function contextFor(source: LayerText, result: ReadLayer): CheckContext {
  const report = (list: Problem[], suffix = '') => {
    return (at: JsonPosition, message: string) => {
      list.push({ where: placeOf(originIn(source.layer, source.file, at)), message: message + suffix });
    };
  };
  const fromProject = source.layer === 'project';
  const until = ' Until then this is ignored.';
  const ignored = report(result.warnings, until);
  return {
    environment: source.environment,
    // The project's file of servers is written for other programs too: a mistake in it must not stop this one.
    problem: fromProject && source.serversOnly ? ignored : report(result.problems),
    warning: report(result.warnings),
    unset: fromProject ? ignored : undefined,
    unsetInEntry(at, message, variable) {
      const origin = originIn(source.layer, source.file, at);
      result.serverWarnings.push({
        where: placeOf(origin),
        message: message + until,
        file: source.file,
        line: at.line,
        variable,
      });
    },
    lenient: source.serversOnly,
    fromProject,
  };
}

/** Sections where a key that does not count would leave rights wider than its writer meant. */
const guarded = ['permissions', 'sandbox', 'approvalMode', 'mcpServers'];

/** An unknown key there, or one that looks like the name of such a section. */
function isGuarded(name: string, [section]: readonly string[]): boolean {
  if (section !== undefined) return guarded.includes(section);
  return nearest(name, Object.keys(settingKeys), 1).some((near) => guarded.includes(near));
}

class Walk {
  readonly #given = new Map<string, { written: string; at: JsonPosition; value: string }>();

  constructor(
    private readonly source: LayerText,
    private readonly context: CheckContext,
    private readonly assignments: Assignment[],
  ) {}

  section(node: JsonNode & { type: 'object' }, keys: Keys, path: readonly string[]): void {
    reportTwice(node, path.join('.'), this.context);
    for (const entry of node.entries) {
      if (path.length === 0 && Object.hasOwn(fileKeys, entry.name)) this.#fileKey(entry);
      else this.#entry(entry, keys, path);
    }
  }

  servers(node: JsonNode & { type: 'object' }): void {
    for (const entry of node.entries) {
      if (entry.name === 'mcpServers') this.#entry(entry, settingKeys, []);
      else
        this.context.warning(entry.at, `${entry.name} is ignored: only mcpServers is read from this file.`);
    }
  }

  #fileKey({ name, at, value }: JsonEntry): void {
    const key: Key = fileKeys[name as keyof typeof fileKeys];
    const checked = checkValue(value, key.kind, { path: name, key }, this.context);
    const known = savedFormats.versions.settings;
    if (name === 'v' && typeof checked === 'number' && checked > known) {
      this.context.problem(
        at,
        `written for a newer Toolwright (format ${checked}; this one reads up to ${known}). Update Toolwright.`,
      );
    }
  }

  #entry({ name, at, value }: JsonEntry, keys: Keys, parent: readonly string[]): void {
    const written = [...parent, name].join('.');
    const canonicalPath = spellings.get(written);
    const key = canonicalPath
      ? settingPaths.get(canonicalPath)
      : Object.hasOwn(keys, name)
        ? keys[name]
        : undefined;
    const path = canonicalPath?.split('.') ?? [...parent, name];
    if (!key) {
      const message = unknownKey(name, written, keys, [...settingPaths.keys()]);
      if (isGuarded(name, parent)) this.context.problem(at, message);
      else this.context.warning(at, `${message} It is ignored.`);
    } else if (key.kind.type === 'group') {
      if (value.type === 'object') this.section(value, key.kind.keys, path);
      else checkValue(value, key.kind, { path: written, key }, this.context);
    } else if (key.kind.type === 'map') {
      this.#mapEntries(value, key, path);
    } else {
      this.#assign({ path, key, at, written, node: value });
    }
  }

  /** Checked one by one, so that one bad entry does not take the others with it. */
  #mapEntries(node: JsonNode, key: Key, path: readonly string[]): void {
    if (key.kind.type !== 'map' || node.type !== 'object') {
      checkValue(node, key.kind, { path: path.join('.'), key }, this.context);
      return;
    }
    const twice = reportTwice(node, path.join('.'), this.context);
    // A server that lacks a variable is no reason to do without everything else.
    const context = { ...this.context, unset: this.context.unsetInEntry };
    for (const entry of node.entries.filter(({ name }) => !twice.has(name))) {
      const single = { ...node, entries: [entry] };
      const checked = checkValue(single, key.kind, { path: path.join('.'), key }, context);
      if (checked === invalid) continue;
      const origin = originIn(this.source.layer, this.source.file, entry.at);
      const value = (checked as Record<string, unknown>)[entry.name];
      this.assignments.push({ path: [...path, entry.name], key, value, origin });
    }
  }

  #assign(found: { path: string[]; key: Key; at: JsonPosition; written: string; node: JsonNode }): void {
    const { path, key, at, written, node } = found;
    const value = checkValue(node, key.kind, { path: written, key }, this.context);
    if (value === invalid) return;
    const name = path.join('.');
    const text = JSON.stringify(canonical(value));
    const other = this.#given.get(name);
    if (other && other.written !== written) {
      if (other.value === text) return;
      const message = `${written} and ${other.written} (line ${other.at.line}) are the same setting with different values. Keep ${name}.`;
      this.context.problem(at, message);
      return;
    }
    this.#given.set(name, { written, at, value: text });
    const { layer, file } = this.source;
    const items = Array.isArray(value)
      ? (node.type === 'array' ? node.items : [node]).map((item) => originIn(layer, file, item.at))
      : undefined;
    this.assignments.push({ path, key, value, origin: originIn(layer, file, at), items });
  }
}
