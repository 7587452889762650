import type { Readable, Writable } from 'node:stream';
import type { Redactor } from '@toolwright/machine/base/secrets/redact.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { Scheduler } from '../scheduler/scheduler.js';
import type { ToolRegistry } from '../tools/tool-registry.js';

/** The parts of a toolbox that serving needs. */
export interface ServeMcpNeeds {
  registry: ToolRegistry;
  scheduler: Scheduler;
  host: Pick<Host, 'clock' | 'log' | 'workspace'>;
  redactor: Pick<Redactor, 'known'>;
}

export interface ServeMcpOptions {
  /** The client that started us, or all who have the token and are on this machine. */
  over:
    | { kind: 'stdio'; input: Readable; output: Writable }
    | { kind: 'http'; port: number; token: string | { file: string }; onListening(url: string): void };
  /** Ends the serving. */
  signal: AbortSignal;
  /** Version announced to clients; default: the version of this library. */
  version?: string;
}

/** Offers the tools to other agents, until the client goes away or the signal fires. */
export async function serveMcp(
  { registry, scheduler, host, redactor }: ServeMcpNeeds,
  { over, signal, version = '0.1.0' }: ServeMcpOptions,
): Promise<void> {
  const { openServing } = await import('./serving.js');
  const { clock, log, workspace } = host;
  const { directory } = workspace;
  const show = (path: string): string => workspace.show(path);
  const clean = redactor.known;
  const serving = await openServing({ registry, scheduler, clock, log, directory, show, clean, version });
  if (over.kind === 'stdio') {
    const { serveStdio } = await import('./serve-stdio.js');
    return serveStdio(serving, { ...over, log, signal });
  }
  const { serveHttp } = await import('./http/serve-http.js');
  const { readToken } = await import('./http/token.js');
  const token = await readToken(over.token);
  const { url, close } = await serveHttp(serving, { port: over.port, token, clock, log });
  over.onListening(url);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await close();
}
