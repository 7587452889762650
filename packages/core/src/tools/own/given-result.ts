import { type PartListUnion, textOf, toParts } from '@toolwright/machine/base/content.js';
import { messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { Display } from '../display/display.js';
import { displayProblem } from '../display/display-problem.js';
import type { ToolResult } from '../tools.js';

/** Result of `run` of a defined tool: text, parts, a plain object, or a whole result, whose display may be left out. */
export type GivenResult = PartListUnion | WholeResult | (JsonObject & { llmContent?: never });

type WholeResult = Omit<ToolResult, 'returnDisplay'> & Partial<Pick<ToolResult, 'returnDisplay'>>;

const PART_MEMBERS = ['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse'];

/** Makes a result of what the author's code returned. Throws a `ToolError` that names the tool for anything else. */
export function resultFrom(given: unknown, tool: string): ToolResult {
  if (typeof given === 'string' || isPart(given) || isParts(given)) return resultOfContent(given);
  if (!isPlainObject(given)) throw new ToolError('failed', unusable(given, tool));
  return 'llmContent' in given ? completed(given, tool) : structured(given, tool);
}

function resultOfContent(content: PartListUnion): ToolResult {
  const attached = toParts(content).filter((part) => part.inlineData).length;
  const display = [textOf(content), attached ? `[${attached} attachment${attached > 1 ? 's' : ''}]` : ''];
  return { llmContent: content, returnDisplay: display.filter(Boolean).join('\n') };
}

/** A result without a display shows its content. */
function completed(given: JsonObject, tool: string): ToolResult {
  const { llmContent } = given;
  if (typeof llmContent !== 'string' && !isPart(llmContent) && !isParts(llmContent))
    throw new ToolError(
      'failed',
      `The tool ${tool} gave a result whose llmContent is neither text nor parts.`,
    );
  const { returnDisplay = resultOfContent(llmContent).returnDisplay, ...others } = given;
  const problem = displayProblem(returnDisplay);
  if (problem !== null)
    throw new ToolError('failed', `The tool ${tool} gave a returnDisplay that can't be shown: ${problem}`);
  return { ...(others as Omit<ToolResult, 'returnDisplay'>), returnDisplay: returnDisplay as Display };
}

/** The model reads the object as JSON; MCP clients get it as it is. */
function structured(given: JsonObject, tool: string): ToolResult {
  let text: string;
  try {
    text = JSON.stringify(given, null, 2);
  } catch (error) {
    throw new ToolError('failed', `The tool ${tool} gave an object that is not JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const structuredContent = JSON.parse(text) as JsonObject;
  return { llmContent: text, returnDisplay: `\`\`\`json\n${text}\n\`\`\``, structuredContent };
}

function isPart(value: unknown): value is Exclude<PartListUnion, unknown[]> {
  return isPlainObject(value) && PART_MEMBERS.some((member) => member in value) && !('llmContent' in value);
}

function isParts(value: unknown): value is Exclude<PartListUnion, string> {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' || isPart(each));
}

/** Objects of another realm are plain, too: a tool file runs in a thread of its own. */
function isPlainObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** True for the error that `resultFrom` gives in place of a result that can't be used. */
export function isUnusable({ error }: ToolResult, tool: string): boolean {
  return error?.code === 'failed' && error.message.startsWith(`The tool ${tool} gave `);
}

function unusable(given: unknown, tool: string): string {
  const kind = Array.isArray(given)
    ? 'a list that holds something else than text and parts'
    : given === undefined || given === null
      ? `${given}`
      : typeof given === 'object'
        ? `an object of the class ${given.constructor?.name}`
        : `a ${typeof given}`;
  return `The tool ${tool} gave ${kind}. A tool gives text, parts, a plain object, or a result with llmContent and returnDisplay.`;
}
