import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isJsonObject, type JsonObject } from '../../base/json.js';
import { deadlineIn, withinDeadline } from '../deadline.js';
import type { Clock } from '../host.js';
import type { Launch, Processes, Running } from '../processes/processes.js';
import { createDocuments, type ShownDocument } from './documents.js';
import { answerTo, clientCapabilities, errorsIn, type SourceError } from './protocol.js';
import { createRpc, type Rpc, ServerFailure } from './rpc.js';

/** A file that was made, changed or removed on the disk. */
export interface ChangedOnDisk {
  path: string;
  kind: 'created' | 'changed' | 'deleted';
}

/** A running language server for one folder. Paths are absolute. */
export interface LanguageServer {
  /** The server's name for itself: `typescript-go 7.0.2`; empty where it does not say. */
  readonly name: string;
  /** Why it ended; null while it runs. */
  ended(): string | null;
  /** False when it said that it has no such feature: `renameProvider`. */
  can(feature: string): boolean;
  /** The server sees this text at this path from now on, whatever the disk holds. */
  show(document: ShownDocument): void;
  /** The server sees what the disk holds. */
  leave(path: string): void;
  shown(): readonly string[];
  filesChanged(changes: readonly ChangedOnDisk[]): void;
  /** The errors of a document that is shown. */
  errorsOf(path: string, signal: AbortSignal): Promise<SourceError[]>;
  /** A question about a document that is shown, or about the folder. */
  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  stop(): Promise<void>;
}

export interface LanguageServerOptions {
  launch: Launch;
  /** The folder that it looks at. */
  root: string;
  processes: Pick<Processes, 'start'>;
  clock: Clock;
  /** The answers to its questions about its configuration. */
  settings?: JsonObject;
  initializationOptions?: JsonObject | undefined;
  /** Called once when the process has ended. */
  onEnd?(): void;
  signal: AbortSignal;
}

const START_LIMIT_MS = 60_000;
const QUIET_END_MS = 500;
const GRACE_MS = 500;
const kinds = { created: 1, changed: 2, deleted: 3 } as const;

export async function startLanguageServer(options: LanguageServerOptions): Promise<LanguageServer> {
  const { root, clock, settings = {}, initializationOptions } = options;
  const folder = { uri: pathToFileURL(root).href, name: basename(root) };
  /** Methods that the server registered after the start. */
  const registered = new Set<string>();
  const { running, rpc, ended } = await startProcess(options, {
    onRequest(method, params) {
      if (method === 'client/registerCapability')
        for (const each of registrationsIn(params)) registered.add(each);
      return answerTo(method, params, { folders: [folder], settings });
    },
    onNotification: (method, params) => {
      if (method === 'textDocument/publishDiagnostics') documents.published(params);
    },
  });
  const documents = createDocuments(rpc);
  const { name, capabilities } = await initialize(
    rpc,
    { root, folder, initializationOptions },
    options.signal,
  ).catch(async (error: unknown) => {
    await running.stop({ kind: 'shutdown' });
    throw error;
  });
  const canBeAsked = (): boolean =>
    Boolean(capabilities['diagnosticProvider']) || registered.has('textDocument/diagnostic');
  return {
    name,
    ended,
    can: (feature) => Boolean(capabilities[feature]),
    show: documents.show,
    leave: documents.leave,
    shown: documents.shown,
    filesChanged(changes) {
      const told = changes.map(({ path, kind }) => ({ uri: pathToFileURL(path).href, type: kinds[kind] }));
      if (told.length > 0) rpc.notify('workspace/didChangeWatchedFiles', { changes: told });
    },
    async errorsOf(path, signal) {
      return canBeAsked() ? pullErrors(rpc, path, signal) : documents.awaitErrors(path, signal);
    },
    request: (method, params, signal) => rpc.request(method, params, signal),
    stop: () => endQuietly(running, rpc, clock),
  };
}

