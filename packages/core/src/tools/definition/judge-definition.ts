import { TOOL_NAME } from '@toolwright/machine/base/content.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { compileTool } from '../../model/schema/compile-tools.js';
import type { Dialect } from '../../model/schema/dialects.js';
import { resolveReference } from '../../model/schema/references.js';

/** The text that a model gets to know a tool by. */
export interface JudgedDefinition {
  /** The name as its author spells it. */
  name: string;
  description: string;
  parameterSchema: unknown;
  /** Set for a tool of an MCP server. */
  server?: {
    /** The name that models get. */
    declaredAs: string;
    isAnnotated: boolean;
  };
}

/** `error`: some models can't use it, or none can. `warning`: it works, but should be better. `note`: no fault. */
export interface DefinitionFinding {
  check:
    | 'name'
    | 'description'
    | 'annotations'
    | 'schema'
    | 'schema-subset'
    | 'schema-size'
    | 'schema-description';
  level: 'error' | 'warning' | 'note';
  /** The parameter it is about, as a path. */
  place?: string;
  /** The fault without its place, so that the same fault of many tools reads the same. */
  what: string;
  /** Providers that it concerns; default: all of them. */
  providers?: Dialect[];
  /** A remedy, in whole sentences. */
  advice?: string;
}

const SHORTEST_DESCRIPTION = 10;
const LONGEST_DESCRIPTION = 1024;
const LARGEST_SCHEMA = 16 * 1024;
const DIALECTS: readonly Dialect[] = ['openai', 'anthropic', 'gemini'];
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/**
 * Judges a tool by its definition, without calling it. Keywords of JSON Schema are judged by what providers are sent in
 * the end: what the compiler can express or say in words is no fault of the author.
 */
export function judgeDefinition(definition: JudgedDefinition): DefinitionFinding[] {
  return [
    ...nameFindings(definition),
    ...descriptionFindings(definition),
    ...schemaFindings(definition),
    ...annotationFindings(definition),
  ];
}

function nameFindings({ name, server }: JudgedDefinition): DefinitionFinding[] {
  const declared = server?.declaredAs ?? name;
  if (!TOOL_NAME.test(declared))
    return [
      { check: 'name', level: 'error', what: 'name must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -' },
    ];
  if (declared === name || declared.endsWith(`__${name}`)) return [];
  return [{ check: 'name', level: 'warning', what: `${JSON.stringify(name)} becomes ${declared}` }];
}

function descriptionFindings({ description }: JudgedDefinition): DefinitionFinding[] {
  const { length } = description.trim();
  const check = 'description';
  if (length === 0)
    return [
      {
        check,
        level: 'warning',
        what: 'no description',
        advice: 'A model chooses tools by their descriptions.',
      },
    ];
  if (length < SHORTEST_DESCRIPTION)
    return [
      {
        check,
        level: 'warning',
        what: 'description is too short for a model to know when to use the tool',
      },
    ];
  if (length > LONGEST_DESCRIPTION)
    return [
      {
        check,
        level: 'warning',
        what: `description is longer than ${LONGEST_DESCRIPTION} characters, which every request carries`,
      },
    ];
  return [];
}

function annotationFindings({ server }: JudgedDefinition): DefinitionFinding[] {
  if (!server || server.isAnnotated) return [];
  return [
    {
      check: 'annotations',
      level: 'note',
      what: 'no annotations; clients take it for a tool that may destroy something',
      advice: 'Say readOnlyHint, destructiveHint, idempotentHint and openWorldHint where they are true.',
    },
  ];
}

function schemaFindings(definition: JudgedDefinition): DefinitionFinding[] {
  const { parameterSchema: schema } = definition;
  const broken = (what: string): DefinitionFinding => ({ check: 'schema', level: 'error', what });
  if (!isJsonObject(schema)) return [broken('parameterSchema must be a JSON Schema object')];
  const findings: DefinitionFinding[] = [];
  if (schema['type'] !== 'object')
    findings.push(broken('parameterSchema must have "type": "object" at the top'));
  if (JSON.stringify(schema).length > LARGEST_SCHEMA)
    findings.push({
      check: 'schema-size',
      level: 'warning',
      what: `the schema is longer than ${LARGEST_SCHEMA} bytes, which every request carries`,
    });
  return [
    ...findings,
    ...parameterFindings(schema),
    ...typeFindings(schema, ''),
    ...providerFindings(definition, schema),
  ];
}

