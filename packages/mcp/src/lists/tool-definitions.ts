import {
  canonical,
  DEEPEST,
  isDeeperThan,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
} from '@toolwright/machine/base/json.js';
import type { McpListing, McpToolDefinition, McpToolHints } from '../contract/connection.js';
import { quoteServer } from '../contract/failure.js';
import { isUsableName, plainText, textAt } from '../contract/plain-text.js';
import { readIcons } from './icons.js';
import { paramHeadersIn } from './param-headers.js';
import { schemaProblem } from './schema-problem.js';

export const LONGEST_NAME = 200;
export const LONGEST_DESCRIPTION = 20_000;
const PINNED = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'];

export interface ReadToolsOptions {
  /** Arguments are repeated in headers, so that tools whose declarations of them are wrong can't be called. */
  mirrorsArguments?: boolean;
  /** Tools that run as tasks only can be called. */
  offersTasks?: boolean;
}

/** Entry by entry: what is wrong with one tool is said of that tool and costs only it. */
export function readTools(
  entries: readonly unknown[],
  { mirrorsArguments = false, offersTasks = false }: ReadToolsOptions = {},
): McpListing<McpToolDefinition> {
  const items: McpToolDefinition[] = [];
  const warnings: string[] = [];
  const names = new Set<string>();
  entries.forEach((entry, index) => {
    const name = isJsonObject(entry) ? entry['name'] : undefined;
    if (!isJsonObject(entry) || !isUsableName(name, LONGEST_NAME)) {
      warnings.push(`Entry ${index + 1} of the tool list has no usable name and was left out.`);
    } else if (names.has(name)) {
      warnings.push(`The tool "${quoteServer(name)}" is listed more than once; the first one is used.`);
    } else if (isDeeperThan(entry, DEEPEST)) {
      warnings.push(`The tool "${quoteServer(name)}" was left out: its definition is nested too deep.`);
    } else {
      names.add(name);
      const tool = readTool(name, entry, warnings);
      const problem = tool && mirrorsArguments ? paramHeadersIn(tool.inputSchema) : null;
      if (typeof problem === 'string')
        warnings.push(`The tool "${quoteServer(name)}" was left out: ${quoteServer(problem)}.`);
      else if (tool?.asTask && !offersTasks)
        warnings.push(
          `The tool "${quoteServer(name)}" was left out: it only runs as a task, and the server offers none.`,
        );
      else if (tool) items.push(tool);
    }
  });
  return { items, warnings };
}

function readTool(name: string, entry: JsonObject, warnings: string[]): McpToolDefinition | null {
  const shown = quoteServer(name);
  const inputSchema = readInputSchema(entry['inputSchema']);
  if (typeof inputSchema === 'string') {
    warnings.push(`The tool "${shown}" was left out: its input schema can't be used, ${inputSchema}.`);
    return null;
  }
  const annotations = isJsonObject(entry['annotations']) ? entry['annotations'] : {};
  return {
    name,
    title: textAt(entry, 'title', 200) || textAt(annotations, 'title', 200),
    description: textAt(entry, 'description', LONGEST_DESCRIPTION),
    inputSchema,
    outputSchema: readOutputSchema(entry['outputSchema'], shown, warnings),
    hints: readHints(annotations),
    icons: readIcons(entry['icons']),
    asTask: runsAsTaskOnly(entry) || undefined,
    asSent: Object.fromEntries(PINNED.flatMap((key) => (key in entry ? [[key, entry[key]]] : []))),
  };
}

function runsAsTaskOnly({ execution }: JsonObject): boolean {
  return isJsonObject(execution) && execution['taskSupport'] === 'required';
}

/** The schema, or why there is none. */
export function readInputSchema(schema: unknown): JsonSchema | string {
  if (schema === undefined || schema === null) return { properties: {}, type: 'object' };
  const problem = schemaProblem(schema);
  if (problem !== null) return problem;
  const given = schema as JsonSchema;
  const types = [given['type'] ?? 'object'].flat();
  if (!types.includes('object')) return 'it describes something other than an object';
  const shown = withoutHidden(given['type'] === undefined ? { type: 'object', ...given } : given);
  return hidesSomething(shown) ? 'it has names or values with characters that nobody sees' : shown;
}

/** Finds invisible characters that can't be removed without changing the meaning: in names of properties, in values to choose from. */
function hidesSomething(value: unknown): boolean {
  if (typeof value === 'string') return plainText(value) !== value;
  if (Array.isArray(value)) return value.some(hidesSomething);
  return isJsonObject(value) && Object.entries(value).some((entry) => entry.some(hidesSomething));
}

/** Words for the reader. */
const words = new Set(['description', 'title', '$comment', 'default', 'examples']);

function readOutputSchema(schema: unknown, shown: string, warnings: string[]): JsonSchema | null {
  if (schema === undefined || schema === null) return null;
  const problem = schemaProblem(schema);
  if (problem === null) return schema as JsonSchema;
  warnings.push(`The output schema of "${shown}" is not used: ${problem}. The tool works without it.`);
  return null;
}

/** Hints with the defaults of the specification: a tool that says nothing is taken for a dangerous one. */
function readHints(annotations: JsonObject): McpToolHints {
  const readOnly = annotations['readOnlyHint'] === true;
  return {
    readOnly,
    destructive: !readOnly && annotations['destructiveHint'] !== false,
    idempotent: readOnly || annotations['idempotentHint'] === true,
    openWorld: annotations['openWorldHint'] !== false,
  };
}

/** Descriptions inside a schema reach the model like the tool's own; equal schemas become equal bytes. */
function withoutHidden(schema: JsonSchema): JsonSchema {
  const clean = (value: unknown, isText: boolean): unknown => {
    if (typeof value === 'string') return isText ? plainText(value) : value;
    if (Array.isArray(value)) return value.map((item) => clean(item, isText));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, clean(item, isText || words.has(key))]),
    );
  };
  return canonical(clean(schema, false)) as JsonSchema;
}
