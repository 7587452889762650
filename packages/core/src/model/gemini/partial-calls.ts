import { DEEPEST, isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { AnswerDraft, ArrivingCall } from '../wire/answer.js';
import type { DecoderContext } from '../wire/wire-format.js';

export interface CallReader {
  /** Reads a `functionCall` part: a whole call, or a piece of one that began before. */
  read(call: JsonObject, signature: string | undefined): void;
}

/**
 * Gemini may send a call in pieces (`streamFunctionCallArguments`): a name, then `partialArgs` that each say where in
 * the arguments a value, or a piece of a text, belongs. `willContinue` keeps a call open; several may be open at once.
 */
export function createCallReader(answer: AnswerDraft, context: DecoderContext): CallReader {
  const open: ArrivingCall[] = [];

  const callOf = (piece: JsonObject): ArrivingCall | null => {
    const known = continued(piece, open);
    if (known) return known;
    const [id, name] = [textAt(piece, 'id'), textAt(piece, 'name')];
    const isEnd = id === '' && name === '' && piece['args'] === undefined && fragmentsOf(piece).length === 0;
    return isEnd ? null : answer.openCall({ id, name, arguments: {} });
  };

  return {
    read: (piece, signature) => {
      const call = callOf(piece);
      if (!call) return;
      if (signature !== undefined) call.signature = signature;
      call.name ||= textAt(piece, 'name');
      call.id ||= textAt(piece, 'id');
      takeArguments(call, piece['args']);
      for (const fragment of fragmentsOf(piece)) takeFragment(call, fragment, context);
      const isOpen = field(piece, 'willContinue', 'will_continue') === true;
      const at = open.indexOf(call);
      if (at !== -1) open.splice(at, 1);
      if (isOpen) open.push(call);
      call.isUnfinished = isOpen;
    },
  };
}

/** The open call that a piece belongs to: by its id, else by its name, else the one that was spoken of last. */
function continued(piece: JsonObject, open: readonly ArrivingCall[]): ArrivingCall | undefined {
  const [id, name] = [textAt(piece, 'id'), textAt(piece, 'name')];
  if (id !== '') {
    const known = open.findLast((call) => call.id === id);
    if (known || name !== '') return known;
  }
  if (name === '') return open.at(-1);
  const known = open.findLast((call) => call.name === name);
  // A name alone opens a call; one whose arguments have begun is not opened again.
  const opens = fragmentsOf(piece).length === 0 && piece['args'] === undefined;
  return opens && known && Object.keys(known.arguments).length > 0 ? undefined : known;
}

function takeArguments(call: ArrivingCall, args: unknown): void {
  if (typeof args === 'string') call.arguments = args;
  else if (isJsonObject(args))
    call.arguments = typeof call.arguments === 'string' ? args : { ...call.arguments, ...args };
}

function takeFragment(call: ArrivingCall, fragment: JsonObject, context: DecoderContext): void {
  const path = field(fragment, 'jsonPath', 'json_path');
  const value = sentValue(fragment);
  if (value === undefined) return;
  if (path === undefined || path === '' || path === '$') {
    // Some hosts stream the text of the whole object.
    call.arguments = (typeof call.arguments === 'string' ? call.arguments : '') + String(value);
    return;
  }
  if (typeof call.arguments === 'string') call.arguments = {};
  if (typeof path !== 'string' || !setAtPath(call.arguments, path, value))
    throw context.garbled(`an argument at a place that can't be read: ${String(path).slice(0, 120)}`, {
      isEvent: true,
    });
}

function sentValue(fragment: JsonObject): string | number | boolean | null | undefined {
  const text = field(fragment, 'stringValue', 'string_value');
  if (typeof text === 'string') return text;
  const number = field(fragment, 'numberValue', 'number_value');
  if (typeof number === 'number') return number;
  const truth = field(fragment, 'boolValue', 'bool_value');
  if (typeof truth === 'boolean') return truth;
  if ('nullValue' in fragment || 'null_value' in fragment) return null;
  // A text that is still to come, or that ends here.
  return field(fragment, 'jsonPath', 'json_path') === undefined ? undefined : '';
}

function fragmentsOf(piece: JsonObject): JsonObject[] {
  const given = field(piece, 'partialArgs', 'partial_args');
  return Array.isArray(given) ? given.filter(isJsonObject) : [];
}

function field(object: JsonObject, name: string, snakeName: string): unknown {
  return object[name] ?? object[snakeName];
}

function textAt(object: JsonObject, name: string): string {
  return typeof object[name] === 'string' ? object[name] : '';
}

type PathStep = string | number;
type Leaf = string | number | boolean | null;

/** A number above the elements of any call: a path must not make a list of millions. */
const HIGHEST_INDEX = 9_999;

const step = /\.([^\s.[\]'"]+)|\[(0|[1-9]\d*)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** The names and indexes of a path to one value (RFC 9535, as in `$.items[0]['a name']`); null for any other. */
export function stepsOf(path: string): PathStep[] | null {
  if (!path.startsWith('$')) return null;
  const steps: PathStep[] = [];
  step.lastIndex = 1;
  while (step.lastIndex < path.length) {
    const match = step.exec(path);
    if (!match || steps.length === DEEPEST) return null;
    const [, name, index, single, double] = match;
    if (index !== undefined) steps.push(Number(index));
    else {
      const quoted = single ?? double;
      const unescaped = quoted === undefined ? name! : unescapedName(quoted);
      if (unescaped === null) return null;
      steps.push(unescaped);
    }
  }
  return steps;
}

function unescapedName(quoted: string): string | null {
  const asJson = quoted.replace(/\\'/g, "'").replace(/(?<!\\)((?:\\\\)*)"/g, '$1\\"');
  try {
    return JSON.parse(`"${asJson}"`) as string;
  } catch {
    return null;
  }
}

/** Puts a value at its place, making what is missing on the way; text is appended to text. False when it has no place. */
export function setAtPath(root: JsonObject, path: string, value: Leaf): boolean {
  const steps = stepsOf(path);
  if (!steps || steps.length === 0) return false;
  let place: unknown = root;
  for (const [index, key] of steps.entries()) {
    if (!isPlaceFor(place, key)) return false;
    const isLast = index === steps.length - 1;
    const before = Object.hasOwn(place, key) ? (place as Record<PathStep, unknown>)[key] : undefined;
    if (isLast)
      put(place, key, typeof before === 'string' && typeof value === 'string' ? before + value : value);
    else if (before === undefined || before === null)
      put(place, key, typeof steps[index + 1] === 'number' ? [] : {});
    place = (place as Record<PathStep, unknown>)[key];
  }
  return true;
}

function isPlaceFor(place: unknown, key: PathStep): place is object {
  if (typeof place !== 'object' || place === null) return false;
  if (typeof key === 'string') return !Array.isArray(place);
  return Array.isArray(place) && key <= HIGHEST_INDEX;
}

/** Sets a member, also one with a name such as `__proto__`, which an assignment would take for something else. */
function put(place: object, key: PathStep, value: unknown): void {
  // A list has no holes: what was skipped is null until it comes.
  if (Array.isArray(place)) while (place.length < Number(key)) place.push(null);
  Object.defineProperty(place, key, { value, writable: true, enumerable: true, configurable: true });
}