/** Parameters at the top are those that every model fills in. */
function parameterFindings(schema: JsonObject): DefinitionFinding[] {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const findings: DefinitionFinding[] = [];
  for (const [place, property] of Object.entries(properties)) {
    if (!isJsonObject(property) && typeof property !== 'boolean')
      findings.push({ check: 'schema', level: 'error', place, what: 'not a schema' });
    else if (!isDescribed(property, schema))
      findings.push({
        check: 'schema-description',
        level: 'warning',
        place,
        what: 'no description; the model has to guess',
      });
  }
  const others = schema['additionalProperties'] ?? schema['patternProperties'];
  const mayHaveOthers = others !== undefined && others !== false;
  for (const name of Array.isArray(schema['required']) ? schema['required'] : []) {
    if (!mayHaveOthers && !Object.hasOwn(properties, String(name)))
      findings.push({
        check: 'schema',
        level: 'error',
        place: String(name),
        what: 'required but not among the properties',
      });
  }
  return findings;
}

/** A reference and the forms of a choice may carry the description. */
function isDescribed(property: unknown, root: JsonObject): boolean {
  if (!isJsonObject(property)) return property === false;
  if (typeof property['description'] === 'string' && property['description'].trim() !== '') return true;
  const reference = property['$ref'];
  const target = typeof reference === 'string' ? resolveReference(root, reference) : null;
  const forms = [property['anyOf'], property['oneOf'], property['allOf']].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  return [...(target?.found ? [target.schema] : []), ...forms].some(
    (each) => isJsonObject(each) && typeof each['description'] === 'string',
  );
}

/** A type that does not exist is passed over by some validators and refused by others. */
function typeFindings(schema: unknown, path: string): DefinitionFinding[] {
  if (!isJsonObject(schema)) return [];
  const unknown = [schema['type'] ?? []].flat().filter((type) => !TYPES.includes(String(type)));
  const place = path === '' ? undefined : path;
  return [
    ...unknown.map(
      (type): DefinitionFinding => ({
        check: 'schema-subset',
        level: 'error',
        place,
        what: `"type" is ${JSON.stringify(type)}, which does not exist`,
        advice: `Use ${TYPES.join(', ')}.`,
      }),
    ),
    ...Object.entries(isJsonObject(schema['properties']) ? schema['properties'] : {}).flatMap(
      ([name, child]) => typeFindings(child, path === '' ? name : `${path}.${name}`),
    ),
    ...typeFindings(schema['items'], `${path}[]`),
  ];
}

/** Lists the parts of a definition that providers can't be sent; the same words for several providers are one finding. */
function providerFindings({ name, description }: JudgedDefinition, schema: JsonObject): DefinitionFinding[] {
  const found = new Map<string, DefinitionFinding & { providers: Dialect[] }>();
  const add = (provider: Dialect, finding: DefinitionFinding): void => {
    const key = `${finding.place}\n${finding.what}`;
    const known = found.get(key) ?? { ...finding, providers: [] };
    known.providers.push(provider);
    found.set(key, known);
  };
  for (const provider of DIALECTS) {
    const compiled = compileTool({ name, description, parametersJsonSchema: schema }, provider);
    if ('setAside' in compiled)
      add(provider, {
        check: 'schema-subset',
        level: 'error',
        what: `not offered at all, because ${compiled.setAside.reason}`,
        advice: 'Describe the arguments by an object with plain types.',
      });
    else
      for (const { path, what } of compiled.tool.losses)
        add(provider, { check: 'schema-subset', level: 'note', place: path, what });
  }
  return [...found.values()];
}

export function definitionSentence({ place, what, providers, advice }: DefinitionFinding): string {
  const who = providers && providers.length < DIALECTS.length ? `${providers.join(' and ')}: ` : '';
  const where = place === undefined || place === 'parameters' ? '' : `parameters.${place}: `;
  return `${who}${where}${what}.${advice ? ` ${advice}` : ''}`;
}
