import type { Readable, Writable } from 'node:stream';
import type { Redactor } from '@toolwright/machine/base/secrets/redact.js';
import { whenAborted } from '@toolwright/machine/host/deadline.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import type { Permission } from '../permission/permission.js';
import type { Scheduler } from '../scheduler/scheduler.js';
import type { Session } from '../session/session.js';
import type { OwnTools } from '../tools/own/open-own-tools.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { ServedPrompts, ServedResources } from './offers/offers.js';
import type { Serving } from './serving.js';

/** The members of a toolbox that serving needs. */
export interface ServeMcpNeeds {
  registry: ToolRegistry;
  scheduler: Scheduler;
  permission: Pick<Permission, 'refusal'>;
  session: Pick<Session, 'id' | 'journalPath'>;
  host: Pick<Host, 'clock' | 'log' | 'workspace'>;
  redactor: Pick<Redactor, 'known'>;
  /** The folder in which tasks are saved, for clients that come back. */
  state: Pick<State, 'path' | 'make'>;
  /** The tool files of the user and the project, read again while serving. */
  ownTools?: Pick<OwnTools, 'refresh'> | null;
}

/** The options of serving tools over MCP. */
export interface ServeMcpOptions {
  /** `stdio`: the one client that started this program. `http`: everybody on this machine who has the token. */
  over:
    | { kind: 'stdio'; input: Readable; output: Writable }
    | { kind: 'http'; port: number; token: string | { file: string }; onListening(url: string): void };
  /** Ends the serving. */
  signal: AbortSignal;
  /** Version announced to clients; default: the version of this library. */
  version?: string;
  /** Resources beside the session and its change sets. */
  resources?: ServedResources;
  prompts?: ServedPrompts;
  /** Milliseconds after which a call becomes a task, where the client knows of tasks; default: 5,000. */
  taskAfterMs?: number;
}

/** Offers the tools to other agents, until the client goes away or the signal fires. */
export async function serveMcp(needs: ServeMcpNeeds, options: ServeMcpOptions): Promise<void> {
  const { clock, log } = needs.host;
  const ended = new AbortController();
  const serving = await open(needs, options);
  const { watchTools } = await import('./watch-tools.js');
  const watching = needs.ownTools && watchTools(needs.ownTools, { clock, log, signal: ended.signal });
  try {
    await serve(serving, needs, options);
  } finally {
    ended.abort('ended');
    await watching;
  }
}

async function serve(
  serving: Serving,
  { host: { clock, log } }: ServeMcpNeeds,
  { over, signal }: ServeMcpOptions,
): Promise<void> {
  if (over.kind === 'stdio') {
    const { serveStdio } = await import('./serve-stdio.js');
    return serveStdio(serving, { ...over, log, signal });
  }
  const { serveHttp } = await import('./http/serve-http.js');
  const { readToken } = await import('./http/token.js');
  const token = await readToken(over.token);
  const { url, close } = await serveHttp(serving, { port: over.port, token, clock, log });
  over.onListening(url);
  await whenAborted(signal);
  await close();
}

async function open(
  { registry, scheduler, permission, session, host, redactor, state }: ServeMcpNeeds,
  { version = '0.1.0', resources, prompts, taskAfterMs }: ServeMcpOptions,
): Promise<Serving> {
  const { openServing } = await import('./serving.js');
  const { SessionResources } = await import('./offers/session-resources.js');
  const { openSavedTasks } = await import('./tasks/saved-tasks.js');
  const { clock, log, workspace } = host;
  const show = (path: string): string => workspace.show(path);
  const clean = redactor.known;
  const own = new SessionResources({ session, permission, clean, show });
  return openServing({
    registry,
    scheduler,
    clock,
    log,
    directory: workspace.directory,
    show,
    clean,
    version,
    resources: resources ? [own, resources] : [own],
    prompts,
    taskAfterMs,
    savedTasks: openSavedTasks({ state, clock, log, directory: workspace.directory }),
    onSettled: (call) => own.callSettled(call),
  });
}
