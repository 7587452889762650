import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { Launch, Processes } from '@toolwright/machine/host/processes/processes.js';
import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
import type {
  McpConnection,
  McpElicitAnswer,
  McpElicitRequest,
  McpLogLine,
  McpRoot,
  McpSampleAnswer,
  McpSampleRequest,
} from './connection.js';
import type { McpProgram, McpServerConfig } from './server-config.js';
import type { TaskStore } from './task-store.js';

/** The surroundings of a connection. Where a callback is missing, the server is told that we can't do that. */
export interface McpNeeds extends Pick<Host, 'clock' | 'ids' | 'log' | 'http'> {
  processes: Pick<Processes, 'start'>;
  /** The environment of this program; a server gets what every child gets, and what its configuration adds. */
  environment: Environment;
  tokens: TokenStore;
  /** Remembers tasks that are not over; without it they are lost when this program ends. */
  tasks?: TaskStore;
  /** The folder for servers that name none. Absolute. */
  workspace: string;
  /** Makes a folder for programs that run what they find where they start; present where the workspace is not trusted. */
  makeEmptyFolder?(): Promise<string>;
  /** Confines a program that is about to be started, as its configuration says. Without it programs run as they are. */
  confine?(launch: Launch, server: StartedServer, signal: AbortSignal): Promise<ConfinedServer>;
  /** Removes what can be fetched again for a server that nobody wants any more. Where the rest lies that it saved; null without any. */
  forget?(alias: string): Promise<string | null>;
  /** Called before each start of a server; what it throws is told, and nothing is started. */
  beforeStart?(signal: AbortSignal): Promise<void>;
  /** Called once for a burst of changes to the tools of a server. */
  onToolsChanged?(): void;
  /** Called with the first change of a resource that was subscribed to, and again once it was read. */
  onResourceChanged?(uri: string): void;
  roots(): McpRoot[];
  onElicit?(request: McpElicitRequest, signal: AbortSignal): Promise<McpElicitAnswer>;
  onSample?(request: McpSampleRequest, signal: AbortSignal): Promise<McpSampleAnswer>;
  /** `onSample` passes `tools` to its model and answers with its calls. */
  samplesWithTools?: boolean;
  onLog?(line: McpLogLine): void;
  /** The user has to sign in at this address; the browser comes back to us. Throws when they don't want to. */
  onSignIn?(request: McpSignInRequest, signal: AbortSignal): Promise<void>;
  limits?: Partial<McpLimits>;
  samplingBudget?: SamplingBudget;
}

/** Tokens and client registrations, by server address. */
export interface TokenStore {
  /** Null when nothing was saved. */
  read(server: string): Promise<JsonObject | null>;
  /** Saves the entry whole or not at all; it is on the disk when this resolves. Null forgets the server. */
  write(server: string, entry: JsonObject | null, signal: AbortSignal): Promise<void>;
  /** Runs the work of one process at a time: a refresh token that works once must not be used twice. */
  withLock<Result>(server: string, work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

export interface StartedServer {
  alias: string;
  program: McpProgram;
}

export interface ConfinedServer {
  launch: Launch;
  confined: boolean;
  /** Called once the program has ended. */
  release(): Promise<void>;
}

export interface McpSignInRequest {
  server: string;
  url: string;
}

/** Milliseconds unless the name says otherwise. */
export interface McpLimits {
  spawn: number;
  initialize: number;
  /** Limit of one list with all its pages. */
  list: number;
  /** Longest silence of a call; progress starts it again. */
  callIdle: number;
  /** Longest call, whatever progress it reports. A server's own `timeout` is the longest silence, and prolongs this one where it is longer. */
  callHard: number;
  signIn: number;
  /** Limit of refreshing a token; other processes wait for the lock meanwhile. */
  refresh: number;
  listPages: number;
  listItems: number;
  /** Largest message a server may send, in bytes. */
  messageBytes: number;
}

export interface SamplingBudget {
  /** Requests in the life of a connection. */
  requests: number;
  /** Tokens asked for, all requests together. */
  tokens: number;
  tokensPerRequest: number;
}

/** A configured server, with all that is needed to talk to it. */
export interface ServerContext {
  config: McpServerConfig;
  needs: McpNeeds;
  limits: McpLimits;
}

export type Connect = (
  config: McpServerConfig,
  needs: McpNeeds,
  signal: AbortSignal,
) => Promise<McpConnection>;

export const DEFAULT_LIMITS: McpLimits = {
  spawn: 10_000,
  initialize: 30_000,
  list: 30_000,
  callIdle: 120_000,
  callHard: 600_000,
  signIn: 300_000,
  refresh: 30_000,
  listPages: 200,
  listItems: 10_000,
  messageBytes: 32 * 1024 * 1024,
};

export const DEFAULT_SAMPLING_BUDGET: SamplingBudget = {
  requests: 20,
  tokens: 50_000,
  tokensPerRequest: 8_000,
};
