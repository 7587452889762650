import http from 'node:http';
import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { isToolError } from '../../base/errors.js';
import { guardedFetch } from '../../testing/guarded-fetch.js';
import { closeServers, doors, listen, PUBLIC, pem, serve, serveTls } from './fixtures/loopback.js';
import { createGuardedHttp } from './guarded-http.js';

afterAll(closeServers);

const signal = new AbortController().signal;
const shown: string[] = [];
afterAll(() => console.log(shown.join('\n')));

async function messageOfFailure(name: string, fetching: Promise<unknown>): Promise<string> {
  const error = await fetching.then(
    () => new Error('nothing failed'),
    (thrown: unknown) => thrown,
  );
  if (!isToolError(error)) throw error;
  shown.push(`- ${name}: [${error.code}] ${error.message}`);
  return error.message;
}

describe('certificates', () => {
  const page = (certificate: string) =>
    serveTls((_request, response) => response.end('secret page'), certificate);
  const ca = [pem('tls-page')];

  it('a good one is taken, by name and by address', async () => {
    const open = { ...doors(await page('tls-page')), ca };
    expect(await guardedFetch('https://page.example/', open)).toMatchObject({ status: 200 });
    expect(await guardedFetch(`https://${PUBLIC}/`, open)).toMatchObject({ status: 200 });
  });

  it.each([
    ['signed by itself', 'https://page.example/', 'tls-page', [], 'its certificate is signed by itself'],
    ['for another name', 'https://other.example/', 'tls-page', ca, 'its certificate is for another name'],
    ['for another address', 'https://93.184.215.15/', 'tls-page', ca, 'its certificate is for another name'],
    ['expired', 'https://old.example/', 'tls-expired', [pem('tls-expired')], 'its certificate has expired'],
  ])('one %s is refused', async (name, url, certificate, trusted, expected) => {
    const open = { ...doors(await page(certificate)), ...(trusted.length > 0 ? { ca: trusted } : {}) };
    expect(await messageOfFailure(`a certificate ${name}`, guardedFetch(url, open))).toContain(expected);
  });

  it('a plain server on a secure port is told', async () => {
    const port = await serve((_request, response) => response.end('plain'));
    expect(
      await messageOfFailure('https to a plain server', guardedFetch('https://page.example/', doors(port))),
    ).toContain('Could not reach page.example');
  });

  it('a port nobody listens on is reported', async () => {
    const message = await messageOfFailure('nobody listening', guardedFetch('http://a.example/', doors(1)));
    expect(message).toContain('nothing is listening there');
  });

  it('the next address is tried when one does not answer', async () => {
    const port = await serve((_request, response) => response.end('second'));
    const tried: string[] = [];
    const fetched = await guardedFetch('http://a.example/', {
      resolve: () => ['93.184.215.14', '93.184.215.15'],
      connect: async ({ host }) => {
        tried.push(host);
        if (host.endsWith('14')) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
        return net.connect({ host: '127.0.0.1', port });
      },
    });
    expect(fetched).toMatchObject({ status: 200 });
    expect(tried).toEqual(['93.184.215.14', '93.184.215.15']);
  });
});

