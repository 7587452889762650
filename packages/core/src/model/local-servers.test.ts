import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttp } from '@toolwright/machine/host/http/http.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeModelServer, startFakeModelServer } from '../testing/fake-model-server.js';
import { findLocalServers } from './local-servers.js';

const client = createHttp();
let models: FakeModelServer;
let website: http.Server;
let mute: http.Server;

async function listen(server: http.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const portOf = (server: http.Server) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  models = await startFakeModelServer({ models: ['nomic-embed-text', 'qwen3:8b', 'llama3.1'] });
  website = http.createServer((_, response) => response.end('<html>hello</html>'));
  mute = http.createServer(() => undefined);
  await Promise.all([listen(website), listen(mute)]);
});

afterAll(async () => {
  await models.close();
  for (const server of [website, mute]) {
    server.closeAllConnections();
    server.close();
  }
  client.close();
});

/** Port 9 is where nothing listens. */
const nothing = { ollama: 9, lmstudio: 9, llamacpp: 9, vllm: 9 };

describe('model servers on this machine', () => {
  it('are found with the models that can talk', async () => {
    expect(await findLocalServers({ http: client, ports: { ...nothing, ollama: models.port } })).toEqual([
      {
        kind: 'ollama',
        label: 'Ollama',
        baseUrl: `http://127.0.0.1:${models.port}/v1`,
        models: ['qwen3:8b', 'llama3.1'],
      },
    ]);
  });

  it('are found in a fixed order, all of them', async () => {
    const port = models.port;
    const found = await findLocalServers({
      http: client,
      ports: { ollama: port, lmstudio: port, llamacpp: port, vllm: port },
    });
    expect(found.map(({ label }) => label)).toEqual(['Ollama', 'LM Studio', 'llama.cpp', 'vLLM']);
  });

  it('are not a website or a server that never answers on the same port', async () => {
    const ports = { ...nothing, llamacpp: portOf(website), vllm: portOf(mute) };
    expect(await findLocalServers({ http: client, ports, budgetMs: 100 })).toEqual([]);
  });

  it('are none where nothing listens', async () => {
    expect(await findLocalServers({ http: client, ports: nothing })).toEqual([]);
  });

  it('are not waited for after an abort', async () => {
    const reason = { kind: 'user' };
    await expect(
      findLocalServers({ http: client, ports: nothing, signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });
});
