import type { Readable, Writable } from 'node:stream';
import type {
  CancelNotification,
  CloseSessionRequest,
  DeleteSessionRequest,
  InitializeRequest,
  InitializeResponse,
  ListSessionsRequest,
  LoadSessionRequest,
  NewSessionRequest,
  PromptRequest,
  ResumeSessionRequest,
  SetSessionConfigOptionRequest,
  SetSessionModeRequest,
} from '@agentclientprotocol/sdk';
import { isJsonObject } from '@toolwright/core/front-end';
import type { Arguments } from '../command-line/args.js';
import { modesOf } from './config.js';
import { AcpFailure, codes } from './failures.js';
import type { EditorSession } from './session.js';
import { EditorSessions } from './sessions.js';
import { type Answerer, Peer } from './wire/peer.js';

export interface ConnectionOptions {
  args: Arguments;
  input: Readable;
  /** Carries the protocol and nothing else. */
  output: Writable;
  /** Ends the connection from our side. */
  signal: AbortSignal;
}

/** The stable protocol. */
const PROTOCOL_VERSION = 1;

/** Speaks with the one editor that started us, until it closes its end; then everything that runs ends. */
export async function serveEditor({ args, input, output, signal }: ConnectionOptions): Promise<void> {
  let opened: EditorSessions | null = null;
  const sessions = (): EditorSessions => {
    if (opened) return opened;
    throw new AcpFailure(codes.invalidRequest, 'Send initialize first.');
  };
  const peer = new Peer({
    input,
    output,
    requests: {
      initialize({ clientCapabilities }: InitializeRequest): InitializeResponse {
        const capabilities = isJsonObject(clientCapabilities) ? clientCapabilities : {};
        opened ??= new EditorSessions({ args, client: peer, capabilities });
        return introduction;
      },
      ...lifecycle(sessions),
      ...work(sessions),
    },
    notifications: { 'session/cancel': ({ sessionId }: CancelNotification) => opened?.cancel(sessionId) },
  });
  signal.addEventListener('abort', () => peer.close(), { once: true });
  await peer.closed;
  await (opened as EditorSessions | null)?.closeAll();
}

const VERSION = '0.1.0';

const introduction: InitializeResponse = {
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

type Sessions = () => EditorSessions;

/** Sessions begin, go on, are listed, closed and deleted. */
function lifecycle(sessions: Sessions): Record<string, Answerer> {
  return {
    async 'session/new'(params: NewSessionRequest) {
      const { id, session } = await sessions().begin(params);
      return { sessionId: id, ...entered(session) };
    },
    'session/load': async (params: LoadSessionRequest) =>
      entered(await sessions().goOn(params.sessionId, params, { replay: true })),
    'session/resume': async (params: ResumeSessionRequest) =>
      entered(await sessions().goOn(params.sessionId, params, { replay: false })),
    'session/list': (params: ListSessionsRequest, signal) => sessions().list(params, signal),
    async 'session/close'({ sessionId }: CloseSessionRequest) {
      if (!(await sessions().close(sessionId)))
        throw new AcpFailure(codes.notFound, `The session ${sessionId} is not open.`);
      return {};
    },
    async 'session/delete'({ sessionId }: DeleteSessionRequest) {
      await sessions().delete(sessionId);
      return {};
    },
  };
}

/** An open session is prompted and set up. */
function work(sessions: Sessions): Record<string, Answerer> {
  return {
    'session/prompt': async ({ sessionId, prompt }: PromptRequest, signal) => ({
      stopReason: await sessions().find(sessionId).prompt(prompt, signal),
    }),
    'session/set_mode'({ sessionId, modeId }: SetSessionModeRequest) {
      sessions().find(sessionId).setMode(modeId);
      return {};
    },
    async 'session/set_config_option'({ sessionId, configId, value }: SetSessionConfigOptionRequest) {
      const session = sessions().find(sessionId);
      await session.configure(configId, value);
      return { configOptions: session.configOptions };
    },
  };
}

/** The choices of a session that was just entered; what else there is to say follows the response. */
function entered(session: EditorSession) {
  setImmediate(() => session.greet());
  return { modes: modesOf(session.agent), configOptions: session.configOptions };
}
