import { TOOL_NAME, textOf } from '@toolwright/machine/base/content.js';
import { sha256OfText } from '@toolwright/machine/base/digest/sha256.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { abortReason, describeAbort, isToolError, ToolError } from '@toolwright/machine/base/errors.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import type {
  McpCallOptions,
  McpCallResult,
  McpProgress,
  McpToolDefinition,
} from '@toolwright/mcp/contract/connection.js';
import type { JudgedDefinition } from '../definition/judge-definition.js';
import { BaseTool, type ConfirmationDetails, type OnUpdate, type ToolResult } from '../tools.js';

/** The server a tool belongs to, as far as the tool needs it. */
export interface McpToolServer {
  readonly config: { readonly alias: string; readonly trust: boolean };
  tools(): McpToolDefinition[];
  call(tool: string, args: JsonObject, options: McpCallOptions): Promise<McpCallResult>;
}

const LONGEST_NAME = 64;
const LONGEST_ALIAS = 24;
const HASH_CHARACTERS = 8;
const LONGEST_DESCRIPTION = 4_000;

/**
 * A tool of an MCP server. What the server says about it is text for the model and grants nothing; only a server that the user trusts is
 * believed that a repeat changes nothing.
 */
export class DiscoveredMCPTool extends BaseTool<JsonObject> {
  readonly isRepeatable: boolean;
  readonly #server: McpToolServer;
  readonly #definition: McpToolDefinition;

  constructor(server: McpToolServer, definition: McpToolDefinition) {
    const { alias } = server.config;
    super({
      name: mcpToolName(alias, definition.name),
      displayName: `${definition.title || definition.name} (${alias})`,
      description: describe(alias, definition),
      parameterSchema: definition.inputSchema,
    });
    this.isRepeatable = definition.hints.idempotent && server.config.trust;
    this.#server = server;
    this.#definition = definition;
  }

  override getDescription(_params: JsonObject): string {
    return `Call ${this.#definition.name} on the MCP server ${this.#server.config.alias}`;
  }

  override effects(_params: JsonObject): Effect[] {
    return [{ kind: 'mcp', server: this.#server.config.alias, tool: this.#definition.name }];
  }

  /** Many servers take more than they list; what is too much is theirs to say. */
  override unknownParameters(_params: JsonObject): string[] {
    return [];
  }

  protected override async confirmation(params: JsonObject): Promise<ConfirmationDetails> {
    return {
      kind: 'mcp',
      title: this.getDescription(params),
      server: this.#server.config.alias,
      tool: this.#definition.name,
      arguments: params,
      effects: this.effects(params),
    };
  }

  protected override async run(
    params: JsonObject,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
  ): Promise<ToolResult> {
    const { name, asSent } = this.#definition;
    try {
      const result = await this.#server.call(name, params, {
        signal,
        consented: asSent,
        onProgress: (progress) => onUpdate?.(`${progressLine(progress)}\n`),
      });
      return resultOf(result);
    } catch (error) {
      if (isToolError(error) || !signal.aborted) throw error;
      throw new ToolError(
        abortReason(signal).kind === 'timeout' ? 'timeout' : 'cancelled',
        `The call was ${describeAbort(signal)}. The server was told to stop, but may have done some of it: check before calling again.`,
      );
    }
  }
}

function resultOf({ parts, warnings, isError, replayed }: McpCallResult): ToolResult {
  const notes = [
    ...(replayed ? ['The connection was lost on the way; the call was sent again.'] : []),
    ...warnings,
  ].map((note) => ({ text: `[${note}]` }));
  const content = [...parts, ...notes];
  const text = textOf(content, '\n');
  const media = parts.flatMap(({ inlineData }) => (inlineData ? [`[${inlineData.mimeType ?? 'data'}]`] : []));
  const shown = [text, ...media].filter((line) => line !== '').join('\n') || '(no content)';
  return {
    llmContent: content.length > 0 ? content : 'The tool gave no content.',
    returnDisplay: shown,
    error: isError
      ? { code: 'failed', message: textOf(parts) || 'The tool failed and said nothing.' }
      : undefined,
  };
}

function progressLine({ progress, total, message }: McpProgress): string {
  const amount = total === undefined ? String(progress) : `${progress}/${total}`;
  return message ? `${amount} ${message}` : amount;
}

function describe(alias: string, { name, title, description }: McpToolDefinition): string {
  const text = description || title || `The tool ${name} of the MCP server ${alias}.`;
  return text.length > LONGEST_DESCRIPTION ? `${text.slice(0, LONGEST_DESCRIPTION)}…` : text;
}

/**
 * `alias__tool` where that is a name providers take and that nothing else can give; else what can be kept of it and a
 * hash of the whole, so that names that differ stay different.
 */
export function mcpToolName(alias: string, tool: string): string {
  const plain = `${alias}__${tool}`;
  const isAmbiguous = alias.includes('__') || alias.endsWith('_');
  if (!isAmbiguous && TOOL_NAME.test(plain)) return plain;
  const hash = sha256OfText(`${alias}\0${tool}`).slice(0, HASH_CHARACTERS);
  const kept = (text: string, length: number): string =>
    text.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, length);
  const head = `${kept(alias, LONGEST_ALIAS)}__`;
  return `${head}${kept(tool, LONGEST_NAME - head.length - HASH_CHARACTERS - 1)}_${hash}`;
}

/** The definition of an MCP tool as its author wrote it, to be judged. */
export function judgedMcpTool(
  alias: string,
  { name, description, inputSchema, asSent }: McpToolDefinition,
): JudgedDefinition {
  const isAnnotated = asSent['annotations'] !== undefined;
  return {
    name,
    description,
    parameterSchema: inputSchema,
    server: { declaredAs: mcpToolName(alias, name), isAnnotated },
  };
}
