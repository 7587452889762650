import { ToolError } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import { overText } from '../../model/over-text.js';
import type { Caller } from '../caller/caller.js';
import { askedText, type PageText } from './page-text.js';
import { type PageTool, pageTools } from './page-tools.js';

export interface AskedPage {
  prompt: string;
  page: PageText;
  /** The word that marks the page as data. */
  secret: string;
}

const MAX_TOKENS = 2_000;
const MOST_ROUNDS = 6;
const MOST_USES = 8;

/**
 * Asks the model of the calling program about a page. Where that program takes tools, the model gets the beginning and
 * looks for the rest itself; otherwise it gets as much of the page as fits.
 */
export async function askCaller(caller: Caller, asked: AskedPage, signal: AbortSignal): Promise<string> {
  const tools = caller.takes('sampling/createMessage', 'tools') ? pageTools(asked.page, asked.secret) : null;
  const text = tools ? tools.beginning : askedText(asked.page, asked.secret);
  const { system, message } = overText(asked.prompt, text);
  const messages: JsonObject[] = [{ role: 'user', content: { type: 'text', text: message } }];
  for (let round = 1; ; round += 1) {
    const isLast = round === MOST_ROUNDS;
    const given = tools && {
      tools: tools.list.map(declared),
      toolChoice: { mode: isLast ? 'none' : 'auto' },
    };
    const params = { systemPrompt: system, maxTokens: MAX_TOKENS, messages, ...given };
    const blocks = blocksIn(await sample(caller, params, signal));
    const uses = blocks.filter(isToolUse);
    if (uses.length === 0 || isLast) return textIn(blocks);
    if (!tools || uses.length > MOST_USES) throw unasked(uses);
    messages.push({ role: 'assistant', content: blocks });
    messages.push({ role: 'user', content: uses.map((use) => resultOf(use, tools.list)) });
  }
}

async function sample(caller: Caller, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
  const answers = await caller.ask({ page: { method: 'sampling/createMessage', params } }, signal);
  return answers['page'] ?? {};
}

interface ToolUse extends JsonObject {
  type: 'tool_use';
  id: string;
  name: string;
  input: JsonObject;
}

/** Only what is understood here goes back to the model with the next request. */
function blocksIn({ content }: JsonObject): JsonObject[] {
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  return blocks.filter(isJsonObject).filter((block) => isText(block) || isToolUse(block));
}

function isText(block: JsonObject): block is { type: 'text'; text: string } {
  return block['type'] === 'text' && typeof block['text'] === 'string';
}

function isToolUse(block: JsonObject): block is ToolUse {
  const { type, id, name, input } = block;
  return type === 'tool_use' && typeof id === 'string' && typeof name === 'string' && isJsonObject(input);
}

function textIn(blocks: readonly JsonObject[]): string {
  return blocks
    .filter(isText)
    .map(({ text }) => text)
    .join('\n');
}

function declared({ name, description, inputSchema }: PageTool): JsonObject {
  return { name, description, inputSchema };
}

/** A wrong call is answered, so that the model can do better; it only costs one of its rounds. */
function resultOf({ id, name, input }: ToolUse, tools: readonly PageTool[]): JsonObject {
  const tool = tools.find((each) => each.name === name);
  const names = tools.map((each) => each.name).join(', ');
  const text = tool ? tool.run(input) : `There is no tool ${foreignText(name)}. The tools are: ${names}.`;
  return { type: 'tool_result', toolUseId: id, content: [{ type: 'text', text }], isError: !tool };
}

function unasked(uses: readonly ToolUse[]): ToolError {
  const names = [...new Set(uses.map(({ name }) => foreignText(name)))].slice(0, 3).join(', ');
  return new ToolError(
    'failed',
    `the client answered with ${uses.length} calls of ${names}, which nobody offered it`,
  );
}
