import { readFileSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttp, type HttpResponse } from './http.js';
import { HttpError } from './http-error.js';

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
const certificate = fixture('loopback-certificate.pem');
const { signal } = new AbortController();
const connections = new Set<net.Socket>();
let base = '';
let secureBase = '';

const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/echo': async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    response.end(JSON.stringify({ method: request.method, headers: request.headers, body }));
  },
  '/gzip': (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed')),
  '/br': (_, response) =>
    response.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync('packed')),
  '/deflate': (_, response) =>
    response.writeHead(200, { 'content-encoding': 'deflate' }).end(deflateSync('packed')),
  '/twice': (_, response) =>
    response.writeHead(200, { 'content-encoding': 'deflate, gzip' }).end(gzipSync(deflateSync('packed'))),
  '/zstd': (_, response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end('?'),
  '/slow-gzip': (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    const packer = createGzip();
    packer.pipe(response);
    packer.write('first');
    packer.flush();
  },
  '/redirect': (_, response) => response.writeHead(302, { location: '/echo' }).end('elsewhere'),
  '/mute': () => undefined,
  '/mute-later': (_, response) => response.write('hello'),
  '/broken': (_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half', () => response.destroy());
  },
  '/broken-chunked': (_, response) => {
    response.write('half', () => response.destroy());
  },
  '/drip': (_, response) => {
    let count = 0;
    const timer = setInterval(() => {
      response.write('.');
      if (++count === 8) {
        clearInterval(timer);
        response.end();
      }
    }, 30);
  },
  '/connections': (_, response) => response.end(String(connections.size)),
};
const listener = (request: IncomingMessage, response: ServerResponse) =>
  routes[request.url ?? '']?.(request, response);
const server = http.createServer(listener);
const secure = https.createServer({ key: fixture('loopback-key.pem'), cert: certificate }, listener);
server.on('connection', (socket) => connections.add(socket));

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  await new Promise<void>((done) => secure.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  secureBase = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
});

afterAll(() => {
  for (const each of [server, secure]) {
    each.closeAllConnections();
    each.close();
  }
});

async function text(response: HttpResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('a request', () => {
  const client = createHttp();

  it('sends a body of several buffers with its length, and the headers as given', async () => {
    const body = [Buffer.from('{"a":'), Buffer.from('"ä"'), Buffer.from('}')];
    const response = await client.request({ url: `${base}/echo`, body, headers: { 'x-one': '1' }, signal });
    const echoed = JSON.parse(await text(response));
    expect(response.status).toBe(200);
    expect(echoed).toMatchObject({
      method: 'POST',
      body: '{"a":"ä"}',
      headers: { 'content-length': '10', 'x-one': '1', host: base.slice(7) },
    });
  });

  it('uses a kept connection again', async () => {
    const own = createHttp();
    await text(await own.request({ url: `${base}/connections`, signal }));
    const before = connections.size;
    for (let round = 0; round < 5; round++)
      await text(await own.request({ url: `${base}/connections`, signal }));
    expect(connections.size).toBe(before);
    own.close();
  });

  it('tries again once when the kept connection turns out to be dead', async () => {
    let count = 0;
    const fickle = net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => {
        count++;
        if (count === 2) return socket.resetAndDestroy();
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      });
    });
    await new Promise<void>((done) => fickle.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(fickle.address() as AddressInfo).port}/`;
    const own = createHttp();
    expect(await text(await own.request({ url, signal }))).toBe('ok');
    expect(await text(await own.request({ url, body: 'x', signal }))).toBe('ok');
    expect(count).toBe(3);
    own.close();
    fickle.close();
  });

  it.each(['gzip', 'br', 'deflate', 'twice'])('unpacks %s', async (name) => {
    expect(await text(await client.request({ url: `${base}/${name}`, signal }))).toBe('packed');
  });

  it('hands over the first packed chunk before the stream ends', async () => {
    const response = await client.request({ url: `${base}/slow-gzip`, signal });
    for await (const chunk of response.body) {
      expect(Buffer.from(chunk).toString()).toBe('first');
      break;
    }
    response.close();
  });

  it('refuses a packing it did not ask for', async () => {
    await expect(client.request({ url: `${base}/zstd`, signal })).rejects.toThrow(
      'The answer is packed as zstd, which was not asked for.',
    );
  });

  it('does not follow a redirect', async () => {
    const response = await client.request({ url: `${base}/redirect`, signal });
    expect([response.status, response.headers['location'], await text(response)]).toEqual([
      302,
      '/echo',
      'elsewhere',
    ]);
  });

  it.each([
    ['ftp://a.test/', 'Only http and https addresses can be reached, not ftp:'],
    ['not an address', '"not an address" is not an address.'],
  ])('refuses %s', async (url, message) => {
    await expect(client.request({ url, signal })).rejects.toThrow(message);
  });

  it('does not quote a key that HTTP can not carry', async () => {
    const failure = await client
      .request({ url: `${base}/echo`, headers: { authorization: 'Bearer secret\nkey' }, signal })
      .catch((error) => error);
    expect(failure).toMatchObject({ name: 'HttpError', kind: 'invalid' });
    expect(failure.message).toBe(
      `The request to ${base.slice(7)} can't be sent: Invalid character in header content ["authorization"]. Check keys and headers.`,
    );
  });

  it('says where nothing listens and what to check', async () => {
    await expect(client.request({ url: 'http://127.0.0.1:9/', signal })).rejects.toThrow(
      'Could not reach 127.0.0.1:9: nothing is listening there. Check the address and that the server runs (ECONNREFUSED).',
    );
  });

  it('trusts the given authority over https, and no other', async () => {
    const trusting = createHttp({ ca: [certificate] });
    expect(JSON.parse(await text(await trusting.request({ url: `${secureBase}/echo`, signal }))).method).toBe(
      'GET',
    );
    await expect(client.request({ url: `${secureBase}/echo`, signal })).rejects.toThrow(
      'NODE_EXTRA_CA_CERTS',
    );
    trusting.close();
  });

  it('shows its own certificate to a server that wants one', async () => {
    const key = fixture('loopback-key.pem');
    const options = { key, cert: certificate, ca: certificate, requestCert: true };
    const server = https.createServer(options, (_, response) => response.end('welcome'));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const clients = [
      createHttp({ ca: [certificate], cert: certificate, key }),
      createHttp({ ca: [certificate] }),
    ];
    const [known, unknown] = clients.map((each) => each.request({ url, signal }).then(text, () => 'refused'));
    expect([await known, await unknown]).toEqual(['welcome', 'refused']);
    for (const each of clients) each.close();
    server.close();
  });
});