describe('proxies of the environment', () => {
  /** A proxy that tunnels every address to one loopback port and notes what it was asked for. */
  async function proxyTo(port: number, status = 200) {
    const asked: string[] = [];
    const proxy = http.createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(500).end();
    });
    proxy.on('connect', (request, socket: net.Socket) => {
      asked.push(`CONNECT ${request.url}`);
      if (status !== 200) {
        socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
        return;
      }
      const onward = net.connect({ host: '127.0.0.1', port }, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
    });
    const address = `http://127.0.0.1:${await listen(proxy)}`;
    return { asked, environment: { HTTP_PROXY: address, HTTPS_PROXY: address } };
  }
  const resolve = () => [PUBLIC];

  it('are asked for the checked address; name and certificate stay the right ones', async () => {
    const names: unknown[] = [];
    const secure = await serveTls((request, response) => {
      names.push(request.headers.host, (request.socket as unknown as { servername: string }).servername);
      response.end('through');
    });
    const { asked, environment } = await proxyTo(secure);
    const fetched = await guardedFetch('https://page.example/', {
      resolve,
      environment,
      ca: [pem('tls-page')],
    });
    expect(fetched).toMatchObject({ status: 200 });
    expect(asked).toEqual([`CONNECT ${PUBLIC}:443`]);
    expect(names).toEqual(['page.example', 'page.example']);
  });

  it('tunnel plain http too, so that they can not look the name up again', async () => {
    const hosts: unknown[] = [];
    const plain = await serve((request, response) => {
      hosts.push(request.headers.host);
      response.end('through');
    });
    const { asked, environment } = await proxyTo(plain);
    await guardedFetch('http://a.example:8080/x', { resolve, environment });
    expect(asked).toEqual([`CONNECT ${PUBLIC}:8080`]);
    expect(hosts).toEqual(['a.example:8080']);
  });

  it.each([
    ['a name of a private address', 'http://a.example/', ['10.0.0.1']],
    ['one private answer of two', 'https://a.example/', [PUBLIC, '169.254.169.254']],
    ['a literal address', 'http://169.254.169.254/', []],
    ['this machine', 'http://localhost:9000/', [PUBLIC]],
  ])('are never asked for %s', async (_name, url, answers) => {
    const { asked, environment } = await proxyTo(1);
    await expect(guardedFetch(url, { resolve: () => answers, environment })).rejects.toMatchObject({
      code: 'denied',
    });
    expect(asked).toEqual([]);
  });

  it('that refuse are named in the message', async () => {
    const { environment } = await proxyTo(1, 403);
    const message = await messageOfFailure(
      'a proxy that refuses',
      guardedFetch('https://a.example/', { resolve, environment }),
    );
    expect(message).toContain(`refused the connection to ${PUBLIC}:443 (status 403)`);
  });

  it('of a kind that can not be used are named', async () => {
    const environment = { ALL_PROXY: 'socks5://127.0.0.1:1080' };
    const message = await messageOfFailure(
      'a socks proxy',
      guardedFetch('https://a.example/', { resolve, environment }),
    );
    expect(message).toContain('only http and https proxies can be used');
  });

  it('are passed by for hosts in NO_PROXY, which are checked all the same', async () => {
    const { asked, environment } = await proxyTo(1);
    const port = await serve((_request, response) => response.end('direct'));
    const open = doors(port);
    const exempt = { ...environment, NO_PROXY: 'a.example' };
    expect(await guardedFetch('http://a.example/', { ...open, environment: exempt })).toMatchObject({
      status: 200,
    });
    const privately = guardedFetch('http://a.example/', {
      ...open,
      resolve: () => ['10.0.0.1'],
      environment: exempt,
    });
    await expect(privately).rejects.toMatchObject({ code: 'denied' });
    expect(asked).toEqual([]);
  });
});

describe('a request', () => {
  it('says who asks, carries no cookie and no fragment', async () => {
    const seen: http.IncomingHttpHeaders[] = [];
    const urls: unknown[] = [];
    const port = await serve((request, response) => {
      seen.push(request.headers);
      urls.push(request.url);
      if (seen.length === 1) response.writeHead(302, { location: '/two', 'set-cookie': 'id=1' }).end();
      else response.end('ok');
    });
    await guardedFetch('http://a.example/one?q=1#secret', doors(port));
    expect(urls).toEqual(['/one?q=1', '/two']);
    for (const headers of seen) {
      expect(Object.keys(headers).sort()).toEqual([
        'accept',
        'accept-encoding',
        'connection',
        'host',
        'user-agent',
      ]);
      expect(headers['user-agent']).toContain('Toolwright');
    }
  });

  it('decompresses a compressed body', async () => {
    const port = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('unpacked'));
    });
    const fetched = await guardedFetch('http://a.example/', doors(port));
    expect(fetched.kind === 'page' && Buffer.from(fetched.bytes).toString()).toBe('unpacked');
  });
});

describe('the cache of a session', () => {
  it('answers a second fetch without a connection until it is too old', async () => {
    let time = 0;
    let served = 0;
    const port = await serve((_request, response) => response.end(`version ${++served}`));
    const open = doors(port);
    const http = createGuardedHttp({
      ...open,
      resolve: async () => [PUBLIC],
      connect: async (t) => open.connect(t),
      now: () => time,
    });
    const fetch = async (url: string) => {
      const fetched = await http.fetch(url, { signal });
      return fetched.kind === 'page'
        ? `${Buffer.from(fetched.bytes)}${fetched.fromCache ? ' kept' : ''}`
        : '';
    };
    expect(await fetch('http://a.example/')).toBe('version 1');
    time = 14 * 60_000;
    expect(await fetch('http://a.example/#part')).toBe('version 1 kept');
    time = 16 * 60_000;
    expect(await fetch('http://a.example/')).toBe('version 2');
    expect(open.connected.length).toBe(2);
  });

  it.each([
    ['pages that forbid it', { 'cache-control': 'private, no-store' }, 200],
    ['failures', {}, 500],
  ])('does not keep %s', async (_name, headers, status) => {
    const port = await serve((_request, response) => response.writeHead(status, headers).end('x'));
    const open = doors(port);
    const http = createGuardedHttp({ resolve: async () => [PUBLIC], connect: async (t) => open.connect(t) });
    await http.fetch('http://a.example/', { signal });
    await http.fetch('http://a.example/', { signal });
    expect(open.connected.length).toBe(2);
  });
});
