import { dirname, resolve } from 'node:path';
import { commandWords } from '@toolwright/machine/base/configuration/command-words.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import {
  DEEPEST,
  isDeeperThan,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
} from '@toolwright/machine/base/json.js';
import { didYouMean, nearest } from '@toolwright/machine/base/nearest.js';
import { type ManifestEffect, readEffects } from './manifest-effects.js';

/** A manifest describes the program beside it. */
export interface Manifest {
  name: string;
  description: string;
  parameters: JsonSchema;
  /** Words that began with `./` or `../` are absolute by now. */
  words: string[];
  timeoutMs?: number;
  /** Absent: what the program does is unknown. */
  effects?: ManifestEffect[];
}

const MEMBERS = ['v', '$schema', 'name', 'description', 'parameters', 'command', 'timeout', 'effects'];
const LONGEST_TIMEOUT_MS = 24 * 60 * 60 * 1000;

/** Reads the manifest at a path. Throws with the line, where the mistake is one of JSON, and what to write. */
export function readManifest(text: string, path: string): Manifest {
  const value = parse(text, path);
  const { name, description, parameters = { type: 'object', properties: {} }, timeout, effects } = value;
  refuseUnknown(value);
  if (value['v'] !== 1)
    throw new Error(
      Number(value['v']) > 1
        ? `"v" is ${JSON.stringify(value['v'])}, and this Toolwright knows version 1. Update Toolwright.`
        : '"v": 1 is missing.',
    );
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw new Error('"name" must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -.');
  if (typeof description !== 'string' || description.trim() === '')
    throw new Error('"description" is missing: it tells the model when to use the tool.');
  if (!isJsonObject(parameters) || parameters['type'] !== 'object')
    throw new Error('"parameters" must be a JSON Schema with "type": "object".');
  if (
    timeout !== undefined &&
    !(Number.isInteger(timeout) && Number(timeout) >= 1 && Number(timeout) <= LONGEST_TIMEOUT_MS)
  )
    throw new Error('"timeout" must be a number of milliseconds, at most a day.');
  return {
    name,
    description,
    parameters,
    words: wordsOf(value['command'], path),
    timeoutMs: timeout === undefined ? undefined : Number(timeout),
    effects: effects === undefined ? undefined : readEffects(effects, parameters),
  };
}

function parse(text: string, path: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`not JSON: ${messageOf(error)}${lineOf(text, error)}`);
  }
  if (!isJsonObject(value) || isDeeperThan(value, DEEPEST))
    throw new Error(`${path} must hold one JSON object.`);
  return value;
}

/** Node tells the place as a count of characters. */
function lineOf(text: string, error: unknown): string {
  const position = /position (\d+)/.exec(messageOf(error))?.[1];
  return position === undefined ? '' : `, line ${text.slice(0, Number(position)).split('\n').length}`;
}

function refuseUnknown(value: JsonObject): void {
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (unknown === undefined) return;
  const near = nearest(unknown, MEMBERS, 1).map((name) => `"${name}"`);
  const hint = didYouMean(near) || `They are ${MEMBERS.join(', ')}.`;
  throw new Error(`there is no member ${JSON.stringify(unknown)}. ${hint}`);
}

function wordsOf(command: unknown, path: string): string[] {
  const isList = Array.isArray(command) && command.every((word) => typeof word === 'string');
  if (typeof command !== 'string' && !isList)
    throw new Error(
      '"command" is missing: the program and its arguments, such as ["python3", "./count.py"].',
    );
  return commandWords(command as string | string[], '"command"').map((word) =>
    /^\.\.?\//.test(word) ? resolve(dirname(path), word) : word,
  );
}
