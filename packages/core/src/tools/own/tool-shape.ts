import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { Tool } from '../tools.js';
import { type DefinedTool, defineTool, type ToolDefinition, type ToolHost } from './define-tool.js';
import { definitionProblem } from './definition-problem.js';
import { OwnTool } from './own-tool.js';

const WANTED =
  'Give what defineTool makes, a class that extends BaseTool, or an object with the members of Tool.';
const FUNCTIONS = ['validateToolParams', 'getDescription', 'shouldConfirmExecute', 'execute'];

type ToolClass = new (host: ToolHost) => Tool;

/**
 * The tools among the exports of a file, by their shape and never by their class: the file may carry another copy of
 * ours. A class, the result of `defineTool`, a definition, or a tool as it is. Throws with what is wrong.
 */
export function toolsIn(exports: JsonObject, host: ToolHost): Tool[] {
  const whole = 'apiVersion' in exports ? toolFrom(exports, 'module.exports', host) : null;
  if (whole) return [whole];
  const tools: Tool[] = [];
  for (const [name, value] of Object.entries(exports)) {
    const tool = toolFrom(value, `the export ${name}`, host);
    if (tool && !tools.some((other) => other.name === tool.name)) tools.push(tool);
  }
  if (tools.length > 0) return tools;
  const names = Object.keys(exports).filter((name) => name !== '__esModule');
  throw new Error(
    `no tool is exported${names.length > 0 ? ` (only ${names.slice(0, 5).join(', ')})` : ''}. Export a class that extends BaseTool, or: export default defineTool({ apiVersion: 1, … })`,
  );
}

/** A tool that a program hands over: of any of the shapes a tool file may export. */
export type AnyTool = Tool | DefinedTool | ToolDefinition | ToolClass;

/** Throws a `TypeError` that names the place where the value stands. */
export function requireTool(value: unknown, place: string, host: ToolHost): Tool {
  const tool = toolFrom(value, place, host);
  if (tool) return tool;
  throw new TypeError(`${place} is not a tool. ${WANTED}`);
}

function toolFrom(value: unknown, name: string, host: ToolHost): Tool | null {
  if (isDefined(value)) return new OwnTool(value, host);
  if (isToolClass(value)) return complete(new value(host), name);
  if (!isJsonObject(value)) return null;
  if ('apiVersion' in value) {
    const problem = definitionProblem(value);
    if (problem !== null) throw new TypeError(`${name}: ${problem}`);
    return new OwnTool(defineTool(value as unknown as ToolDefinition), host);
  }
  return FUNCTIONS.some((member) => typeof value[member] === 'function')
    ? complete(value as unknown as Tool, name)
    : null;
}

function isDefined(value: unknown): value is DefinedTool {
  return isJsonObject(value) && value['apiVersion'] === 1 && isJsonObject(value['definition']);
}

function isToolClass(value: unknown): value is ToolClass {
  if (typeof value !== 'function') return false;
  const prototype: unknown = value.prototype;
  return typeof prototype === 'object' && prototype !== null && 'execute' in prototype;
}

function complete(tool: Tool, name: string): Tool {
  const members = tool as unknown as JsonObject;
  const missing = [
    ...['name', 'displayName', 'description'].filter((member) => typeof members[member] !== 'string'),
    ...(isJsonObject(members['parameterSchema']) ? [] : ['parameterSchema']),
    ...FUNCTIONS.filter((member) => typeof members[member] !== 'function'),
  ];
  if (missing.length > 0)
    throw new TypeError(`${name} is not a tool: ${missing.join(', ')} missing. ${WANTED}`);
  return tool;
}
