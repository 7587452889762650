import type { Host } from '@toolwright/machine/host/host.js';
import { createDiskSweep, type DiskSweep } from './disk-sweep.js';
import { type Language, languageOf } from './known-servers.js';
import { createServerPool, type PooledServer, type PoolNeeds } from './server-pool.js';

/** A running server with the language and the folder it serves. */
export interface ServedFile {
  server: PooledServer;
  language: Language;
  root: string;
}

/** A file of a server, with the sweep that finds the changes the server must be told of. */
export interface SweptFile extends ServedFile {
  sweep: DiskSweep;
}

/** The servers that this session has asked something. */
export interface RunningServers {
  /** Work with the server of a file, which stays for as long as that takes; null where there is none. */
  use<Result>(
    path: string,
    work: (served: SweptFile) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result | null>;
  /** Servers that run, with the file that each was started for. */
  running(): { server: PooledServer; path: string }[];
  stop(): Promise<void>;
}

export interface RunningServersNeeds extends Omit<PoolNeeds, 'host'> {
  host: Host;
  /** A server has come up. */
  onServer?(): void;
}

export function createRunningServers(
  needs: RunningServersNeeds,
  languages: readonly Language[],
): RunningServers {
  const { host } = needs;
  const pool = createServerPool(needs);
  const asked = new Map<PooledServer, { sweep: DiskSweep; path: string }>();
  async function sweepOf(
    server: PooledServer,
    path: string,
    { language, root }: Omit<ServedFile, 'server'>,
    signal: AbortSignal,
  ): Promise<DiskSweep> {
    const known = asked.get(server);
    if (known) return known.sweep;
    const sweep = createDiskSweep(root, language, host);
    asked.set(server, { sweep, path });
    await sweep.changed(signal);
    needs.onServer?.();
    return sweep;
  }

  return {
    async use(path, work, signal) {
      const language = languageOf(path, languages);
      const root = host.workspace.rootOf(path);
      if (!language || root?.access !== 'write') return null;
      const wanted = { language, root: root.path };
      return pool.use(
        wanted,
        async (server) => work({ ...wanted, server, sweep: await sweepOf(server, path, wanted, signal) }),
        signal,
      );
    },
    running: () =>
      [...asked].flatMap(([server, { path }]) => (server.ended() === null ? [{ server, path }] : [])),
    async stop() {
      asked.clear();
      await pool.close();
    },
  };
}
