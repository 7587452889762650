import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttp, type HttpResponse } from './http.js';
import { HttpError } from './http-error.js';
import { proxyFor } from './proxy.js';

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
const certificate = fixture('loopback-certificate.pem');
const { signal } = new AbortController();

describe('the proxy for an address', () => {
  it.each([
    ['https://api.example.com/v1', { HTTPS_PROXY: 'http://proxy:3128' }, 'http://proxy:3128/'],
    [
      'https://api.example.com/v1',
      { https_proxy: 'http://lower', HTTPS_PROXY: 'http://upper' },
      'http://lower/',
    ],
    ['https://api.example.com/v1', { HTTP_PROXY: 'http://proxy:3128' }, null],
    ['http://api.example.com/v1', { HTTP_PROXY: 'proxy:3128' }, 'http://proxy:3128/'],
    ['http://api.example.com/v1', { ALL_PROXY: 'https://proxy' }, 'https://proxy/'],
    ['https://api.example.com', { HTTPS_PROXY: 'http://p', NO_PROXY: 'example.com' }, null],
    ['https://api.example.com', { HTTPS_PROXY: 'http://p', NO_PROXY: '.example.com' }, null],
    ['https://api.example.com', { HTTPS_PROXY: 'http://p', NO_PROXY: '*.example.com' }, null],
    ['https://notexample.com', { HTTPS_PROXY: 'http://p', NO_PROXY: 'example.com' }, 'http://p/'],
    ['https://a.test', { HTTPS_PROXY: 'http://p', no_proxy: 'b.test, a.test' }, null],
    ['https://a.test', { HTTPS_PROXY: 'http://p', NO_PROXY: '*' }, null],
    ['https://a.test:8443', { HTTPS_PROXY: 'http://p', NO_PROXY: 'a.test:8443' }, null],
    ['https://a.test', { HTTPS_PROXY: 'http://p', NO_PROXY: 'a.test:8443' }, 'http://p/'],
    ['https://[2001:db8::1]', { HTTPS_PROXY: 'http://p', NO_PROXY: '[2001:db8::1]' }, null],
    ['http://127.0.0.1:11434', { HTTP_PROXY: 'http://p' }, null],
    ['http://[::1]:11434', { HTTP_PROXY: 'http://p' }, null],
    ['http://localhost:11434', { HTTP_PROXY: 'http://p' }, null],
  ])('%s with %j is %s', (url, environment, expected) => {
    expect(proxyFor(new URL(url), environment)?.href ?? null).toBe(expected);
  });

  it('says which kinds of proxy can be used when the variable names another', () => {
    expect(() => proxyFor(new URL('https://a.test'), { ALL_PROXY: 'socks5://p:1080' })).toThrow(
      'The proxy variable names a socks5 proxy; only http and https proxies can be used.',
    );
  });
});

describe('a request through a proxy', () => {
  const seen: { method: string; url: string; authorization: string | undefined }[] = [];
  const accepted = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
  const target = https.createServer(
    { key: fixture('loopback-key.pem'), cert: certificate },
    (request, response) => response.end(`secure ${request.url} for ${request.headers.host}`),
  );
  const proxy = http.createServer((request, response) => {
    seen.push({
      method: request.method ?? '',
      url: request.url ?? '',
      authorization: request.headers['proxy-authorization'],
    });
    response.end(`plain ${request.url} for ${request.headers.host}`);
  });
  proxy.on('connect', (request, socket: net.Socket) => {
    const authorization = request.headers['proxy-authorization'];
    seen.push({ method: 'CONNECT', url: request.url ?? '', authorization });
    if (request.url?.startsWith('mute.')) return;
    if (authorization !== accepted) return socket.end('HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n');
    const onward = net.connect((target.address() as AddressInfo).port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  let address = '';

  beforeAll(async () => {
    await new Promise<void>((done) => target.listen(0, '127.0.0.1', done));
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
    address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });

  afterAll(() => {
    for (const server of [target, proxy]) {
      server.closeAllConnections();
      server.close();
    }
  });

  it('asks for a tunnel for https, once for several requests, and sees the certificate of the target', async () => {
    seen.length = 0;
    const client = createHttp({
      environment: { HTTPS_PROXY: `http://me:p%40ss@${address}` },
      ca: [certificate],
    });
    expect(await text(await client.request({ url: 'https://model.test/one', signal }))).toBe(
      'secure /one for model.test',
    );
    expect(await text(await client.request({ url: 'https://model.test/two', signal }))).toBe(
      'secure /two for model.test',
    );
    expect(seen).toEqual([{ method: 'CONNECT', url: 'model.test:443', authorization: accepted }]);
    client.close();
  });

  it('sends the whole address to the proxy for http', async () => {
    seen.length = 0;
    const client = createHttp({ environment: { http_proxy: `http://me:p%40ss@${address}` } });
    expect(await text(await client.request({ url: 'http://model.test:81/a?b=c', signal }))).toBe(
      'plain http://model.test:81/a?b=c for model.test:81',
    );
    expect(seen).toEqual([{ method: 'GET', url: 'http://model.test:81/a?b=c', authorization: accepted }]);
    client.close();
  });

  it('says what to write when the proxy wants a password', async () => {
    const client = createHttp({ environment: { HTTPS_PROXY: `http://${address}` }, ca: [certificate] });
    await expect(client.request({ url: 'https://model.test/', signal })).rejects.toThrow(
      `the proxy ${address} refused the connection to model.test:443 (status 407). It wants a user name and ` +
        'password: write them into the proxy variable as http://user:password@host:port.',
    );
  });

  it('refuses a certificate for another name although a proxy stands between', async () => {
    const client = createHttp({
      environment: { HTTPS_PROXY: `http://me:p%40ss@${address}` },
      ca: [certificate],
    });
    await expect(client.request({ url: 'https://other.example/', signal })).rejects.toThrow(
      'Could not reach other.example: its certificate is for another name',
    );
  });

  it('gives up a tunnel that is never granted, at the limit and on abort', async () => {
    const client = createHttp({ environment: { HTTPS_PROXY: `http://me:p%40ss@${address}` } });
    await expect(client.request({ url: 'https://mute.test/', signal, idleTimeoutMs: 50 })).rejects.toThrow(
      'mute.test sent nothing for 0.1 s.',
    );
    const controller = new AbortController();
    const pending = client.request({ url: 'https://mute.test/', signal: controller.signal });
    setTimeout(() => controller.abort('enough'), 20);
    await expect(pending).rejects.toBe('enough');
  });

  it('names the proxy when nothing listens there', async () => {
    const client = createHttp({ environment: { HTTPS_PROXY: 'http://127.0.0.1:9' } });
    const failure = await client.request({ url: 'https://model.test/', signal }).catch((error) => error);
    expect(failure).toBeInstanceOf(HttpError);
    expect(failure.message).toContain('Could not reach the proxy 127.0.0.1:9: nothing is listening there');
  });
});

async function text(response: HttpResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
