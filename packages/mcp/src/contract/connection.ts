import type { Message, Part } from '@toolwright/machine/base/content.js';
import { ToolError, type ToolErrorCode } from '@toolwright/machine/base/errors.js';
import type { JsonObject, JsonSchema } from '@toolwright/machine/base/json.js';

/** A connection to a server, kept as long as it is wanted: a lost one is made again with the next request. */
export interface McpConnection {
  readonly info: McpServerInfo;
  readonly state: McpServerState;
  /** Every page; only the tools that the configuration includes. A definition that can't be used is a warning, not a failure. */
  listTools(signal: AbortSignal): Promise<McpListing<McpToolDefinition>>;
  callTool(name: string, args: JsonObject, options: McpCallOptions): Promise<McpCallResult>;
  listPrompts(signal: AbortSignal): Promise<McpListing<McpPrompt>>;
  getPrompt(name: string, args: Record<string, string>, signal: AbortSignal): Promise<McpPromptText>;
  listResources(signal: AbortSignal): Promise<McpListing<McpResource>>;
  /** Templates of addresses; none where the server knows no templates. */
  listResourceTemplates(signal: AbortSignal): Promise<McpListing<McpResourceTemplate>>;
  readResource(uri: string, signal: AbortSignal): Promise<McpContent>;
  /** Asks to be told when the resource changes; false where the server does not tell. The oldest of many gives way. */
  subscribe(uri: string, signal: AbortSignal): Promise<boolean>;
  unsubscribe(uri: string, signal: AbortSignal): Promise<void>;
  /** Resources subscribed to that have changed since they were read. */
  changedResources(): string[];
  /** Values that fit the text typed so far; none where the server offers no completion. */
  complete(request: McpCompletionRequest, signal: AbortSignal): Promise<string[]>;
  /** The last lines that the server wrote to its standard error; empty over HTTP. */
  stderrTail(): string;
  /** Ends the server's processes, too, and waits until they are gone. */
  close(): Promise<void>;
}

/** `lost`: it went away, and the next request connects again. `failed`: it could not be started. */
export type McpServerState = 'not started' | 'starting' | 'ready' | 'lost' | 'stopping' | 'failed' | 'closed';

export interface McpServerInfo {
  alias: string;
  /** The name that the server gives itself. Untrusted text, as everything below. */
  name: string;
  version: string;
  instructions: string;
  icons?: McpIcon[];
  protocolVersion: string;
  transport: 'stdio' | 'http' | 'sse';
  /** A program that the sandbox holds. */
  confined: boolean;
  offers: {
    tools: boolean;
    prompts: boolean;
    resources: boolean;
    /** True if the server tells when a resource changes. */
    resourceChanges: boolean;
    completions: boolean;
    logging: boolean;
    /** True if some of the server's tools may run as tasks. */
    tasks: boolean;
  };
  /** The time of each stage, in milliseconds. Over HTTP `spawnMs` is 0. */
  timings: { spawnMs: number; initializeMs: number };
}

/** A list of a server, with sentences about the items that were left out or repaired. */
export interface McpListing<Item> {
  items: Item[];
  /** A sentence for each entry that was left out or repaired. */
  warnings: string[];
}

/** A server's own claims about a tool: hints, never grants. */
export interface McpToolHints {
  readOnly: boolean;
  destructive: boolean;
  idempotent: boolean;
  openWorld: boolean;
}

/** A picture that stands for something. Untrusted: whoever shows it decides whether to fetch its address. */
export interface McpIcon {
  /** An https address, or the picture itself as a `data:` address. */
  src: string;
  mimeType: string;
  sizes: string[];
}

/** A tool as its server defines it. */
export interface McpToolDefinition {
  /** The name in the spelling of the server. */
  name: string;
  title: string;
  /** Control and invisible characters taken out. */
  description: string;
  /** The schema, its members in canonical order. */
  inputSchema: JsonSchema;
  /** Null when there is none, or none that can be used. */
  outputSchema: JsonSchema | null;
  hints: McpToolHints;
  icons?: McpIcon[];
  /** True if the tool runs as a task only. Known of a server that runs. */
  asTask?: boolean;
  /** Name, title, description, schemas and annotations as they came: what consent is bound to. */
  asSent: JsonObject;
}

