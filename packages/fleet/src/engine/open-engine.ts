import type { Engine, ServerAccess } from './engine.js';

/** The place of a fleet's engine, and how it is reached. */
export interface OpenEngineOptions extends ServerAccess {
  /** A folder of this machine, or the addresses of NATS servers: `nats://host:port`, `tls://host:port`. */
  place: string;
}

/** True for the addresses of servers, which several machines can share; false for a folder of this machine. */
export function isOnServers(place: string): boolean {
  return /^(nats|tls):\/\//.test(place);
}

/** Each engine is loaded when it is asked for. */
export async function openEngine({ place, ...options }: OpenEngineOptions): Promise<Engine> {
  if (isOnServers(place)) {
    const { openNatsEngine } = await import('./nats/open-nats.js');
    return openNatsEngine({ ...options, servers: place });
  }
  const { openFileEngine } = await import('./files/open-files.js');
  return openFileEngine(place, options.times);
}
