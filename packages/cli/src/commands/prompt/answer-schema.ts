import type { AgentResult, JsonSchema } from '@toolwright/core';
import { isJsonObject, messageOf, readRegularFile, validateJson } from '@toolwright/core/front-end';
import { UsageError } from '../../base/exit-codes.js';

/** The flag names a file, or is the schema itself. */
export async function readSchema(given: string): Promise<JsonSchema> {
  const text = given.trimStart().startsWith('{') ? given : textOfFile(given);
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--json-schema: it is not JSON: ${messageOf(error)}`);
  }
  if (isJsonObject(schema)) return schema;
  throw new UsageError('--json-schema: a schema is an object.');
}

const LARGEST_SCHEMA = 4 * 1024 * 1024;

function textOfFile(path: string): string {
  try {
    return readRegularFile(path, LARGEST_SCHEMA).toString('utf8');
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new UsageError(
      `--json-schema ${path} can't be read: ${isGone ? 'there is no such file.' : messageOf(error)}`,
    );
  }
}

/** The instruction that goes to the model beside its others. */
export function schemaInstruction(schema: JsonSchema): string {
  return `Your last message must be one JSON value and nothing else, without a code fence. It must fit this JSON Schema:\n${JSON.stringify(schema)}`;
}

const MENDS = 2;

interface Prompting {
  schema: JsonSchema;
  /** Asks the model once more, with what is left of the limits; the result counts both. */
  again(prompt: string, earlier: AgentResult): Promise<AgentResult>;
}

/** The run with an answer that fits the schema; after two attempts to mend it the run has failed. */
export async function fitAnswer(
  first: AgentResult,
  { schema, again }: Prompting,
): Promise<{ result: AgentResult; value?: unknown }> {
  let result = first;
  for (let mended = 0; result.reason === 'done'; mended++) {
    const read = readAnswer(result.response, schema);
    if ('value' in read) return { result, value: read.value };
    if (mended === MENDS) {
      const message = `The answer does not fit the schema, even after ${MENDS} attempts to correct it: ${read.problem}`;
      return { result: { ...result, reason: 'failed', error: { kind: 'schema', message } } };
    }
    result = await again(
      `Your last message does not fit the schema: ${read.problem}\nAnswer again with the JSON value alone.`,
      result,
    );
  }
  return { result };
}

function readAnswer(text: string, schema: JsonSchema): { value: unknown } | { problem: string } {
  const [, fenced] = /^\s*```(?:json)?\n([\s\S]*?)\n```\s*$/.exec(text) ?? [];
  let value: unknown;
  try {
    value = JSON.parse(fenced ?? text);
  } catch (error) {
    return { problem: `it is not JSON (${messageOf(error)})` };
  }
  const problem = validateJson(schema, value);
  return problem === null ? { value } : { problem };
}
