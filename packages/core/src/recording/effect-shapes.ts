import type { Effect } from '@toolwright/machine/base/effect.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';

/** The members of each kind that are texts. */
const texts: Record<Effect['kind'], readonly string[]> = {
  read: ['path'],
  write: ['path'],
  delete: ['path'],
  execute: ['command', 'directory'],
  outside: ['access'],
  network: ['host', 'url'],
  mcp: ['server', 'tool'],
  memory: ['scope', 'path'],
};

/** True for the effects of a call as rules read them: those of a recording may be anything. */
export function areEffects(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.every(isEffect));
}

function isEffect(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { kind } = value;
  if (typeof kind !== 'string' || !Object.hasOwn(texts, kind)) return false;
  if (!texts[kind as Effect['kind']].every((name) => typeof value[name] === 'string')) return false;
  if (kind === 'execute') return isCommand(value);
  return kind !== 'outside' || isOutside(value);
}

function isOutside({ access, path, host }: JsonObject): boolean {
  if (access === 'read' || access === 'write') return typeof path === 'string';
  return access === 'host' ? typeof host === 'string' : access === 'ssh-agent';
}

function isCommand({ commands, unproven, offers, beyond, doubts }: JsonObject): boolean {
  const lists = [commands ?? [], unproven ?? [], offers ?? []];
  const areBeyond =
    Array.isArray(beyond ?? []) &&
    ((beyond ?? []) as unknown[]).every(
      (each) =>
        isJsonObject(each) &&
        areWords([each['words']]) &&
        areWords([each['folders']]) &&
        typeof each['why'] === 'string',
    );
  return lists.every(areWords) && areBeyond && areWords([doubts ?? []]);
}

/** Lists of words, null for a word that is known only at run time. */
function areWords(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (words) => Array.isArray(words) && words.every((word) => word === null || typeof word === 'string'),
    )
  );
}
