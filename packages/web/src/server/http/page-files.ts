import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { safeHeaders } from './guard.js';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface PageFile {
  type: string;
  tag: string;
  whole: Buffer;
  compressed: Map<string, Buffer>;
}

/** The files of the page, by their names alone: no request reaches the file system. */
export function openPageFiles(
  folder: string,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(folder)) {
    const type = types[extname(name)];
    if (!type) continue;
    const whole = readFileSync(join(folder, name));
    const tag = `"${createHash('sha256').update(whole).digest('base64url').slice(0, 22)}"`;
    files.set(`/${name}`, { type, tag, whole, compressed: new Map() });
  }
  return (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://page');
    const file = files.get(pathname === '/' ? '/index.html' : pathname);
    if (!file || request.method !== 'GET') return false;
    const headers = {
      ...safeHeaders,
      'content-type': file.type,
      etag: file.tag,
      'cache-control': 'no-cache',
      vary: 'accept-encoding',
    };
    if (request.headers['if-none-match'] === file.tag) response.writeHead(304, headers).end();
    else {
      const coding = codingFor(String(request.headers['accept-encoding'] ?? ''));
      const body = coding ? compressed(file, coding) : file.whole;
      if (coding) response.setHeader('content-encoding', coding);
      response.writeHead(200, { ...headers, 'content-length': body.length });
      response.end(body);
    }
    return true;
  };
}

type Coding = 'br' | 'gzip';

function codingFor(accepted: string): Coding | null {
  if (/\bbr\b/.test(accepted)) return 'br';
  return /\bgzip\b/.test(accepted) ? 'gzip' : null;
}

function compressed({ whole, compressed: made }: PageFile, coding: Coding): Buffer {
  const known = made.get(coding);
  if (known) return known;
  const body =
    coding === 'gzip'
      ? gzipSync(whole)
      : brotliCompressSync(whole, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  made.set(coding, body);
  return body;
}
