import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server with a token, behind a door that adds the token: the suite knows of none. */
export async function startServer(args) {
  const token = randomBytes(32).toString('hex');
  const home = mkdtempSync(join(tmpdir(), 'toolwright-conformance-home-'));
  const env = { ...process.env, HOME: home, CONFORMANCE_TOKEN: token, TOOLWRIGHT_MCP_TOKEN: token };
  const child = spawn(process.execPath, args, { cwd: home, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const url = await new Promise((resolve, reject) => {
    let said = '';
    const listen = (text) => {
      said += text;
      const found = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said);
      if (found) resolve(found[0]);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', listen);
    ended.then((code) => reject(new Error(`a server ended with ${code}: ${said}`)));
  });
  const door = await openDoor(new URL(url), token);
  return {
    url: door.url,
    async close() {
      door.close();
      child.stdin.end();
      child.kill('SIGINT');
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function openDoor(target, token) {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const { method, url: path } = incoming;
    const inner = httpRequest(
      { host: target.hostname, port: target.port, method, path, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        outgoing.flushHeaders();
        answer.pipe(outgoing);
      },
    );
    inner.on('error', () => outgoing.destroy());
    outgoing.on('close', () => inner.destroy());
    incoming.pipe(inner);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const close = () => {
        server.close();
        server.closeAllConnections();
      };
      resolve({ url: `http://localhost:${server.address().port}/mcp`, close });
    });
  });
}