describe('silence, abort and broken connections', () => {
  const client = createHttp();

  it('gives up when no headers come', async () => {
    const failure = await client
      .request({ url: `${base}/mute`, body: 'x', signal, idleTimeoutMs: 60 })
      .catch((error) => error);
    expect(failure).toBeInstanceOf(HttpError);
    expect(failure).toMatchObject({ kind: 'silent', message: `${base.slice(7)} sent nothing for 0.1 s.` });
  });

  it('gives up when the stream goes quiet, after handing over what came', async () => {
    const response = await client.request({ url: `${base}/mute-later`, signal, idleTimeoutMs: 60 });
    const got: string[] = [];
    const reading = (async () => {
      for await (const chunk of response.body) got.push(Buffer.from(chunk).toString());
    })();
    await expect(reading).rejects.toMatchObject({ kind: 'silent' });
    expect(got).toEqual(['hello']);
  });

  it('does not count a slow reader as silence of the server', async () => {
    const response = await client.request({ url: `${base}/drip`, signal, idleTimeoutMs: 600 });
    let total = '';
    for await (const chunk of response.body) {
      total += Buffer.from(chunk).toString();
      if (total.length === 1) await new Promise((done) => setTimeout(done, 700));
    }
    expect(total).toBe('........');
  });

  it.each(['broken', 'broken-chunked'])('reports a connection that ends in the middle (%s)', async (name) => {
    const response = await client.request({ url: `${base}/${name}`, signal });
    await expect(text(response)).rejects.toMatchObject({
      kind: 'broken',
      message: expect.stringContaining(`The connection to ${base.slice(7)} broke off after 4 bytes`),
    });
  });

  it('throws the abort reason before, during and after the headers', async () => {
    const reason = { kind: 'user' };
    await expect(client.request({ url: `${base}/echo`, signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    for (const path of ['/mute', '/mute-later']) {
      const controller = new AbortController();
      const pending = client.request({ url: `${base}${path}`, signal: controller.signal }).then(text);
      setTimeout(() => controller.abort(reason), 30);
      await expect(pending).rejects.toBe(reason);
    }
  });
});

describe('a dialer', () => {
  it('opens connections with the given dialer and lays TLS on top', async () => {
    const dialed: string[] = [];
    const client = createHttp({
      ca: [certificate],
      environment: { HTTPS_PROXY: 'http://127.0.0.1:9' },
      dial: async ({ host, port }) => {
        dialed.push(`${host}:${port}`);
        return net.connect(Number(new URL(secureBase).port), '127.0.0.1');
      },
    });
    const response = await client.request({ url: 'https://sub.model.test/echo', signal });
    expect(JSON.parse(await text(response)).headers.host).toBe('sub.model.test');
    await text(await client.request({ url: 'https://sub.model.test/echo', signal }));
    expect(dialed).toEqual(['sub.model.test:443']);
    client.close();
  });

  it('passes the refusal of a dialer on as it is', async () => {
    const client = createHttp({
      dial: async () => {
        throw new HttpError('invalid', 'Not a public address.');
      },
    });
    await expect(client.request({ url: 'http://inside.test/', signal })).rejects.toThrow(
      'Not a public address.',
    );
  });
});
