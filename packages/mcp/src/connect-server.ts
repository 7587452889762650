import { createHttp } from '@toolwright/machine/host/http/http.js';
import { createClock, createIds, silentLog } from '@toolwright/machine/host/node-host.js';
import { openProcesses } from '@toolwright/machine/host/processes/open-processes.js';
import { openState } from '@toolwright/machine/host/state/state.js';
import { stateFolderPath } from '@toolwright/machine/host/state/state-folder.js';
import type { McpConnection } from './contract/connection.js';
import type { McpNeeds } from './contract/needs.js';
import { parseServer } from './contract/server-config.js';
import { openTaskStore } from './contract/task-store.js';
import { openTokenStore } from './oauth/token-store.js';
import { connect } from './server/connect.js';

/** The options of `connectServer`, with those who answer what the server asks. */
export interface ConnectServerOptions
  extends Partial<
    Pick<
      McpNeeds,
      | 'onElicit'
      | 'onSample'
      | 'samplesWithTools'
      | 'onSignIn'
      | 'onLog'
      | 'onToolsChanged'
      | 'onResourceChanged'
      | 'limits'
    >
  > {
  /** The name of the server in messages; default: `server`. */
  alias?: string;
  /** The folder in which programs start, and the root that servers are told; default: the current one. */
  workspace?: string;
  /** Keeps tokens of servers that the user signed in to; default: `$TOOLWRIGHT_HOME` or `~/.toolwright`. */
  stateFolder?: string;
  signal?: AbortSignal;
}

/**
 * Connects to a server as settings describe it: `{ command, args, env, cwd }` or `{ url, headers }`. Programs run
 * unconfined. `close` ends the server with everything that it started.
 */
export async function connectServer(
  server: object,
  { alias = 'server', workspace = process.cwd(), stateFolder, signal, ...answers }: ConnectServerOptions = {},
): Promise<McpConnection> {
  const [clock, ids, http] = [createClock(), createIds(), createHttp()];
  const state = openState({ path: stateFolder ?? stateFolderPath(process.env), host: { clock, ids } });
  const processes = openProcesses({ clock, ids, log: silentLog, state });
  const needs: McpNeeds = {
    ...answers,
    clock,
    ids,
    log: silentLog,
    http,
    processes,
    environment: process.env,
    tokens: openTokenStore(state),
    tasks: openTaskStore(state),
    workspace,
    roots: () => [{ uri: `file://${workspace}`, name: workspace }],
  };
  const end = async (): Promise<void> => {
    await processes.end({ kind: 'shutdown' });
    http.close();
  };
  try {
    const config = parseServer(alias, server, 'connectServer');
    const connection = await connect(config, needs, signal ?? new AbortController().signal);
    const close = connection.close.bind(connection);
    connection.close = () => close().then(end);
    return connection;
  } catch (error) {
    await end();
    throw error;
  }
}
