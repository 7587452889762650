import { TOOL_NAME } from '@toolwright/machine/base/content.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import {
  DEEPEST,
  isDeeperThan,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
} from '@toolwright/machine/base/json.js';
import { validate } from '@toolwright/machine/base/json-schema/json-schema.js';

export interface Declaration {
  name: string;
  description: string;
  parameterSchema: JsonSchema;
}

export interface ReadDeclarations {
  declarations: Declaration[];
  /** A sentence for each that can't be used; it costs only itself. */
  problems: string[];
}

const MAX_TOOLS = 500;
const SHOWN = 300;
const WRAPPERS = ['function_declarations', 'functionDeclarations'];
const PARAMETERS = ['parametersJsonSchema', 'parameters_json_schema', 'parameters'];

/**
 * Reads what a discovery command printed: a list of function declarations, an object that holds the list as
 * `functionDeclarations` or `function_declarations`, or a list of such objects. Throws when it is none of these.
 */
export function readDeclarations(output: string): ReadDeclarations {
  const result: ReadDeclarations = { declarations: [], problems: [] };
  for (const item of declarationsIn(parse(output))) {
    const place = `tool ${result.declarations.length + result.problems.length + 1}`;
    const read = readDeclaration(item, place);
    if ('problem' in read) result.problems.push(read.problem);
    else if (result.declarations.some(({ name }) => name === read.name))
      result.problems.push(`${place} is called ${read.name} like one before it; the first one is used.`);
    else if (result.declarations.length === MAX_TOOLS) {
      result.problems.push(`only the first ${MAX_TOOLS} tools are used.`);
      break;
    } else result.declarations.push(read);
  }
  return result;
}

function parse(output: string): unknown {
  if (output.trim() === '')
    throw new Error('it printed nothing; expected a JSON array of function declarations.');
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch (error) {
    const [what] = messageOf(error).split(/, | in JSON/);
    throw new Error(`it printed something that is not JSON (${what}): ${clip(output)}`);
  }
  if (isDeeperThan(value, DEEPEST))
    throw new Error(`it printed JSON nested more than ${DEEPEST} levels deep.`);
  return value;
}

function declarationsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => wrapped(item) ?? [item]);
  const inside = wrapped(value);
  if (inside) return inside;
  throw new Error(
    `it printed ${isJsonObject(value) ? 'an object without functionDeclarations' : `a ${value === null ? 'null' : typeof value}`}; expected a JSON array of function declarations: ${clip(JSON.stringify(value))}`,
  );
}

function wrapped(value: unknown): unknown[] | null {
  if (!isJsonObject(value)) return null;
  const list = WRAPPERS.map((name) => value[name]).find((inside) => inside !== undefined);
  return Array.isArray(list) ? list : null;
}

function readDeclaration(item: unknown, place: string): Declaration | { problem: string } {
  if (!isJsonObject(item)) return { problem: `${place} is not an object: ${clip(JSON.stringify(item))}` };
  const { name, description = '' } = item;
  if (typeof name !== 'string' || !TOOL_NAME.test(name))
    return {
      problem: `${place} needs a "name" of 1 to 64 characters of A-Z, a-z, 0-9, _ and -: ${clip(JSON.stringify(item))}`,
    };
  if (typeof description !== 'string') return { problem: `${name}: "description" must be text.` };
  const schema = schemaIn(item);
  if (typeof schema === 'string') return { problem: `${name}: ${schema}` };
  return { name, description: description.trim() || `The tool ${name}.`, parameterSchema: schema };
}

function schemaIn(item: JsonObject): JsonSchema | string {
  const given = PARAMETERS.map((name) => item[name]).find((value) => value !== undefined && value !== null);
  if (given === undefined) return { type: 'object', properties: {} };
  if (!isJsonObject(given)) return 'its parameters must be a JSON Schema object.';
  const schema = withLowerCaseTypes(given) as JsonSchema;
  if (schema['type'] !== undefined && schema['type'] !== 'object')
    return `its parameters must have "type": "object", not ${clip(JSON.stringify(schema['type']))}.`;
  const usable = { type: 'object', ...schema };
  const problem = validate(usable, {});
  return problem?.startsWith("The tool's parameter schema can't be used") ? problem : usable;
}

/** Google's dialect spells them `OBJECT`, `STRING`. */
function withLowerCaseTypes(value: unknown, isType = false): unknown {
  if (isType && typeof value === 'string') return value.toLowerCase();
  if (Array.isArray(value)) return value.map((item) => withLowerCaseTypes(item, isType));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inside]) => [
      name,
      name === 'properties' && isJsonObject(inside)
        ? Object.fromEntries(Object.entries(inside).map(([key, schema]) => [key, withLowerCaseTypes(schema)]))
        : ['enum', 'const', 'default', 'required', 'example', 'examples'].includes(name)
          ? inside
          : withLowerCaseTypes(inside, name === 'type'),
    ]),
  );
}

function clip(text: string | undefined): string {
  const shown = (text ?? 'nothing').trim();
  return shown.length <= SHOWN ? shown : `${shown.slice(0, SHOWN)}…`;
}
