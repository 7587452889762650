import { DEEPEST, type JsonObject } from '@toolwright/machine/base/json.js';

type PathStep = string | number;
type Leaf = string | number | boolean | null;

/** More elements than any call has; a path must not make a list of millions. */
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

/** Also for a name such as `__proto__`, which an assignment would take for something else. */
function put(place: object, key: PathStep, value: unknown): void {
  // A list has no holes: what was skipped is null until it comes.
  if (Array.isArray(place)) while (place.length < Number(key)) place.push(null);
  Object.defineProperty(place, key, { value, writable: true, enumerable: true, configurable: true });
}
