import {
  isDeeperThan,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
} from '@toolwright/machine/base/json.js';
import { validate } from '@toolwright/machine/base/json-schema/json-schema.js';
import { structuredPart, toParts } from '../content/to-parts.js';
import type { McpCallResult } from '../contract/connection.js';

const DEEPEST_RESULT = 200;

/** A tool's answer as parts. What does not fit the tool's own output schema is said, not refused. */
export function readCallResult(result: JsonObject, outputSchema: JsonSchema | null): McpCallResult {
  const isError = result['isError'] === true;
  const { parts, warnings } = toParts(Array.isArray(result['content']) ? result['content'] : []);
  const structured = structuredIn(result, warnings);
  if (structured) {
    const part = structuredPart(structured, parts);
    if (part) parts.push(part);
  }
  if (outputSchema && !isError) warnings.push(...outputProblems(outputSchema, structured));
  return { parts, warnings, isError, structured, replayed: false };
}

/** The first revision of the protocol called it `toolResult`. */
function structuredIn(result: JsonObject, warnings: string[]): JsonObject | null {
  const given = result['structuredContent'] ?? result['toolResult'];
  if (given === undefined || given === null) return null;
  if (isDeeperThan(given, DEEPEST_RESULT)) {
    warnings.push(`Left out: structured content that is nested more than ${DEEPEST_RESULT} levels deep.`);
    return null;
  }
  return isJsonObject(given) ? given : { value: given };
}

function outputProblems(schema: JsonSchema, structured: JsonObject | null): string[] {
  if (structured === null) return ['The tool declares structured output but gave none.'];
  const problem = validate(schema, structured);
  return problem === null ? [] : [`The structured output does not fit the tool's own schema: ${problem}`];
}
