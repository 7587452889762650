import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
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
  const [workspace, output] = [join(base, 'workspace'), join(base, 'output')];
  mkdirSync(join(workspace, '.git', 'hooks'), { recursive: true });
  mkdirSync(output);
  writeFileSync(join(workspace, '.git', 'config'), '');
  writeFileSync(join(workspace, '.env'), marker);
  writeFileSync(join(output, 'long.txt'), marker);
  const [secret, temporary] = [join(base, 'secret'), join(outside, 'file')];
  for (const path of [secret, temporary]) writeFileSync(path, marker);
  let connections = 0;
  const servers: Server[] = [];
  const listen = async (where: string | number): Promise<Server> => {
    const server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${marker}`));
    });
    servers.push(server);
    await new Promise<void>((resolve, reject) => {
      const options = typeof where === 'number' ? { port: where, host: '127.0.0.1' } : { path: where };
      server.once('error', reject).listen(options, resolve);
    });
    return server;
  };
  let outsider: ChildProcess | undefined;
  const close = async (): Promise<void> => {
    outsider?.kill('SIGKILL');
    for (const pid of processesNaming(marker.replace('marker', ''))) end(pid);
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    for (const folder of [base, outside]) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [socket, abstractSocket] = [join(outside, 'socket'), `\0${marker}`];
    const address = (await listen(0)).address();
    await listen(socket);
    await listen(abstractSocket);
    // It bears the marker, waits for its input, and ends with whoever holds the other end: nothing is left when we are killed.
    outsider = spawn('grep', [marker], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: '/usr/bin:/bin' },
    });
    outsider.stdin?.on('error', () => undefined);
    outsider.on('error', () => undefined);
    const started = outsider;
    return {
      ...{ workspace, home, secret, temporary, output, marker, socket, abstractSocket },
      protection: { protectedPaths: [], protectedIfThere: [] },
      port: typeof address === 'object' && address ? address.port : 0,
      outsider: outsider.pid ?? 0,
      connections: () => connections,
      isOutsiderAlive: () => started.exitCode === null && started.signalCode === null,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
