import {
  type JsonNode,
  type JsonPosition,
  plainValue,
} from '@toolwright/machine/base/configuration/plain-json.js';
import { didYouMean, nearest } from '@toolwright/machine/base/nearest.js';
import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
import { ruleProblem } from '../permission/rules.js';
import { expandVariables } from './expand-variables.js';
import type { UnsetVariable } from './problems.js';
import type { Key, Keys, SettingKind } from './setting-kinds.js';

export interface CheckContext {
  environment: Environment;
  problem(at: JsonPosition, message: string): void;
  /** A variable that is not set, where this must not stop the program. */
  unset?(at: JsonPosition, message: string, variable: UnsetVariable): void;
  /** The same inside one entry of a map, which is then left out. */
  unsetInEntry?(at: JsonPosition, message: string, variable: UnsetVariable): void;
  warning(at: JsonPosition, message: string): void;
  /** Keys we don't know are left out with a warning: the file is written for other programs too. */
  lenient?: boolean;
  /** The file comes from the project: keys that widen rights are left out. */
  fromProject?: boolean;
}

/** Stands for a value that was reported and must be left out. */
export const invalid = Symbol('invalid');

interface SettingPlace {
  path: string;
  key: Pick<Key, 'literal' | 'secret'>;
}

/** The value of a setting, with its variables expanded; or `invalid` after the problem was reported. */
export function checkValue(
  node: JsonNode,
  kind: SettingKind,
  place: SettingPlace,
  context: CheckContext,
): unknown {
  switch (kind.type) {
    case 'string':
      return checkString(node, kind.pattern, place, context);
    case 'choice':
      return checkChoice(node, kind.values, place, context);
    case 'integer': {
      const { minimum, maximum } = kind;
      const fits =
        node.type === 'number' &&
        Number.isInteger(node.value) &&
        node.value >= minimum &&
        node.value <= maximum;
      return fits
        ? node.value
        : unexpected(node, `a whole number from ${minimum} to ${maximum}`, place, context);
    }
    case 'number': {
      const { minimum, maximum } = kind;
      const fits = node.type === 'number' && node.value >= minimum && node.value <= maximum;
      return fits ? node.value : unexpected(node, `a number from ${minimum} to ${maximum}`, place, context);
    }
    case 'boolean':
      return node.type === 'boolean' ? node.value : unexpected(node, 'true or false', place, context);
    case 'list':
      return checkList(node, kind.item, place, context);
    case 'rules':
      return checkRules(node, place, context);
    case 'command':
      return checkCommand(node, place, context);
    case 'object':
      return node.type === 'object' ? plainValue(node) : unexpected(node, 'an object', place, context);
    case 'map':
      return checkMap(node, kind, place, context);
    case 'group':
      return checkGroup(node, kind, place, context);
  }
}

type Pattern = { source: string; says: string };

function checkString(
  node: JsonNode,
  pattern: Pattern | undefined,
  place: SettingPlace,
  context: CheckContext,
): unknown {
  if (node.type !== 'string') return unexpected(node, 'a string', place, context);
  const text = expand(node, place, context);
  if (typeof text !== 'string' || text === '' || !pattern || new RegExp(pattern.source).test(text))
    return text;
  context.problem(node.at, `${place.path}: expected ${pattern.says}, got ${excerptOf(text, place)}.`);
  return invalid;
}

function expand(
  node: JsonNode & { type: 'string' },
  place: SettingPlace,
  context: CheckContext,
): string | typeof invalid {
  if (place.key.literal) return node.value;
  const expansion = expandVariables(node.value, context.environment);
  if (expansion.ok) return expansion.text;
  const message = `${place.path}: ${expansion.message}`;
  const { variable } = expansion;
  if (variable === undefined || !context.unset) context.problem(node.at, message);
  else context.unset(node.at, message, { name: variable, path: place.path });
  return invalid;
}

function checkChoice(
  node: JsonNode,
  values: readonly string[],
  place: SettingPlace,
  context: CheckContext,
): unknown {
  const value = node.type === 'string' ? expand(node, place, context) : plainValue(node);
  if (value === invalid || values.includes(value as string)) return value;
  // Short words are near to each other by chance: "on" is no slip for "off".
  const near = typeof value === 'string' && value.length > 3 ? nearest(value, values, 1) : [];
  const expected = `one of ${values.map((item) => `"${item}"`).join(', ')}`;
  context.problem(
    node.at,
    `${place.path}: expected ${expected}, got ${describeNode(node, place)}. ${didYouMean(near.map((item) => `"${item}"`))}`.trimEnd(),
  );
  return invalid;
}

function checkList(
  node: JsonNode,
  item: Pattern | undefined,
  place: SettingPlace,
  context: CheckContext,
): unknown {
  if (node.type === 'string')
    return checkList({ type: 'array', items: [node], at: node.at }, item, place, context);
  if (node.type !== 'array') return unexpected(node, 'a list of strings', place, context);
  const items = node.items.map((entry, index) =>
    checkString(entry, item, { ...place, path: `${place.path}[${index}]` }, context),
  );
  return items.includes(invalid) ? invalid : items;
}

