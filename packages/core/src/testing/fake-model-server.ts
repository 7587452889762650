import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FakeAnswer } from './fake-model/answer.js';
import { fakeBody, type WireName } from './fake-model/body.js';

interface RecordedRequest {
  wire: WireName;
  path: string;
  headers: Record<string, string>;
  streaming: boolean;
  body: Record<string, unknown>;
  bytes: Buffer;
}

type ScriptedAnswer = FakeAnswer | ((request: RecordedRequest) => FakeAnswer);

/** A model server on loopback that gives the answers of a script. */
export interface FakeModelServer {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly port: number;
  readonly requests: RecordedRequest[];
  /** Base addresses as each wire format writes them. */
  readonly baseUrls: Record<WireName, string>;
  /** Variables that lead a program to this server. */
  environment(wire?: WireName): Record<string, string>;
  answer(...answers: ScriptedAnswer[]): void;
  /** Answers that were not asked for yet. */
  readonly left: number;
  /** Connections that were opened so far. */
  readonly connections: number;
  close(): Promise<void>;
}

export interface FakeModelServerOptions {
  answers?: ScriptedAnswer[];
  /** The answer after the end of the script; without it a further request is an error. */
  otherwise?: ScriptedAnswer;
  /** Names listed at `/v1/models`. */
  models?: string[];
  port?: number;
}

/** A model on loopback that speaks all wire formats and says what the script says, answer by answer. */
export async function startFakeModelServer(options: FakeModelServerOptions = {}): Promise<FakeModelServer> {
  const script = [...(options.answers ?? [])];
  const requests: RecordedRequest[] = [];
  let connections = 0;
  const server = createServer((incoming, response) => {
    if (incoming.method === 'GET') return listModels(response, options.models ?? ['fake-model']);
    void receive(incoming).then((request) => {
      if (!request) {
        response.writeHead(404).end('{"error":{"message":"no such path"}}');
        return;
      }
      requests.push(request);
      const next = script.shift() ?? options.otherwise ?? nothingLeft;
      void send(response, typeof next === 'function' ? next(request) : next, request);
    });
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const baseUrls = { openai: `${url}/v1`, 'openai-responses': `${url}/v1`, anthropic: url, gemini: url };
  return {
    url,
    port,
    requests,
    baseUrls,
    environment: (wire = 'openai') => environmentFor(wire, baseUrls[wire]),
    answer: (...answers) => script.push(...answers),
    get left() {
      return script.length;
    },
    get connections() {
      return connections;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const nothingLeft: FakeAnswer = {
  status: 400,
  body: {
    error: { type: 'invalid_request_error', message: 'The script of the fake model has no answer left.' },
  },
};

function environmentFor(wire: WireName, baseUrl: string): Record<string, string> {
  const [prefix, urlVariable] = {
    openai: ['OPENAI', 'OPENAI_BASE_URL'],
    'openai-responses': ['OPENAI', 'OPENAI_BASE_URL'],
    anthropic: ['ANTHROPIC', 'ANTHROPIC_BASE_URL'],
    gemini: ['GEMINI', 'GOOGLE_GEMINI_BASE_URL'],
  }[wire] as [string, string];
  return { [`${prefix}_API_KEY`]: 'test-key', [urlVariable]: baseUrl, [`${prefix}_MODEL`]: 'fake-model' };
}

function listModels(response: ServerResponse, models: string[]): void {
  const body = { object: 'list', data: models.map((id) => ({ id, object: 'model', owned_by: 'fake' })) };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function receive(incoming: IncomingMessage): Promise<RecordedRequest | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const path = incoming.url ?? '';
  const wire = wireOf(path);
  if (!wire) return null;
  const bytes = Buffer.concat(chunks);
  const body = JSON.parse(bytes.toString()) as Record<string, unknown>;
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  const streaming = wire === 'gemini' ? path.includes(':streamGenerateContent') : body['stream'] === true;
  return { wire, path, headers, streaming, body, bytes };
}

function wireOf(path: string): WireName | null {
  if (/\/chat\/completions(\?|$)/.test(path)) return 'openai';
  if (/\/responses(\?|$)/.test(path)) return 'openai-responses';
  if (/\/v1\/messages(\?|$)/.test(path)) return 'anthropic';
  return /\/models\/[^/]+:(streamG|g)enerateContent(\?|$)/.test(path) ? 'gemini' : null;
}

async function send(response: ServerResponse, answer: FakeAnswer, request: RecordedRequest): Promise<void> {
  if (answer.instead === 'silence') return;
  if (answer.instead === 'cut') return void response.socket?.destroy();
  const status = answer.status ?? 200;
  if (status !== 200 || answer.body !== undefined) {
    const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
    response.writeHead(status, { 'content-type': 'application/json', ...answer.headers }).end(body);
    return;
  }
  const type = request.streaming ? 'text/event-stream' : 'application/json';
  response.writeHead(200, { 'content-type': type, ...answer.headers });
  const whole = fakeBody(answer, request.wire, request.streaming);
  const { sent, ending } = answer.spoil?.(whole) ?? { sent: whole, ending: answer.afterwards };
  response.flushHeaders();
  await writeInPieces(response, Buffer.from(sent), answer.splitBytes);
  if (ending === 'silence') return;
  if (ending === 'cut') response.socket?.destroy();
  else response.end();
}

async function writeInPieces(response: ServerResponse, bytes: Buffer, size = bytes.length): Promise<void> {
  for (let at = 0; at < bytes.length; at += size) {
    await new Promise<void>((resolve) => response.write(bytes.subarray(at, at + size), () => resolve()));
  }
}
