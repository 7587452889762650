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
  values?: Record<string, string>;
}

/** The name in rules: `Mcp(server/read_resource)`. */
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
      description: `Reads a resource of the MCP server ${alias}. Without a uri it lists the resources and templates that there are.`,
      parameterSchema: {
        type: 'object',
        properties: {
          uri: {
            type: 'string',
            description: 'The address of the resource, or a template, as the list has it.',
          },
          values: {
            type: 'object',
            additionalProperties: { type: 'string' },
            description: 'For a template: a value for each name in braces.',
          },
        },
      },
    });
    this.#server = server;
  }

  override getDescription({ uri, values }: ReadResourceParams): string {
    const { alias } = this.#server.config;
    if (uri === undefined) return `List the resources of the MCP server ${alias}`;
    const given = values ? ` with ${JSON.stringify(values)}` : '';
    return `Read ${uri}${given} of the MCP server ${alias}`;
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

  protected override run({ uri, values }: ReadResourceParams, signal: AbortSignal): Promise<ToolResult> {
    return this.#server.use(async (connection) => {
      if (uri === undefined) return list(connection, signal);
      return read(connection, values ? await filledIn(uri, values) : uri, signal);
    }, signal);
  }
}

async function filledIn(template: string, values: Record<string, string>): Promise<string> {
  const { expandTemplate } = await import('@toolwright/mcp/lists/expand-template.js');
  return expandTemplate(template, values);
}

async function list(connection: McpConnection, signal: AbortSignal): Promise<ToolResult> {
  const { items: resources } = await connection.listResources(signal);
  const { items: templates } = await connection.listResourceTemplates(signal);
  const changed = new Set(connection.changedResources());
  const lines = [
    ...resources.map((resource) =>
      lineOf(resource.uri, resource, changed.has(resource.uri) ? '(changed since you read it)' : ''),
    ),
    ...templates.map((template) => lineOf(template.uriTemplate, template, '(template)')),
  ];
  const more = lines.length - MOST_LISTED;
  const shown = more > 0 ? [...lines.slice(0, MOST_LISTED), `… and ${more} more`] : lines;
  const text = shown.length === 0 ? 'The server lists no resources.' : shown.join('\n');
  return { llmContent: text, returnDisplay: text };
}

/** The resource, with word of others that have changed since they were read: from then on the model can't rely on them. */
async function read(connection: McpConnection, uri: string, signal: AbortSignal): Promise<ToolResult> {
  // Before it is read, so that no change is missed. One that can't be subscribed to is read all the same.
  await connection.subscribe(uri, signal).catch(() => signal.throwIfAborted());
  const content = await connection.readResource(uri, signal);
  const changed = connection.changedResources().filter((other) => other !== uri);
  return resultOf(content, changed);
}

function resultOf({ parts, warnings }: McpContent, changed: readonly string[]): ToolResult {
  const content = [
    ...parts,
    ...warnings.map((warning) => ({ text: `[${warning}]` })),
    ...changed.map((uri) => ({ text: `[${uri} has changed since you read it.]` })),
  ];
  return {
    llmContent: content.length > 0 ? content : 'The resource is empty.',
    returnDisplay: textOf(content, '\n') || '(no text)',
  };
}

function lineOf(
  address: string,
  { name, title, mimeType, description }: Pick<McpResource, 'name' | 'title' | 'mimeType' | 'description'>,
  note: string,
): string {
  const about = [note, title || (name === address ? '' : name), mimeType && `(${mimeType})`, description]
    .filter((part) => part !== '')
    .join(' ')
    .replace(/\s+/g, ' ');
  return about === '' ? address : `${address}  ${about.slice(0, 300)}`;
}
