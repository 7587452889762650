import { existsSync, readFileSync } from 'node:fs';
import { textOf } from '@toolwright/machine/base/content.js';
import { messageOf, toolErrorCodes } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { Tool, ToolResult } from '../../tools/tools.js';
import { type Finding, finding } from '../finding.js';

/** A call of a tool and the result it must have. */
export interface ToolTestCall {
  args: JsonObject;
  /** Text that the answer must contain. */
  output?: string;
  /** The call must fail, with this code. */
  error?: string;
}

/** The test of a tool, as data: `NAME.test.json` beside it. */
export interface ToolTest {
  /** Files in the folder the tool works in, by path. */
  files: Record<string, string>;
  calls: ToolTestCall[];
}

const EXAMPLE =
  '{"v": 1, "files": {"a.txt": "one two"}, "calls": [{"args": {"path": "a.txt"}, "output": "2 words"}]}';

/** Reads a test. Throws with what to write. */
export function readToolTest(text: string): ToolTest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not JSON (${messageOf(error)}). Write ${EXAMPLE}`);
  }
  if (!isJsonObject(value) || value['v'] !== 1) throw new Error(`"v": 1 is missing. Write ${EXAMPLE}`);
  const { files = {}, calls } = value;
  if (!isJsonObject(files) || Object.values(files).some((content) => typeof content !== 'string'))
    throw new Error('"files" must hold the content of each file as text.');
  if (!Array.isArray(calls) || calls.length === 0)
    throw new Error(`"calls" must hold at least one call. Write ${EXAMPLE}`);
  return { files: files as Record<string, string>, calls: calls.map(readCall) };
}

function readCall(value: unknown, index: number): ToolTestCall {
  const place = `"calls"[${index}]`;
  if (!isJsonObject(value) || !isJsonObject(value['args']))
    throw new Error(`${place} needs "args", the arguments of the call as an object.`);
  const { args, output, error } = value;
  if (output !== undefined && typeof output !== 'string')
    throw new Error(`${place}: "output" must be text that the answer contains.`);
  if (error !== undefined && !(toolErrorCodes as readonly unknown[]).includes(error))
    throw new Error(`${place}: "error" must be one of ${toolErrorCodes.join(', ')}.`);
  return { args: args as JsonObject, output, error: error as string | undefined };
}

/** Executes a call; null when it gave no result, and that was told elsewhere. */
type ExecuteCall = (args: JsonObject, signal: AbortSignal) => Promise<ToolResult | null>;

/** Makes the calls one after the other; no findings means that all was answered as written. */
export async function runToolTest(
  tool: Tool,
  { calls }: ToolTest,
  signal: AbortSignal,
  execute: ExecuteCall = (args) => tool.execute(args, signal),
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const call of calls) {
    signal.throwIfAborted();
    const result = await execute(structuredClone(call.args), signal);
    const problem = result === null ? null : problemOf(call, result);
    if (problem !== null) findings.push(finding('test', `${JSON.stringify(call.args)} ${problem}`));
  }
  return findings;
}

function problemOf({ output, error }: ToolTestCall, result: ToolResult): string | null {
  const said = JSON.stringify(textOf(result.error ? result.error.message : result.llmContent).slice(0, 300));
  if (error !== undefined && result.error?.code !== error)
    return `should fail with ${error}, but ${result.error ? `failed with ${result.error.code}: ${said}` : `answered ${said}`}.`;
  if (error === undefined && result.error)
    return `should succeed, but failed with ${result.error.code}: ${said}.`;
  const text = result.error ? result.error.message : textOf(result.llmContent);
  return output !== undefined && !text.includes(output)
    ? `should answer ${JSON.stringify(output)}, but answered ${said}.`
    : null;
}

/** The test of a tool, and the file it was found in. */
export interface FoundToolTest {
  path: string;
  test: ToolTest;
}

/** The test in the first of these files that is there; null when none is. Throws with the file when it is no test. */
export function findToolTest(paths: readonly string[]): FoundToolTest | null {
  const path = paths.find((candidate) => existsSync(candidate));
  if (path === undefined) return null;
  try {
    return { path, test: readToolTest(readFileSync(path, 'utf8')) };
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}
