import {
  isDeeperThan,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
} from '@toolwright/machine/base/json.js';
import { validate } from '@toolwright/machine/base/json-schema/json-schema.js';
import { saysAll, toParts } from '../content/to-parts.js';
import type { McpCallResult } from '../contract/connection.js';

const DEEPEST_RESULT = 200;

/** A tool's answer as parts. What does not fit the tool's own output schema is said, not refused. */
export function readCallResult(result: JsonObject, outputSchema: JsonSchema | null): McpCallResult {
  const isError = result['isError'] === true;
  const structuredWarnings: string[] = [];
  const structured = structuredIn(result, structuredWarnings);
  const blocks: unknown[] = Array.isArray(result['content']) ? result['content'] : [];
  const content = toParts(structured === null ? blocks : textOrStructured(blocks, structured, isError));
  const { parts } = content;
  const warnings = [...content.warnings, ...structuredWarnings];
  if (outputSchema && !isError) warnings.push(...outputProblems(outputSchema, structured));
  return { parts, warnings, isError, structured, replayed: false };
}

/** The model gets the structured content in place of the texts where they say less, and never both. */
function textOrStructured(blocks: unknown[], structured: JsonObject, isError: boolean): unknown[] {
  const isText = (block: unknown): boolean => isJsonObject(block) && block['type'] === 'text';
  const texts = blocks.flatMap((block) =>
    isJsonObject(block) && isText(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  );
  if (texts.length > 0 && (isError || saysAll(texts, structured))) return blocks;
  const text = JSON.stringify(structured, null, 2);
  return [{ type: 'text', text }, ...blocks.filter((block) => !isText(block))];
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
