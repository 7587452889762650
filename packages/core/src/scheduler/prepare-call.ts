import { deepFreeze } from '@toolwright/machine/base/canonical-json.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { checkParams } from '@toolwright/machine/base/json-schema/json-schema.js';
import type { RawCall } from '../model/model.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { Tool } from '../tools/tools.js';
import { parseArguments } from './parse-call.js';

/** A call that is ready to be decided: tool found, params checked and frozen, effects declared. */
export interface PreparedCall {
  tool: Tool;
  params: Record<string, unknown>;
  effects: Effect[] | undefined;
  description: string;
  notes: string[];
}

/** Parse, look up, coerce, validate. Throws a `ToolError` for whatever the model can mend. */
export async function prepareCall(call: RawCall, registry: ToolRegistry): Promise<PreparedCall> {
  const { tool } = registry.require(call.name);
  const { args, notes } = await parseArguments(call);
  return acceptParams(tool, args, notes);
}

/** Also the second half of *modify*: new params of the same tool take the same way in. */
export async function acceptParams(
  tool: Tool,
  args: Record<string, unknown>,
  notes: string[] = [],
): Promise<PreparedCall> {
  const checked = checkParams(tool.parameterSchema, args, tool.parameterAliases);
  if (!checked.ok) throw invalidParams(tool, checked.problem);
  const params = deepFreeze(checked.params);
  const problem = tool.validateToolParams(params);
  if (problem !== null) throw invalidParams(tool, problem);
  return {
    tool,
    params,
    effects: await tool.effects?.(params),
    description: onOneLine(String(tool.getDescription(params))),
    notes: [...notes, ...checked.notes, ...unknownNotes(tool, params)],
  };
}

const LONGEST_DESCRIPTION = 500;

/** Names and patterns come from the model: a line break in one must not make a second line of a question. */
function onOneLine(text: string): string {
  const line = text.slice(0, LONGEST_DESCRIPTION + 1).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > LONGEST_DESCRIPTION ? `${line.slice(0, LONGEST_DESCRIPTION)}…` : line;
}

/** A model that is told nothing goes on believing that `append: true` did something. */
function unknownNotes(tool: Tool, params: Record<string, unknown>): string[] {
  const unknown = tool.unknownParameters?.(params) ?? [];
  const named = unknown.slice(0, 3).map((name) => JSON.stringify(name.slice(0, 60)));
  if (unknown.length > named.length) named.push('…');
  return named.length === 0 ? [] : [`${tool.name} has no parameter ${named.join(', ')}; it was ignored`];
}

function invalidParams(tool: Tool, problem: string): ToolError {
  return new ToolError('invalid_params', `${tool.name} was not run; its arguments do not fit:\n${problem}`);
}
