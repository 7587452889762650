import type { Readable, Writable } from 'node:stream';
import type { ClientCapabilities, InitializeResponse } from '@agentclientprotocol/sdk';
import type { Arguments } from '../command-line/args.js';
import { modesOf } from './config.js';
import { AcpFailure, codes, failureOf } from './failures.js';
import type { EditorSession } from './session.js';
import { EditorSessions } from './sessions.js';

export interface ConnectionOptions {
  args: Arguments;
  input: Readable;
  /** Carries the protocol and nothing else. */
  output: Writable;
  /** Ends the connection from our side. */
  signal: AbortSignal;
}

type Sdk = typeof import('@agentclientprotocol/sdk');

/** Speaks with the one editor that started us, until it closes its end; then everything that runs ends. */
export async function serveEditor({ args, input, output, signal }: ConnectionOptions): Promise<void> {
  const sdk = await import('@agentclientprotocol/sdk');
  let capabilities: ClientCapabilities = {};
  let sessions: EditorSessions | null = null;
  const app = sdk.agent({ name: 'toolwright' });
  const connected: { sessions(): EditorSessions } = {
    sessions() {
      if (sessions) return sessions;
      throw new AcpFailure(codes.invalidRequest, 'Send initialize first.');
    },
  };
  app.onRequest('initialize', ({ params }) => {
    capabilities = params.clientCapabilities ?? {};
    sessions ??= new EditorSessions({ args, client: connection.client, capabilities });
    return introduction(sdk);
  });
  registerLifecycle(app, sdk, connected);
  registerWork(app, sdk, connected);
  const stream = sdk.ndJsonStream(writing(output), reading(input));
  const connection = app.connect(stream);
  const end = (): void => connection.close();
  signal.addEventListener('abort', end, { once: true });
  output.once('error', end);
  await connection.closed;
  await (sessions as EditorSessions | null)?.closeAll();
}

/** By hand: the adapters of Node take milliseconds of each start. */
function reading(input: Readable): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      input.on('data', (chunk: Uint8Array) => {
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) input.pause();
      });
      let isOver = false;
      const end = (): void => {
        if (!isOver) controller.close();
        isOver = true;
      };
      for (const event of ['end', 'close', 'error']) input.once(event, end);
    },
    pull: () => void input.resume(),
    cancel: () => void input.destroy(),
  });
}

function writing(output: Writable): WritableStream<Uint8Array> {
  return new WritableStream({
    write: (chunk) =>
      new Promise((resolve, reject) => {
        output.write(chunk, (error) => (error ? reject(error) : resolve()));
      }),
  });
}

const VERSION = '0.1.0';

function introduction({ PROTOCOL_VERSION }: Sdk): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'toolwright', title: 'Toolwright', version: VERSION },
    authMethods: [],
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, additionalDirectories: {} },
    },
  };
}

/** Sessions begin, go on, are listed, closed and deleted. */
function registerLifecycle(
  app: ReturnType<Sdk['agent']>,
  sdk: Sdk,
  { sessions }: { sessions(): EditorSessions },
): void {
  const answered = <Result>(work: () => Promise<Result> | Result): Promise<Result> => told(sdk, work);
  app
    .onRequest('session/new', ({ params }) =>
      answered(async () => {
        const { id, session } = await sessions().begin(params);
        return { sessionId: id, ...entered(session) };
      }),
    )
    .onRequest('session/load', ({ params }) =>
      answered(async () => entered(await sessions().goOn(params.sessionId, params, { replay: true }))),
    )
    .onRequest('session/resume', ({ params }) =>
      answered(async () => entered(await sessions().goOn(params.sessionId, params, { replay: false }))),
    )
    .onRequest('session/list', ({ params, signal }) => answered(() => sessions().list(params, signal)))
    .onRequest('session/close', ({ params: { sessionId } }) =>
      answered(async () => {
        if (!(await sessions().close(sessionId)))
          throw new AcpFailure(codes.notFound, `The session ${sessionId} is not open.`);
        return {};
      }),
    )
    .onRequest('session/delete', ({ params }) =>
      answered(async () => {
        await sessions().delete(params.sessionId);
        return {};
      }),
    );
}

/** An open session is prompted, cancelled and set up. */
function registerWork(
  app: ReturnType<Sdk['agent']>,
  sdk: Sdk,
  { sessions }: { sessions(): EditorSessions },
): void {
  const answered = <Result>(work: () => Promise<Result> | Result): Promise<Result> => told(sdk, work);
  app
    .onRequest('session/prompt', ({ params, signal }) =>
      answered(async () => ({
        stopReason: await sessions().find(params.sessionId).prompt(params.prompt, signal),
      })),
    )
    .onRequest('session/set_mode', ({ params }) =>
      answered(() => {
        sessions().find(params.sessionId).setMode(params.modeId);
        return {};
      }),
    )
    .onRequest('session/set_config_option', ({ params }) =>
      answered(async () => {
        const session = sessions().find(params.sessionId);
        await session.configure(params.configId, params.value);
        return { configOptions: session.configOptions };
      }),
    )
    .onNotification('session/cancel', ({ params }) => {
      // A session that is gone has nothing to cancel.
      try {
        sessions().find(params.sessionId).cancel();
      } catch (error) {
        if (!(error instanceof AcpFailure)) throw error;
      }
    });
}

/** The choices of a session that was just entered; what else there is to say follows the response. */
function entered(session: EditorSession) {
  setImmediate(() => session.greet());
  return { modes: modesOf(session.agent), configOptions: session.configOptions };
}

async function told<Result>({ RequestError }: Sdk, work: () => Promise<Result> | Result): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, message, data } = await failureOf(error);
    throw new RequestError(code, message, data);
  }
}
