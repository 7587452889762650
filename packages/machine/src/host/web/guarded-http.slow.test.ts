import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { isToolError } from '../../base/errors.js';
import { type GuardedFetchOptions, guardedFetch } from '../../testing/guarded-fetch.js';
import { closeServers, doors, pem, serve, serveRaw, serveTls } from './fixtures/loopback.js';

afterAll(closeServers);

const MB = 1024 * 1024;
const shown: [name: string, code: string, message: string][] = [];

afterAll(() => {
  console.log(
    [
      'what the server does: what the model reads',
      ...shown.map(([name, code, message]) => `- ${name}: [${code}] ${message}`),
    ].join('\n'),
  );
});

async function failure(name: string, url: string, options: GuardedFetchOptions) {
  const error = await guardedFetch(url, options).then(
    (fetched) => Promise.reject(new Error(`fetched: ${JSON.stringify(fetched).slice(0, 300)}`)),
    (thrown: unknown) => thrown,
  );
  if (!isToolError(error)) throw error;
  shown.push([name, error.code, error.message]);
  return { code: error.code, message: error.message };
}

describe('redirects', () => {
  const to = (response: ServerResponse, location: string, status = 302) => {
    response.writeHead(status, { location }).end('gone');
  };

  it('on the same host are followed, and the result says where it came from', async () => {
    const port = await serve(({ url = '' }, response) => {
      const step = Number(url.slice(1) || 0);
      if (step < 5) to(response, `/${step + 1}`, [301, 302, 303, 307, 308][step]);
      else response.end('here');
    });
    const open = doors(port);
    const fetched = await guardedFetch('http://a.example/', open);
    expect(fetched).toMatchObject({ kind: 'page', url: 'http://a.example/5', status: 200 });
    expect(fetched.kind === 'page' && fetched.redirects.length).toBe(5);
    expect(open.connected.length).toBe(6);
  });

  it('are given up at the sixth', async () => {
    let step = 0;
    const port = await serve((_request, response) => to(response, `/${++step}`));
    const open = doors(port);
    expect(await failure('a redirect without end', 'http://a.example/', open)).toEqual({
      code: 'failed',
      message:
        "http://a.example/ redirects more than 5 times, last to http://a.example/6. The page can't be reached this way.",
    });
    expect(open.connected.length).toBe(6);
  });

  it('that go in a circle are reported as a circle', async () => {
    const port = await serve(({ url }, response) => to(response, url === '/a' ? '/b' : '/a'));
    const { message } = await failure('redirects in a circle', 'http://a.example/a', doors(port));
    expect(message).toContain('It goes in a circle.');
  });

  it.each([
    ['loopback', 'http://127.0.0.1:8080/admin'],
    ['a short spelling of loopback', 'http://127.1/'],
    ['localhost', 'http://localhost/'],
    ['the metadata address', 'http://169.254.169.254/latest/meta-data/'],
    ['a private address', 'https://10.0.0.1/'],
    ['IPv6 loopback', 'http://[::1]/'],
    ['a file', 'file:///etc/passwd'],
    ['credentials', 'http://user:pass@a.example/'],
    ['the port of a mail server', 'http://a.example:25/'],
    ['an address that is none', 'http://'],
  ])('refuses one to %s', async (name, location) => {
    const port = await serve((_request, response) => to(response, location));
    const open = doors(port);
    const { code, message } = await failure(`redirect to ${name}`, 'http://a.example/', open);
    expect(code).toBe('denied');
    expect(message).toContain('http://a.example/ redirects to an address that is not fetched: ');
    expect(open.connected).toEqual(['93.184.215.14:80']);
  });

  it('checks the same host again at every step', async () => {
    let asked = 0;
    const port = await serve((_request, response) => to(response, '/next'));
    const open = { ...doors(port), resolve: () => [asked++ === 0 ? '93.184.215.14' : '127.0.0.1'] };
    const { code, message } = await failure(
      'redirect to itself, now a private address',
      'http://a.example/',
      open,
    );
    expect(code).toBe('denied');
    expect(message).toBe(
      'a.example is at 127.0.0.1, a loopback address; only public hosts can be fetched. Only the user can open it, with the rule Fetch(a.example) in the user settings.',
    );
    expect(open.connected).toEqual(['93.184.215.14:80']);
  });

  it.each([
    ['another host', 'http://a.example/', 'https://b.example/x'],
    ['a sub-domain', 'http://a.example/', 'http://www.a.example/'],
    ['another port', 'http://a.example/', 'http://a.example:8080/'],
  ])('does not go to %s but tells', async (_name, url, location) => {
    const port = await serve((_request, response) => to(response, location));
    const open = doors(port);
    expect(await guardedFetch(url, open)).toEqual({
      kind: 'elsewhere',
      from: url,
      to: location,
      status: 302,
    });
    expect(open.connected.length).toBe(1);
  });

  it('takes the step from http to https, not the one back', async () => {
    const plain = await serve((_request, response) => to(response, 'https://page.example/safe'));
    const secure = await serveTls((request, response) => {
      if (request.url === '/safe') response.end('safe');
      else to(response, 'http://page.example/');
    });
    const open = { ...doors({ 80: plain, 443: secure }), ca: [pem('tls-page')] };
    expect(await guardedFetch('http://page.example/', open)).toMatchObject({
      url: 'https://page.example/safe',
    });
    expect(await guardedFetch('https://page.example/back', open)).toMatchObject({ kind: 'elsewhere' });
  });
});

