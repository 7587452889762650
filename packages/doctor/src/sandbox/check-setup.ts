import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ListenOptions, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from '@toolwright/machine/host/processes/launch/child-process.js';
import type { Profile } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { processesNaming } from '@toolwright/machine/testing/processes-naming.js';

export type Protection = Required<Pick<Profile, 'protectedPaths' | 'protectedIfThere'>>;

/** The surroundings of one sandbox check: a workspace with things to protect, and things outside that must stay out of reach. */
export interface CheckSetup {
  workspace: string;
  home: string;
  /** A file outside the workspace, in the state folder, that must not be read. */
  secret: string;
  /** A file in the temporary folder of the machine. */
  temporary: string;
  /** A folder of the state folder that may be read. */
  output: string;
  /** The content of the secret, the temporary and the hidden files. */
  marker: string;
  port: number;
  socket: string;
  abstractSocket: string;
  /** The paths that are protected in the workspace. */
  protection: Protection;
  /** The id of a process outside the sandbox. */
  outsider: number;
  connections(): number;
  isOutsiderAlive(): boolean;
  close(): Promise<void>;
}

export async function openCheckSetup(state: StateFolder, home: string): Promise<CheckSetup> {
  const marker = `marker-${randomBytes(8).toString('hex')}`;
  const base = realpathSync(await state.make('stage', `attempts-${process.pid}-${marker.slice(-8)}`));
  const outside = mkdtempSync(join(realpathSync(tmpdir()), 'toolwright-attempts-'));
  const files = writeFiles(base, outside, marker);
  const [socket, abstractSocket] = [join(outside, 'socket'), `\0${marker}`];
  const listeners = createListeners(marker);
  let outsider: ChildProcess | undefined;
  const close = async (): Promise<void> => {
    outsider?.kill('SIGKILL');
    for (const pid of processesNaming(marker.replace('marker', ''))) end(pid);
    await listeners.close();
    for (const folder of [base, outside]) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const address = await listeners.listen({ port: 0, host: '127.0.0.1' });
    await listeners.listen({ path: socket });
    await listeners.listen({ path: abstractSocket });
    const started = startOutsider(marker);
    outsider = started;
    return {
      ...files,
      home,
      marker,
      socket,
      abstractSocket,
      protection: { protectedPaths: [], protectedIfThere: [] },
      port: typeof address === 'object' && address ? address.port : 0,
      outsider: started.pid ?? 0,
      connections: () => listeners.connections,
      isOutsiderAlive: () => started.exitCode === null && started.signalCode === null,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function writeFiles(
  base: string,
  outside: string,
  marker: string,
): Pick<CheckSetup, 'workspace' | 'output' | 'secret' | 'temporary'> {
  const [workspace, output] = [join(base, 'workspace'), join(base, 'output')];
  const [secret, temporary] = [join(base, 'secret'), join(outside, 'file')];
  mkdirSync(join(workspace, '.git', 'hooks'), { recursive: true });
  mkdirSync(output);
  writeFileSync(join(workspace, '.git', 'config'), '');
  for (const path of [join(workspace, '.env'), join(output, 'long.txt'), secret, temporary])
    writeFileSync(path, marker);
  return { workspace, output, secret, temporary };
}

/** Servers outside the sandbox that give away the marker to whoever reaches them. */
function createListeners(marker: string) {
  const servers: Server[] = [];
  let connections = 0;
  return {
    async listen(where: ListenOptions): Promise<ReturnType<Server['address']>> {
      const server = createServer((socket) => {
        connections += 1;
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${marker}`));
      });
      servers.push(server);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(where, resolve);
      });
      return server.address();
    },
    get connections() {
      return connections;
    },
    close: () => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))),
  };
}

/**
 * Starts a process that bears the marker, waits for its input, and ends with whoever holds the other end: nothing is left when we are
 * killed.
 */
function startOutsider(marker: string): ChildProcess {
  const outsider = spawn('grep', [marker], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
  });
  outsider.stdin?.on('error', () => undefined);
  outsider.on('error', () => undefined);
  return outsider;
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended meanwhile.
  }
}