function checkRules(node: JsonNode, place: SettingPlace, context: CheckContext): unknown {
  const rules = checkList(node, undefined, place, context);
  const nodes = node.type === 'array' ? node.items : [node];
  const mistakes = nodes.flatMap((item, index) => {
    const message = item.type === 'string' ? ruleProblem(item.value) : null;
    return message === null ? [] : [{ at: item.at, message: `${place.path}[${index}]: ${message}` }];
  });
  for (const { at, message } of mistakes) context.problem(at, message);
  return mistakes.length > 0 ? invalid : rules;
}

function checkCommand(node: JsonNode, place: SettingPlace, context: CheckContext): unknown {
  const value =
    node.type === 'array'
      ? checkList(node, undefined, place, context)
      : checkString(node, undefined, place, context);
  if (value === invalid || (typeof value === 'string' ? value.trim() !== '' : (value as string[]).length > 0))
    return value;
  context.problem(
    node.at,
    `${place.path}: expected a command, got an empty ${node.type === 'array' ? 'list' : 'string'}.`,
  );
  return invalid;
}

function checkMap(
  node: JsonNode,
  kind: SettingKind & { type: 'map' },
  place: SettingPlace,
  context: CheckContext,
): unknown {
  if (node.type !== 'object') return unexpected(node, 'an object', place, context);
  const entries = node.entries.map(({ name, at, value }): [string, unknown] => {
    if (kind.names && !new RegExp(kind.names.source).test(name)) {
      context.problem(at, `${place.path}: expected ${kind.names.says}, got ${JSON.stringify(name)}.`);
      return [name, invalid];
    }
    return [name, checkValue(value, kind.of, { ...place, path: `${place.path}.${name}` }, context)];
  });
  const isTwice = reportTwice(node, place.path, context).size > 0;
  return isTwice || entries.some(([, value]) => value === invalid) ? invalid : Object.fromEntries(entries);
}

function checkGroup(
  node: JsonNode,
  kind: SettingKind & { type: 'group' },
  place: SettingPlace,
  context: CheckContext,
): unknown {
  if (node.type !== 'object') return unexpected(node, 'an object', place, context);
  const isTwice = reportTwice(node, place.path, context).size > 0;
  const entries = node.entries.flatMap(({ name, at, value }): [string, unknown][] => {
    const key = Object.hasOwn(kind.keys, name) ? kind.keys[name] : undefined;
    const path = `${place.path}.${name}`;
    if (!key) {
      const report = context.lenient ? context.warning : context.problem;
      report(at, unknownKey(name, path, kind.keys) + (context.lenient ? ' It is ignored.' : ''));
      return [];
    }
    if (context.fromProject && key.project === 'refuse') {
      context.warning(at, `${path} is ignored: a project can't set it.`);
      return [];
    }
    return [[name, checkValue(value, key.kind, { path, key }, context)]];
  });
  if (isTwice || entries.some(([, value]) => value === invalid)) return invalid;
  const result = Object.fromEntries(entries);
  const problem = kind.problem?.(result) ?? null;
  if (problem === null) return result;
  context.problem(node.at, `${place.path} ${problem}.`);
  return invalid;
}

/** Names of keys written twice: JSON silently drops the first one, but its author meant something by it. */
export function reportTwice(
  node: JsonNode & { type: 'object' },
  path: string,
  context: Pick<CheckContext, 'problem'>,
): Set<string> {
  const seen = new Map<string, JsonPosition>();
  const twice = new Set<string>();
  for (const { name, at } of node.entries) {
    const first = seen.get(name);
    const full = path === '' ? name : `${path}.${name}`;
    if (!first) seen.set(name, at);
    else {
      twice.add(name);
      context.problem(at, `${full} is given twice; the first time in line ${first.line}.`);
    }
  }
  return twice;
}

export function unknownKey(
  name: string,
  path: string,
  siblings: Keys,
  elsewhere: readonly string[] = [],
): string {
  const moved = elsewhere.find((other) => other.split('.').at(-1)?.toLowerCase() === name.toLowerCase());
  const prefix = path.slice(0, path.length - name.length);
  const near = nearest(name, Object.keys(siblings), 1).map((sibling) => `${prefix}${sibling}`);
  const hint = didYouMean(moved === undefined ? near : [moved]);
  return `unknown key ${path}. ${hint || `Known here: ${Object.keys(siblings).join(', ')}.`}`;
}

function unexpected(
  node: JsonNode,
  expected: string,
  place: SettingPlace,
  context: CheckContext,
): typeof invalid {
  context.problem(node.at, `${place.path}: expected ${expected}, got ${describeNode(node, place)}.`);
  return invalid;
}

function describeNode(node: JsonNode, place: SettingPlace): string {
  if (node.type === 'array') return 'a list';
  if (node.type === 'object') return 'an object';
  if (node.type === 'null') return 'null';
  return place.key.secret ? `a ${node.type}` : `${node.type} ${excerptOf(node.value, place)}`;
}

function excerptOf(value: unknown, place: SettingPlace): string {
  if (place.key.secret) return 'another value';
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