export interface McpProgress {
  progress: number;
  total?: number;
  message?: string;
}

/** The options of a call of a server's tool. */
export interface McpCallOptions {
  signal: AbortSignal;
  onProgress?(progress: McpProgress): void;
  /** The definition that was consented to, as `asSent`. A server that has changed it since is not called. */
  consented?: JsonObject;
}

/** Content for the model: text, and media whose bytes were looked at. */
export interface McpContent {
  parts: Part[];
  /** Notes on what was cut, left out, or does not fit the tool's output schema. */
  warnings: string[];
}

/** The result of a server's tool. */
export interface McpCallResult extends McpContent {
  /** The tool itself says that it failed; the parts say how. */
  isError: boolean;
  structured: JsonObject | null;
  /** The connection was lost and the call was sent again. */
  replayed: boolean;
}

/** A prompt that a server offers. */
export interface McpPrompt {
  name: string;
  title: string;
  description: string;
  icons?: McpIcon[];
  arguments: { name: string; description: string; required: boolean }[];
}

export interface McpPromptText {
  description: string;
  messages: Message[];
  warnings: string[];
}

export interface McpResource {
  uri: string;
  name: string;
  title: string;
  description: string;
  icons?: McpIcon[];
  mimeType: string;
  /** The size in bytes, where the server gives it. */
  size: number | null;
}

/** A pattern of addresses under which a server has resources. */
export interface McpResourceTemplate
  extends Pick<McpResource, 'name' | 'title' | 'description' | 'icons' | 'mimeType'> {
  /** An address with names in braces, as RFC 6570 has it. */
  uriTemplate: string;
}

export interface McpCompletionRequest {
  of: { prompt: string };
  argument: string;
  typed: string;
  /** Arguments that are already filled in. */
  others?: Record<string, string>;
}

/** A server asks the user something while it works on a call. */
export type McpElicitRequest =
  | { kind: 'form'; server: string; message: string; schema: JsonSchema }
  | { kind: 'url'; server: string; message: string; url: string };

/** The user's answer to a question of a server. */
export type McpElicitAnswer =
  | { action: 'accept'; content?: Record<string, string | number | boolean | string[]> }
  | { action: 'decline' }
  | { action: 'cancel' };

/** A server asks for an answer of the model. Within the budget already. */
export interface McpSampleRequest {
  server: string;
  messages: Message[];
  systemPrompt: string;
  maxTokens: number;
  temperature: number | null;
  stopSequences: string[];
  /** Tools of the server that the model may call; the server carries the calls out and asks again with their results. */
  tools: McpSampleTool[];
  toolChoice: McpToolChoice;
  /** The budget that is left after this request. */
  left: { requests: number; tokens: number };
}

/** A tool that the model knows for one sampling request. */
export type McpSampleTool = Pick<McpToolDefinition, 'name' | 'description' | 'inputSchema'>;

/** `required`: the model must call a tool; `none`: it must not. */
export type McpToolChoice = 'auto' | 'required' | 'none';

/** A call that a model makes while a server asks it something. */
export interface McpSampleCall {
  id: string;
  name: string;
  args: JsonObject;
}

/** Null when the user refused. */
export type McpSampleAnswer = {
  text: string;
  /** The calls that the model asks for. */
  calls?: McpSampleCall[];
  model: string;
  stopReason?: string;
} | null;

export interface McpLogLine {
  server: string;
  level: string;
  text: string;
}

export interface McpRoot {
  /** `file:///…` */
  uri: string;
  name: string;
}

export type McpStage = 'start' | 'sign in' | 'initialize' | 'list' | 'call' | 'read' | 'complete';

export interface McpFailureDetails {
  server: string;
  stage: McpStage;
  code: ToolErrorCode;
  message: string;
  cause?: unknown;
}

/** A server that failed, in a message that names it, the stage, what happened, its last words and what to do. */
export class McpFailure extends ToolError {
  readonly server: string;
  readonly stage: McpStage;

  constructor({ server, stage, code, message, cause }: McpFailureDetails) {
    super(code, message, cause === undefined ? undefined : { cause });
    this.server = server;
    this.stage = stage;
  }
}
