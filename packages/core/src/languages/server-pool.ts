import { sha256OfText } from '@toolwright/machine/base/digest/sha256.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { type OneAtATime, oneAtATime } from '@toolwright/machine/base/one-at-a-time.js';
import type { Host } from '@toolwright/machine/host/host.js';
import {
  type LanguageServer,
  startLanguageServer,
} from '@toolwright/machine/host/language-server/language-server.js';
import { childEnvironment } from '@toolwright/machine/host/processes/child-environment.js';
import type { Processes } from '@toolwright/machine/host/processes/processes.js';
import type { Profile, Sandbox } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { Environment, StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { type FoundServer, findServer } from './find-program.js';
import type { Language, LanguageOptions } from './known-servers.js';
import { packageAround } from './package-around.js';

/** The surroundings in which a session starts servers. */
export interface PoolNeeds {
  host: Pick<Host, 'clock' | 'log' | 'workspace'>;
  /** Processes for one server, which may outlive the session. */
  openProcesses(): Pick<Processes, 'start' | 'end'>;
  sandbox: Pick<Sandbox, 'confine' | 'state'>;
  /** Paths that rules hide from programs. */
  hiddenPaths(named: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
  state: Pick<StateFolder, 'make'>;
  environment: Environment;
  /** Programs of the workspace may be started, and others without a sandbox. */
  trusted: boolean;
  /** The folder of the view that the session works on; empty for the workspace itself. */
  viewFolder(): string;
  options: Pick<LanguageOptions, 'idleMs'>;
  /** Tells the user why nothing is known of some files. */
  say?(sentence: string): void;
}

/** A server with its turn: what one question shows it must not be changed by another. */
export interface PooledServer extends LanguageServer {
  /** Work on the server, one after the other. */
  readonly inTurn: OneAtATime;
  /** False for one that answers questions alone. */
  readonly tellsErrors: boolean;
}

export interface ServerPool {
  /** Work with the server of a language for a root, which is started where it does not run. Null where there is none. */
  use<Result>(
    wanted: { language: Language; root: string },
    work: (server: PooledServer) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result | null>;
  /** Ends the servers that no other session has asked something. */
  close(): Promise<void>;
}

const IDLE_MS = 5 * 60_000;
/** A server that ends by itself so often is not started again. */
const MOST_STARTS = 3;

/** A server that was asked for: the program of a language for one folder. */
interface WantedServer {
  language: Language;
  root: string;
  program: FoundServer;
}

interface SharedServer {
  key: string;
  server: Promise<PooledServer>;
  /** The number of those who work with it now. Its idle time begins when nobody does. */
  users: number;
  /** The sessions that have asked it something: it ends with the last of them. */
  holders: Set<object>;
  /** Ends its start. */
  life: AbortController;
  idle?: NodeJS.Timeout;
}

/** The servers of this program: its sessions share them. */
const shared = new Map<string, SharedServer>();

export function createServerPool(needs: PoolNeeds): ServerPool {
  const starts = new Map<string, number>();
  const holder = {};
  const locate = rememberedPrograms(needs);

  async function find({ language, root }: Omit<WantedServer, 'program'>, signal: AbortSignal) {
    const program = await locate(language, root);
    if (program === null) return null;
    const key = await keyOf(program, root, needs, signal);
    if (!shared.has(key) && !(await mayStart(needs, signal))) return null;
    // From here on nothing is awaited: whoever asks at the same time finds the entry of the first.
    const known = shared.get(key);
    known?.holders.add(holder);
    if (known) return known;
    const count = (starts.get(key) ?? 0) + 1;
    if (count > MOST_STARTS) return null;
    starts.set(key, count);
    const entry = startShared(key, { root, program, language }, needs);
    entry.holders.add(holder);
    return entry;
  }

  return {
    async use(wanted, work, signal) {
      const entry = await find(wanted, signal);
      if (entry === null) return null;
      return whileUsed(entry, work, () =>
        endWhenIdle(entry, {
          idleMs: needs.options.idleMs ?? IDLE_MS,
          // Such an end is no reason not to start it again.
          onEnd: () => void starts.delete(entry.key),
        }),
      );
    },
    async close() {
      const left = [...shared.values()].filter(
        (entry) => entry.holders.delete(holder) && entry.holders.size === 0,
      );
      const stopping = left.map(async (entry) => {
        leaveOut(entry);
        entry.life.abort('the last session that used it ended');
        await entry.server.then((each) => each.stop()).catch(() => undefined);
      });
      await Promise.all(stopping);
    },
  };
}

/** A server with other rules or roots sees other files, so it is not shared. */
async function keyOf(program: FoundServer, root: string, needs: PoolNeeds, signal: AbortSignal) {
  const hidden = await needs.hiddenPaths([], signal);
  const { roots } = needs.host.workspace;
  return sha256OfText(JSON.stringify([root, program, needs.viewFolder(), hidden, needs.trusted, roots]));
}

/** Starts a server. A caller may give up waiting; the server goes on starting. */
function startShared(key: string, wanted: WantedServer, needs: PoolNeeds): SharedServer {
  const forget = (): void => leaveOut(entry);
  const life = new AbortController();
  const server = startServer(wanted, { ...needs, forget }, life.signal);
  const entry: SharedServer = { key, server, life, users: 0, holders: new Set() };
  shared.set(key, entry);
  const words = wanted.program.words.join(' ');
  server.catch((error: unknown) => {
    forget();
    const what = `The language server ${words} could not be started`;
    needs.host.log.error(what, messageOf(error));
    if (!life.signal.aborted)
      needs.say?.(`${what}, so errors in ${wanted.language.name} are not reported: ${messageOf(error)}`);
  });
  return entry;
}

function leaveOut(entry: SharedServer): void {
  if (shared.get(entry.key) === entry) shared.delete(entry.key);
}

async function whileUsed<Result>(
  entry: SharedServer,
  work: (server: PooledServer) => Promise<Result>,
  whenIdle: () => void,
): Promise<Result> {
  clearTimeout(entry.idle);
  entry.users += 1;
  try {
    return await work(await entry.server);
  } finally {
    entry.users -= 1;
    if (entry.users === 0) whenIdle();
  }
}

/** A server that nobody asks anything ends by itself. */
function endWhenIdle(entry: SharedServer, { idleMs, onEnd }: { idleMs: number; onEnd(): void }): void {
  entry.idle = setTimeout(() => {
    leaveOut(entry);
    onEnd();
    entry.server.then((server) => server.stop()).catch(() => undefined);
  }, idleMs).unref();
}

/** Looks for the server of a language in a folder, once. */
function rememberedPrograms({ environment, trusted }: PoolNeeds) {
  const found = new Map<string, Promise<FoundServer | null>>();
  return (language: Language, root: string): Promise<FoundServer | null> => {
    const key = `${language.name}\0${root}`;
    const located =
      found.get(key) ?? findServer(language, { root, trusted, path: environment['PATH'] ?? '' });
    found.set(key, located);
    return located;
  };
}

async function startServer(
  { root, program, language }: WantedServer,
  needs: PoolNeeds & { forget(): void },
  signal: AbortSignal,
): Promise<PooledServer> {
  const { host, forget } = needs;
  const { launch, release } = await confine(program, root, needs, signal);
  const processes = needs.openProcesses();
  const server = await startLanguageServer({
    launch,
    root,
    processes,
    clock: host.clock,
    signal,
    settings: program.settings,
    initializationOptions: program.initializationOptions,
    onEnd() {
      void processes.end({ kind: 'shutdown' });
      void release();
      forget();
    },
  }).catch(async (error: unknown) => {
    await processes.end({ kind: 'shutdown' });
    await release();
    throw error;
  });
  const name = server.name || `the ${language.name} server`;
  return { ...server, name, inTurn: oneAtATime(), tellsErrors: !program.tellsNoErrors };
}

/** Servers run code of the workspace (build scripts, configurations): without a sandbox only where the user trusts it. */
async function mayStart({ trusted, sandbox }: PoolNeeds, signal: AbortSignal): Promise<boolean> {
  return trusted || (await sandbox.state(signal)).confined;
}

/** The workspace read-only, no network, a home of its own that is kept. */
async function confine({ words, file }: FoundServer, root: string, needs: PoolNeeds, signal: AbortSignal) {
  const [program = '', ...args] = words;
  const { roots } = needs.host.workspace;
  const pathsOf = (access: 'read' | 'write') =>
    roots.filter((each) => each.access === access).map(({ path }) => path);
  const profile: Profile = {
    workspace: 'read-only',
    roots: pathsOf('write'),
    readable: [
      ...pathsOf('read'),
      ...packageAround(file, { environment: needs.environment, roots: roots.map(({ path }) => path) }),
    ],
    hidden: await needs.hiddenPaths([], signal),
    network: 'off',
    home: await needs.state.make('cache', 'languages', sha256OfText(`${file}\0${root}`).slice(0, 16)),
  };
  const environment = childEnvironment(needs.environment, { names: [] });
  return needs.sandbox.confine({ program, args, directory: root, environment }, profile, signal);
}
