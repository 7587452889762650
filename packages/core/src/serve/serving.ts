import type { Server, ServerCapabilities } from '@modelcontextprotocol/server';
import { messageOf } from '@toolwright/machine/base/errors.js';
import type { JsonSchema } from '@toolwright/machine/base/json.js';
import type { Log } from '@toolwright/machine/host/host.js';
import { tasksCapability } from './calls/client.js';
import { createRounds } from './calls/rounds.js';
import type { ServedCallNeeds } from './calls/run-calls.js';
import { type Era, serveCalls } from './calls/serve-calls.js';
import { icons } from './offers/icons.js';
import type { ServedChange, ServedPrompts, ServedResources } from './offers/offers.js';
import { servePrompts } from './offers/serve-prompts.js';
import { readResource, serveCompletion, serveResources } from './offers/serve-resources.js';
import { serveSubscriptions, type TellChange } from './offers/subscriptions.js';
import { isServed, listTools } from './offers/tool-list.js';
import { loadServerSdk } from './server-sdk.js';
import { legacyTasksCapability } from './tasks/legacy-tasks.js';
import type { SavedTasks } from './tasks/saved-tasks.js';

/** The tools, resources and prompts that are offered to other agents, and all that is needed to call them. */
export interface ServingNeeds extends ServedCallNeeds {
  log: Log;
  /** The folder the tools work in. */
  directory: string;
  version: string;
  resources?: readonly ServedResources[];
  prompts?: ServedPrompts;
  /** A question without an answer counts as a no after this time. */
  questionLimitMs?: number;
  /** A call that takes longer becomes a task, where the client knows of tasks. */
  taskAfterMs?: number;
  /** The store of tasks; without it they end with the server. */
  savedTasks?: SavedTasks;
}

/** An offer that can be served over any number of connections. */
export interface Serving {
  /** A server for one connection, or for one request where there are no connections. */
  connection(era: Era): ServedConnection;
  onChange(listener: (change: ServedChange) => void): () => void;
  /** The arguments that a tool takes; null when it is not offered. */
  schemaOf(tool: string): JsonSchema | null;
  hasResource(uri: string, signal: AbortSignal): Promise<boolean>;
  /** Stops the calls that are under way, and waits for them. */
  close(): Promise<void>;
}

export interface ServedConnection {
  server: Server;
  tell: TellChange;
}

const QUESTION_LIMIT_MS = 5 * 60_000;

export async function openServing(needs: ServingNeeds): Promise<Serving> {
  const sdk = await loadServerSdk();
  const { registry, clock, log, directory, version, resources = [], prompts } = needs;
  const { questionLimitMs = QUESTION_LIMIT_MS } = needs;
  const rounds = createRounds(sdk, { clock, questionLimitMs });
  const calls = serveCalls({ ...needs, sdk, rounds, questionLimitMs });
  const hasResource = async (uri: string, signal: AbortSignal): Promise<boolean> =>
    (await readResource(resources, uri, signal)) !== null;
  return {
    connection(era) {
      const server = new sdk.Server(
        { name: 'toolwright', title: 'Toolwright', version, icons },
        { capabilities: capabilitiesFor(era, needs), instructions: instructionsFor(directory) },
      );
      server.onerror = (error) => log.debug('mcp serve', messageOf(error));
      server.setRequestHandler('tools/list', () => ({ tools: listTools(registry) }));
      calls.addTo(server, era);
      serveResources(server, resources, sdk);
      if (prompts) servePrompts(server, era, prompts, { sdk, rounds, questionLimitMs });
      serveCompletion(server, resources, prompts);
      return { server, tell: serveSubscriptions(server, era, { sdk, hasResource }) };
    },
    onChange: (listener) => onAnyChange(needs, listener),
    schemaOf(name) {
      const found = registry.find(name);
      return found && isServed(found) ? found.tool.parameterSchema : null;
    },
    hasResource,
    close: () => calls.close(),
  };
}

function onAnyChange(
  { registry, prompts, resources = [] }: ServingNeeds,
  listener: (change: ServedChange) => void,
): () => void {
  const stops = [
    registry.onChange(() => listener({ kind: 'tools' })),
    prompts?.onChange?.(() => listener({ kind: 'prompts' })),
    ...resources.map((source) =>
      source.onChange?.((uri) => listener(uri === null ? { kind: 'resources' } : { kind: 'resource', uri })),
    ),
  ];
  return () => {
    for (const stop of stops) stop?.();
  };
}

function capabilitiesFor(era: Era, { prompts }: ServingNeeds): ServerCapabilities {
  return {
    tools: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    prompts: prompts && { listChanged: true },
    completions: {},
    logging: {},
    extensions: era === 'modern' ? tasksCapability.extensions : undefined,
    tasks: era === 'legacy' ? legacyTasksCapability : undefined,
  };
}

function instructionsFor(directory: string): string {
  return `Tools that work on the folder ${directory} and nowhere else. Read a file before you change it. A call that changes or reaches something may be asked about or refused; a refusal says why, and is not to be got around.`;
}
