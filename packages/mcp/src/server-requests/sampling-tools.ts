import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { McpSampleTool, McpToolChoice } from '../contract/connection.js';
import { quoteServer } from '../contract/failure.js';
import { isUsableName, textAt } from '../contract/plain-text.js';
import { LONGEST_DESCRIPTION, LONGEST_NAME, readInputSchema } from '../lists/tool-definitions.js';
import { invalidRequest } from './invalid-request.js';

export interface OfferedTools {
  tools: McpSampleTool[];
  toolChoice: McpToolChoice;
}

const MOST_TOOLS = 100;
const CHOICES: readonly McpToolChoice[] = ['auto', 'required', 'none'];

/** The tools that a sampling request offers to the model. One that can't be used refuses the whole request. */
export function readOfferedTools({ tools = [], toolChoice }: JsonObject): OfferedTools {
  if (!Array.isArray(tools)) throw invalid('"tools" is not a list');
  if (tools.length > MOST_TOOLS) throw invalid(`it offers ${tools.length} tools, more than ${MOST_TOOLS}`);
  const offered = tools.map(readTool);
  const names = new Set(offered.map(({ name }) => name));
  if (names.size < offered.length) throw invalid('it offers two tools of the same name');
  return { tools: offered, toolChoice: readChoice(toolChoice, offered.length > 0) };
}

function readTool(entry: unknown): McpSampleTool {
  const name = isJsonObject(entry) ? entry['name'] : undefined;
  if (!isJsonObject(entry) || !isUsableName(name, LONGEST_NAME)) throw invalid('a tool has no usable name');
  const inputSchema = readInputSchema(entry['inputSchema']);
  if (typeof inputSchema === 'string')
    throw invalid(`the input schema of the tool "${quoteServer(name)}" can't be used, ${inputSchema}`);
  return { name, description: textAt(entry, 'description', LONGEST_DESCRIPTION), inputSchema };
}

function readChoice(choice: unknown, hasTools: boolean): McpToolChoice {
  if (choice === undefined) return 'auto';
  const mode = isJsonObject(choice) ? (choice['mode'] ?? 'auto') : null;
  const known = CHOICES.find((name) => name === mode);
  if (known === undefined) throw invalid(`"toolChoice" must have a mode of ${CHOICES.join(', ')}`);
  if (known === 'required' && !hasTools) throw invalid('it requires a call but offers no tools');
  return known;
}

function invalid(what: string): Error {
  return invalidRequest('sampling', what);
}
