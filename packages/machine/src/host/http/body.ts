import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { brokenOff, HttpError, silentFor } from './http-error.js';

export interface BodyOptions {
  incoming: IncomingMessage;
  where: string;
  signal: AbortSignal;
  idleTimeoutMs: number;
}

export interface Body {
  chunks: AsyncIterable<Uint8Array>;
  close(): void;
}

/**
 * The decoded body. The silence limit counts only while someone waits for the next chunk: a slow reader is not the
 * server's fault.
 */
export async function readBody(options: BodyOptions): Promise<Body> {
  const { incoming, signal } = options;
  const source = await decoded(incoming);
  const abort = () => incoming.destroy();
  const release = () => signal.removeEventListener('abort', abort);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  incoming.once('close', release);
  // Without a listener an error after `close` would end the process.
  source.on('error', () => undefined);
  incoming.on('error', () => undefined);
  return {
    chunks: chunksOf(source, options),
    close: () => {
      release();
      incoming.destroy();
    },
  };
}

async function* chunksOf(source: Readable, options: BodyOptions): AsyncGenerator<Uint8Array> {
  const { incoming, where, signal, idleTimeoutMs } = options;
  const iterator: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]();
  let received = 0;
  let silence: HttpError | null = null;
  try {
    while (true) {
      const timer = setTimeout(() => {
        silence = silentFor(where, idleTimeoutMs);
        incoming.destroy(silence);
      }, idleTimeoutMs);
      const step = await iterator.next().finally(() => clearTimeout(timer));
      if (step.done) break;
      received += step.value.byteLength;
      yield step.value;
    }
    // A stream that was destroyed without an error ends quietly.
    if (!incoming.complete) throw new Error('it ended too early');
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw silence ?? brokenOff(where, received, error);
  } finally {
    if (!incoming.complete) incoming.destroy();
  }
}

async function decoded(incoming: IncomingMessage): Promise<Readable> {
  const encodings = String(incoming.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (encodings.length === 0) return incoming;
  const [zlib, { pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')]);
  const flush = zlib.constants.Z_SYNC_FLUSH;
  const decoders = encodings.reverse().map((name) => {
    switch (name) {
      case 'gzip':
      case 'x-gzip':
        return zlib.createGunzip({ flush });
      case 'deflate':
        return zlib.createInflate({ flush });
      case 'br':
        return zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH });
      default:
        throw new HttpError(
          'broken',
          `The answer is packed as ${name.slice(0, 40)}, which was not asked for.`,
        );
    }
  });
  const last = decoders.at(-1)!;
  pipeline([incoming, ...decoders], () => undefined);
  return last;
}
