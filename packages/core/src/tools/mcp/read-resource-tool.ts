import { textOf } from '@toolwright/machine/base/content.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import type { McpConnection, McpContent, McpResource } from '@toolwright/mcp/contract/connection.js';
import { BaseTool, type ConfirmationDetails, type ToolResult } from '../tools.js';
import { mcpToolName } from './mcp-tool.js';

/** A server with resources, as far as the tool needs it. */
export interface McpResourceServer {
  readonly config: { readonly alias: string };
  use<Result>(work: (connection: McpConnection) => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

interface ReadResourceParams {
  uri?: string;
}

/** As rules name it: `Mcp(server/read_resource)`. */
export const READ_RESOURCE = 'read_resource';
const MOST_LISTED = 200;

/** Reads a resource of one MCP server, or lists what there is. */
export class ReadMcpResourceTool extends BaseTool<ReadResourceParams> {
  readonly #server: McpResourceServer;

  constructor(server: McpResourceServer) {
    const { alias } = server.config;
    super({
      name: mcpToolName(alias, READ_RESOURCE),
      displayName: `Read a resource (${alias})`,
      description: `Reads a resource of the MCP server ${alias}. Without a uri it lists the resources that there are.`,
      parameterSchema: {
        type: 'object',
        properties: {
          uri: { type: 'string', description: 'The address of the resource, as the list has it.' },
        },
      },
    });
    this.#server = server;
  }

  override getDescription({ uri }: ReadResourceParams): string {
    const { alias } = this.#server.config;
    return uri === undefined
      ? `List the resources of the MCP server ${alias}`
      : `Read ${uri} of the MCP server ${alias}`;
  }

  override effects(_params: ReadResourceParams): Effect[] {
    return [{ kind: 'mcp', server: this.#server.config.alias, tool: READ_RESOURCE }];
  }

  protected override async confirmation(params: ReadResourceParams): Promise<ConfirmationDetails> {
    return {
      kind: 'mcp',
      title: this.getDescription(params),
      server: this.#server.config.alias,
      tool: READ_RESOURCE,
      arguments: { ...params },
      effects: this.effects(params),
    };
  }

  protected override async run({ uri }: ReadResourceParams, signal: AbortSignal): Promise<ToolResult> {
    if (uri !== undefined)
      return resultOf(await this.#server.use((connection) => connection.readResource(uri, signal), signal));
    const { items } = await this.#server.use((connection) => connection.listResources(signal), signal);
    const text = listText(items);
    return { llmContent: text, returnDisplay: text };
  }
}

function resultOf({ parts, warnings }: McpContent): ToolResult {
  const content = [...parts, ...warnings.map((warning) => ({ text: `[${warning}]` }))];
  return {
    llmContent: content.length > 0 ? content : 'The resource is empty.',
    returnDisplay: textOf(content, '\n') || '(no text)',
  };
}

function listText(resources: readonly McpResource[]): string {
  if (resources.length === 0) return 'The server lists no resources.';
  const lines = resources.slice(0, MOST_LISTED).map(({ uri, name, title, description, mimeType }) => {
    const about = [title || (name === uri ? '' : name), mimeType && `(${mimeType})`, description]
      .filter((part) => part !== '')
      .join(' ')
      .replace(/\s+/g, ' ');
    return about === '' ? uri : `${uri}  ${about.slice(0, 300)}`;
  });
  const more = resources.length - lines.length;
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n');
}
