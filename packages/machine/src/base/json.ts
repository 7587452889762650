/** An object as JSON has it. */
export type JsonObject = Record<string, unknown>;
/** A JSON Schema that is an object. */
export type JsonSchema = JsonObject;

/** Values nested deeper are refused: walking them could exhaust the stack. */
export const DEEPEST = 64;

export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

/**
 * Cuts a value that is nested too deeply just below the limit, so that it can be walked and printed but is still
 * refused.
 */
export function cutDeep<Value>(value: Value): Value {
  return isDeeperThan(value, DEEPEST) ? (shallower(value, DEEPEST + 1) as Value) : value;
}

function shallower(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  if (Array.isArray(value)) return value.map((item) => shallower(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shallower(item, levels - 1)]));
}

/** True for an object that is no array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON value of a text; undefined where it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON object of a text; null where it is none. */
export function jsonObjectIn(text: string): JsonObject | null {
  const value = jsonIn(text);
  return isJsonObject(value) ? value : null;
}

/** The same value with the keys of every object in alphabetical order, so that equal data gives equal bytes. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .filter((key) => value[key] !== undefined)
      .map((key) => [key, canonical(value[key])]),
  );
}

/** Freezes a JSON value to its leaves. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}
