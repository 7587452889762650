import { isJsonObject, type JsonObject, type JsonSchema } from '@toolwright/machine/base/json.js';

/** An argument that is repeated in a header, so that proxies can route a call without reading it. */
export interface ParamHeader {
  /** The names of properties that lead to the argument. */
  path: string[];
  name: string;
}

const KEY = 'x-mcp-header';
/** A name that HTTP takes as part of the name of a header. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords with data in them, which declares nothing. */
const DATA: ReadonlySet<string> = new Set(['default', 'examples', 'const', 'enum', KEY]);
/** Keywords with an object of schemas by name. */
const MAPS: ReadonlySet<string> = new Set(['$defs', 'definitions', 'patternProperties', 'dependentSchemas']);

/** The headers that a tool's schema declares, or the reason why its declarations can't be followed. */
export function paramHeadersIn(schema: JsonSchema): ParamHeader[] | string {
  const found: ParamHeader[] = [];
  const problem = visit(schema, [], found);
  if (problem !== null) return problem;
  const names = found.map(({ name }) => name.toLowerCase());
  const double = names.find((name, index) => names.indexOf(name) !== index);
  return double === undefined ? found : `two of its arguments are to be repeated in the header "${double}"`;
}

/** `path` is null where no single argument is meant: in items, alternatives, definitions. */
function visit(schema: unknown, path: string[] | null, found: ParamHeader[]): string | null {
  if (Array.isArray(schema)) return firstProblem(schema, (item) => visit(item, null, found));
  if (!isJsonObject(schema)) return null;
  if (KEY in schema) {
    const problem = problemOf(schema, path);
    if (problem !== null) return problem;
    found.push({ path: path ?? [], name: String(schema[KEY]) });
  }
  return firstProblem(Object.entries(schema), ([keyword, value]) => {
    if (DATA.has(keyword)) return null;
    if (keyword === 'properties' && isJsonObject(value))
      return firstProblem(Object.entries(value), ([name, child]) =>
        visit(child, path && [...path, name], found),
      );
    return visit(MAPS.has(keyword) && isJsonObject(value) ? Object.values(value) : value, null, found);
  });
}

function firstProblem<Item>(items: Item[], look: (item: Item) => string | null): string | null {
  for (const item of items) {
    const problem = look(item);
    if (problem !== null) return problem;
  }
  return null;
}

function problemOf(schema: JsonObject, path: string[] | null): string | null {
  const { [KEY]: name, type } = schema;
  if (path === null || path.length === 0) return `an ${KEY} is where no single argument is meant`;
  const where = `the ${KEY} of "${path.join('.')}"`;
  if (typeof name !== 'string' || !TOKEN.test(name)) return `${where} is not the name of a header`;
  return TYPES.has(type) ? null : `${where} is for text, whole numbers and true or false only`;
}

/** The headers for a call with these arguments. Arguments that are not there, or are no plain values, have none. */
export function paramHeadersFor(declared: readonly ParamHeader[], args: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, name } of declared) {
    const value = path.reduce<unknown>((inner, key) => (isJsonObject(inner) ? inner[key] : undefined), args);
    const text = textOf(value);
    if (text !== null) headers[`Mcp-Param-${name}`] = encoded(text);
  }
  return headers;
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : null;
}

const PLAIN = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/;

/** A header carries visible ASCII without blanks at its ends; anything else is wrapped. */
function encoded(text: string): string {
  const looksWrapped = text.startsWith('=?base64?') && text.endsWith('?=');
  return PLAIN.test(text) && !looksWrapped ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
