import { chmodSync, closeSync, constants, openSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type JsonObject, jsonObjectIn } from '../../base/json.js';

/** An end of a connection between two programs of the user: a JSON object on each line. */
export interface JsonSocket {
  send(message: object): void;
  onMessage(listener: (message: JsonObject) => void): void;
  onClose(listener: () => void): void;
  close(): void;
}

/** A reader that does not keep up is let go: it may connect again. */
const MOST_UNREAD_BYTES = 8 * 1024 * 1024;
const LONGEST_MESSAGE = 16 * 1024 * 1024;

/** Listens on a socket in a folder that only the user can enter. The program may end while it listens. */
export function listenInFolder(
  folder: string,
  name: string,
  onConnection: (socket: JsonSocket) => void,
): Promise<{ close(): void }> {
  const path = join(folder, name);
  // A socket left by a killed program would be in the way.
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    socket.unref();
    onConnection(jsonSocket(socket));
  });
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    withShortPath(folder, name, (short, done) =>
      server.listen(short, () => {
        done();
        chmodSync(path, 0o600);
        server.unref();
        resolve({
          close() {
            server.close();
            rmSync(path, { force: true });
          },
        });
      }),
    );
  });
}

/** Null where no program listens any more. */
export function connectInFolder(folder: string, name: string): Promise<JsonSocket | null> {
  return new Promise((resolve) => {
    withShortPath(folder, name, (short, done) => {
      const socket = createConnection(short);
      socket.once('connect', () => {
        done();
        resolve(jsonSocket(socket));
      });
      socket.once('error', () => {
        done();
        resolve(null);
      });
    });
  });
}

/** The length of a socket's path that every system takes. */
const LONGEST_PATH = 100;

/** A path that is too long for a socket is named by its folder's descriptor, where the system has such names. */
function withShortPath(folder: string, name: string, use: (path: string, done: () => void) => void): void {
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= LONGEST_PATH || process.platform !== 'linux') {
    use(path, () => undefined);
    return;
  }
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  use(`/proc/self/fd/${descriptor}/${name}`, () => closeSync(descriptor));
}

function jsonSocket(socket: Socket): JsonSocket {
  let onMessage = (_message: JsonObject): void => undefined;
  let pending = '';
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    pending += text;
    if (pending.length > LONGEST_MESSAGE) return void socket.destroy();
    const lines = pending.split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) {
      const message = jsonObjectIn(line);
      if (message) onMessage(message);
    }
  });
  // A close follows.
  socket.on('error', () => undefined);
  return {
    send(message) {
      if (socket.destroyed) return;
      if (socket.writableLength > MOST_UNREAD_BYTES) socket.destroy();
      else socket.write(`${JSON.stringify(message)}\n`);
    },
    onMessage: (listener) => void (onMessage = listener),
    onClose: (listener) => void socket.on('close', listener),
    close: () => void socket.destroy(),
  };
}
