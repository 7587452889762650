import { randomBytes } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { jsonObjectIn, whenAborted } from '@toolwright/core/front-end';
import type { Wanted } from '../wire/wire.js';
import { answerRequest, type Methods, sendJson } from './http/answer-requests.js';
import { type EventStream, openEventStream } from './http/event-stream.js';
import { type Entrance, isSame, refuseStranger, refuseWithoutToken } from './http/guard.js';
import { openPageFiles } from './http/page-files.js';
import { openMethods } from './methods.js';
import type { WebNeeds } from './needs.js';

/** The options of the server of the page. */
export interface ServeWebOptions {
  /** The folder with the files of the page. */
  pageFolder: string;
  /** 0 for any that is free. */
  port: number;
  readOnly: boolean;
  /** An address other than loopback, with everything that makes it safe. */
  abroad?: { host: string; certificate: string; key: string; password: string } | undefined;
  signal: AbortSignal;
  onListening(address: WebAddress): void;
}

/** The address of the page. */
export interface WebAddress {
  /** The address, with the token unless a password is asked for. */
  url: string;
  port: number;
  token: string;
}

/** Serves the page until the signal fires. */
export async function serveWeb(needs: WebNeeds, options: ServeWebOptions): Promise<void> {
  const token = randomBytes(32).toString('base64url');
  const host = options.abroad?.host ?? '127.0.0.1';
  const web = openMethods(needs, options);
  const entrance: Entrance = { hosts: [], scheme: options.abroad ? 'https' : 'http', token };
  const listener = createListener({ entrance, web, needs, options });
  const server = options.abroad
    ? createSecureServer({ cert: options.abroad.certificate, key: options.abroad.key }, listener)
    : createServer(listener);
  const port = await listen(server, options.port, host);
  const name = host.includes(':') ? `[${host}]` : host;
  entrance.hosts = options.abroad ? [`${name}:${port}`] : [`127.0.0.1:${port}`, `localhost:${port}`];
  const url = `${entrance.scheme}://${name}:${port}/${options.abroad ? '' : `#token=${token}`}`;
  options.onListening({ url, port, token });
  await whenAborted(options.signal);
  server.close();
  server.closeAllConnections();
  await web.close();
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

interface Listening {
  entrance: Entrance;
  web: {
    methods: Methods;
    subscribe(stream: EventStream, wanted: Wanted): Promise<void>;
  };
  needs: WebNeeds;
  options: ServeWebOptions;
}

function createListener({ entrance, web, needs, options }: Listening): RequestListener {
  const sendFile = openPageFiles(options.pageFolder);
  const login = createLogin(entrance, options.abroad?.password);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const stranger = refuseStranger(request.headers, entrance);
    if (stranger) return sendJson(response, stranger.status, { error: stranger.why });
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://page');
    if (!pathname.startsWith('/api/')) {
      if (!sendFile(request, response)) sendJson(response, 404, { error: 'There is no such file.' });
      return;
    }
    if (pathname === '/api/login') return login(request, response);
    const refusal = refuseWithoutToken(request.headers, entrance);
    if (refusal) return sendJson(response, refusal.status, { error: refusal.why });
    if (pathname === '/api/subscribe')
      return web.subscribe(openEventStream(response), {
        session: searchParams.get('session') ?? '',
        task: searchParams.get('task') ?? '',
      });
    if (request.method !== 'POST') return sendJson(response, 405, { error: 'Requests are made with POST.' });
    await answerRequest(
      pathname.slice('/api/'.length),
      { request, response },
      {
        methods: web.methods,
        readOnly: options.readOnly,
        report: needs.report,
      },
    );
  }

  return (request, response) => {
    answer(request, response).catch(async (error: unknown) => {
      sendJson(response, 500, { error: await needs.report(error) });
    });
  };
}

const LOGIN_DELAY_MS = 1_000;
const LONGEST_LOGIN = 4_096;

/** Gives the token for the password; one attempt at a time, each wrong one a second long. */
function createLogin(
  { token }: Entrance,
  password: string | undefined,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  return async (request, response) => {
    let text = '';
    for await (const chunk of request) if (text.length < LONGEST_LOGIN) text += String(chunk);
    const given = passwordIn(text);
    const attempt = last.then(async () => {
      if (password !== undefined && given !== null && isSame(given, password)) return true;
      await wait(LOGIN_DELAY_MS);
      return false;
    });
    last = attempt;
    if (await attempt) sendJson(response, 200, { token });
    else
      sendJson(response, password === undefined ? 404 : 401, {
        error:
          password === undefined
            ? 'There is no password: open the address that the program printed.'
            : 'That is not the password.',
      });
  };
}

function passwordIn(text: string): string | null {
  const password = jsonObjectIn(text)?.['password'];
  return typeof password === 'string' ? password : null;
}