describe('a server that wastes time', () => {
  it('by dripping for ever is cut off at the total limit', async () => {
    const port = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const timer = setInterval(() => response.write('.'), 20);
      response.once('close', () => clearInterval(timer));
    });
    const options = { ...doors(port), limits: { totalMs: 400, idleMs: 200 } };
    expect(await failure('a slow drip', 'http://a.example/', options)).toEqual({
      code: 'timeout',
      message:
        'http://a.example/ took longer than 0.4 s and was given up. Try again later or fetch another page.',
    });
  });

  it.each([
    ['says nothing', ''],
    ['falls silent after the headers', 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\nhalf'],
  ])('%s', async (name, start) => {
    const port = await serveRaw((socket) => socket.write(start));
    const options = { ...doors(port), limits: { idleMs: 200 } };
    const { code, message } = await failure(`a server that ${name}`, 'http://a.example/', options);
    expect(code).toBe('timeout');
    expect(message).toBe('a.example sent nothing for 0.2 s. It was given up; try again later.');
  });

  it('by never answering the look-up is cut off at the total limit', async () => {
    const options = { resolve: () => new Promise<string[]>(() => undefined), limits: { totalMs: 200 } };
    expect((await failure('a look-up without answer', 'http://a.example/', options)).code).toBe('timeout');
  });

  it('stops at once when the user cancels', async () => {
    const controller = new AbortController();
    const port = await serveRaw(() => controller.abort({ kind: 'user' }));
    const fetching = guardedFetch('http://a.example/', { ...doors(port), signal: controller.signal });
    await expect(fetching).rejects.toEqual({ kind: 'user' });
  });
});

describe('a server that sends too much', () => {
  const zeros = Buffer.alloc(64 * MB);
  const bombs: [string, () => Buffer][] = [
    ['gzip', () => gzipSync(zeros)],
    ['deflate', () => deflateSync(zeros)],
    ['br', () => brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
    ['gzip, gzip', () => gzipSync(gzipSync(zeros))],
  ];
  it.each(bombs)('a bomb packed with %s', async (encoding, pack) => {
    const bomb = pack();
    const port = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding, 'content-type': 'text/html' }).end(bomb);
    });
    const { code, message } = await failure(
      `64 MB packed with ${encoding} into ${bomb.length} bytes`,
      'http://a.example/',
      doors(port),
    );
    expect(code).toBe('too_large');
    expect(message).toContain('it unpacks to more than 20 MB. Nothing was kept.');
  });

  it('packed data that unpacks to nothing, without end', async () => {
    const nothing = Buffer.concat(Array.from({ length: 2000 }, () => gzipSync('')));
    const port = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const feed = () => {
        while (!response.destroyed && response.write(nothing));
        if (!response.destroyed) response.once('drain', feed);
      };
      feed();
    });
    const options = { ...doors(port), limits: { transferredBytes: 2 * MB, totalMs: 20_000 } };
    const { code, message } = await failure('packed nothing without end', 'http://a.example/', options);
    expect(code).toBe('too_large');
    expect(message).toContain('it sends more than 2 MB');
  });

  it('of 50 MB in its headers is refused before the body', async () => {
    const open = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 50 * MB }).write('x');
    }).then(doors);
    expect(await failure('50 MB, declared', 'http://a.example/big', open)).toEqual({
      code: 'too_large',
      message:
        'http://a.example/big is too large to fetch: it is 50 MB. Nothing was kept. Look for a smaller page, or download it with run_shell_command and read it by parts.',
    });
  });

  it('of 50 MB unannounced is cut off at the limit', async () => {
    const chunk = Buffer.alloc(MB, 'x');
    let sent = 0;
    const port = await serve((_request, response) => {
      const feed = () => {
        while (!response.destroyed && sent < 50 && response.write(chunk)) sent++;
        if (sent < 50 && !response.destroyed) response.once('drain', feed);
        else response.end();
      };
      feed();
    });
    const { code } = await failure('50 MB, not declared', 'http://a.example/', doors(port));
    expect(code).toBe('too_large');
    expect(sent).toBeLessThan(50);
  });
});

describe('a server that can not count', () => {
  const raw = (text: string) => serveRaw((socket) => socket.end(text, 'latin1'));

  it.each([
    ['a body shorter than its length', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort'],
    ['a chunk shorter than its size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nshort'],
    ['a chunk of no size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nx\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd'],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
    ],
    [
      'headers without end',
      `HTTP/1.1 200 OK\r\n${'x-filler: aaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(2000)}\r\n`,
    ],
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['nothing but an end', ''],
    [
      'packed data that is not',
      'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\nplain',
    ],
    [
      'packed data cut off',
      `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n${gzipSync('x'.repeat(5000)).toString('latin1').slice(0, 20)}`,
    ],
    ['an unknown packing', 'HTTP/1.1 200 OK\r\ncontent-encoding: zip9\r\ncontent-length: 1\r\n\r\nx'],
  ])('%s', async (name, answer) => {
    const { code, message } = await failure(name, 'http://a.example/', doors(await raw(answer)));
    expect(code).toBe('failed');
    expect(message.length).toBeGreaterThan(20);
  });

  it('sends more than its length: the rest is not part of the page', async () => {
    const port = await raw('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\npage and more');
    const fetched = await guardedFetch('http://a.example/', doors(port));
    expect(fetched.kind === 'page' && Buffer.from(fetched.bytes).toString()).toBe('page');
  });
});