interface InitialNeeds extends Pick<LanguageServerOptions, 'root' | 'initializationOptions'> {
  folder: { uri: string; name: string };
}

/** The first exchange: what the server is called, and what it can do. */
async function initialize(
  rpc: Rpc,
  { root, folder, initializationOptions }: InitialNeeds,
  signal: AbortSignal,
): Promise<{ name: string; capabilities: JsonObject }> {
  const hello = await rpc.request(
    'initialize',
    {
      processId: null,
      rootUri: folder.uri,
      rootPath: root,
      workspaceFolders: [folder],
      capabilities: clientCapabilities,
      initializationOptions,
    },
    deadlineIn(START_LIMIT_MS, signal),
  );
  rpc.notify('initialized', {});
  const capabilities = isJsonObject(hello) ? hello['capabilities'] : null;
  return { name: nameIn(hello), capabilities: isJsonObject(capabilities) ? capabilities : {} };
}

async function startProcess(
  { launch, processes, onEnd }: LanguageServerOptions,
  answers: Pick<Parameters<typeof createRpc>[0], 'onRequest' | 'onNotification'>,
): Promise<{ running: Running; rpc: Rpc; ended(): string | null }> {
  let why: string | null = null;
  // The process outlives the call that starts it.
  const life = new AbortController();
  let running: Running | null = null;
  const rpc = createRpc({
    ...answers,
    send: (bytes) => void running?.write(bytes).catch(() => undefined),
    onBroken(reason) {
      why ??= reason;
      void running?.stop({ kind: 'limit', message: reason });
    },
  });
  running = await processes.start(launch, {
    signal: life.signal,
    keepInputOpen: true,
    graceMs: GRACE_MS,
    keep: { headBytes: 0, tailBytes: 4_096 },
    onBytes: (bytes, stream) => void (stream === 'stdout' && rpc.receive(bytes)),
  });
  void running.ended.then(({ exitCode, signal, stopped, stderr }) => {
    const said = stderr.head.trim().split('\n').at(-1) ?? '';
    const how =
      stopped?.message ??
      (signal === null ? `it ended with status ${exitCode}` : `it was ended by ${signal}`);
    why ??= said === '' ? how : `${how}: ${said}`;
    rpc.end(why);
    onEnd?.();
  });
  return { running, rpc, ended: () => why };
}

function registrationsIn(params: unknown): string[] {
  const list = isJsonObject(params) && Array.isArray(params['registrations']) ? params['registrations'] : [];
  return list.flatMap((each) =>
    isJsonObject(each) && typeof each['method'] === 'string' ? [each['method']] : [],
  );
}

/** Name and number of the version; some servers tell a whole paragraph. */
function nameIn(hello: unknown): string {
  const info = isJsonObject(hello) ? hello['serverInfo'] : null;
  if (!isJsonObject(info) || typeof info['name'] !== 'string') return '';
  const [version] = /\d+(\.\d+)+/.exec(String(info['version'] ?? '')) ?? [];
  return version === undefined ? info['name'] : `${info['name']} ${version}`;
}

const ATTEMPTS = 3;

/** A server that was just told of a change may refuse its first answer as outdated. */
async function pullErrors(rpc: Rpc, path: string, signal: AbortSignal): Promise<SourceError[]> {
  const params: JsonObject = { textDocument: { uri: pathToFileURL(path).href } };
  for (let attempt = 1; ; attempt++) {
    try {
      const report = await rpc.request('textDocument/diagnostic', params, signal);
      return errorsIn(isJsonObject(report) ? report['items'] : []);
    } catch (error) {
      if (!(error instanceof ServerFailure) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function endQuietly(running: Running, rpc: Rpc, clock: Clock): Promise<void> {
  const asked = rpc.request('shutdown', undefined, deadlineIn(QUIET_END_MS)).catch(() => undefined);
  await asked;
  rpc.notify('exit', undefined);
  await withinDeadline(running.ended, { ms: QUIET_END_MS, clock });
  await running.stop({ kind: 'shutdown' });
}
