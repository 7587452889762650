import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { Files, OpenFile } from '@toolwright/machine/host/files/files.js';
import { createIgnore } from '@toolwright/machine/host/ignore/ignore.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { createRipgrep } from '@toolwright/machine/host/ripgrep/ripgrep.js';
import { type NamedRoot, workspaceOf } from '@toolwright/machine/host/workspace.js';
import type { ToolHost } from '../define-tool.js';
import type { RemoteFunction } from './crossing-values.js';
import type { RemoteCalls } from './remote-calls.js';

/** The facts of the host that a thread must have to answer at once, without asking the program. */
export interface HostFacts {
  roots: NamedRoot[];
  ignoreFiles: readonly string[];
  logPath: string;
}

export function factsOf({ workspace, ignore, log }: ToolHost): HostFacts {
  return {
    roots: workspace.roots.map((root) => ({ given: root.path, ...root })),
    ignoreFiles: ignore.fileNames,
    logPath: log.path,
  };
}

/** The functions of the host that a thread may call: rules on files, the network and commits stay in the program. */
export function doorsOf(host: ToolHost): Record<string, RemoteFunction> {
  return {
    files: (member: keyof Files, args: unknown[]): unknown => {
      const work = host.files[member] as (...given: unknown[]) => unknown;
      return work.call(host.files, ...args);
    },
    request: host.http.request.bind(host.http),
    commit: host.commit.bind(host),
    log: (level: 'debug' | 'error', message: string, data: unknown) => host.log[level](message, data),
  };
}

/** The host inside a thread. Path arithmetic, ignore files and searches are done here, all else by the program. */
export function threadHost(facts: HostFacts, program: Pick<RemoteCalls, 'call'>): ToolHost {
  const workspace = workspaceOf(facts.roots);
  const logged =
    (level: 'debug' | 'error') =>
    (message: string, data?: unknown): void =>
      void program.call('log', level, message, data).catch(() => undefined);
  return {
    clock: createClock(),
    ids: createIds(),
    log: { path: facts.logPath, debug: logged('debug'), error: logged('error') },
    workspace,
    ignore: createIgnore({ workspace, fileNames: facts.ignoreFiles }),
    ripgrep: createRipgrep(),
    files: remoteFiles(program),
    http: { request: (request) => program.call('request', request) as never },
    commit: (planned, signal) => program.call('commit', planned, signal) as Promise<string>,
  };
}

function remoteFiles(program: Pick<RemoteCalls, 'call'>): Files {
  const call = async (member: keyof Files, args: unknown[]): Promise<unknown> => {
    const result = await program.call('files', member, args);
    return member === 'open' && isJsonObject(result) ? openFile(result as unknown as OpenFile) : result;
  };
  return new Proxy({} as Files, {
    get: (_, member) =>
      typeof member === 'string' && member !== 'then'
        ? (...args: unknown[]) => call(member as keyof Files, args)
        : undefined,
  });
}

/** A buffer of this thread is filled here: the program would fill a copy. */
function openFile(file: OpenFile): OpenFile {
  return {
    ...file,
    async readInto(buffer, offset, signal) {
      const bytes = await file.read(offset, buffer.byteLength, signal);
      buffer.set(bytes);
      return bytes.byteLength;
    },
  };
}
