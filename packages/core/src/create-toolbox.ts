import { secretsInEnvironment } from '@toolwright/machine/base/secrets/known-secrets.js';
import { createRedactor, type Redactor } from '@toolwright/machine/base/secrets/redact.js';
import type { ChangeSet, PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import { describeRecovery, type Recovery } from '@toolwright/machine/changes/commit/recovery.js';
import type { Changes } from '@toolwright/machine/changes/commit.js';
import { createSeenFiles, type SeenFiles } from '@toolwright/machine/changes/seen-files.js';
import { createFiles } from '@toolwright/machine/host/files/create-files.js';
import type { PathPolicy } from '@toolwright/machine/host/files/door.js';
import { rememberGitPrograms } from '@toolwright/machine/host/git/git-programs.js';
import type { Host } from '@toolwright/machine/host/host.js';
import { createHttp } from '@toolwright/machine/host/http/http.js';
import { createIgnore, keptReason } from '@toolwright/machine/host/ignore/ignore.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { rememberFiles } from '@toolwright/machine/host/plain-files/remembered-files.js';
import { createRipgrep } from '@toolwright/machine/host/ripgrep/ripgrep.js';
import { openGrantsFile } from '@toolwright/machine/host/state/grants-file.js';
import { createLog } from '@toolwright/machine/host/state/log.js';
import { openState, type State } from '@toolwright/machine/host/state/state.js';
import {
  type Environment,
  stateFolderPath,
  usableHome,
} from '@toolwright/machine/host/state/state-folder.js';
import { createGuardedHttp } from '@toolwright/machine/host/web/guarded-http.js';
import { createWorkspace, type Root } from '@toolwright/machine/host/workspace.js';
import type { McpCatalogue } from '@toolwright/mcp/catalogue/catalogue.js';
import {
  type Commands,
  createCommands,
  type IgnoredFiles,
  openSessionChanges,
  requireSandbox,
  type SandboxSettings,
} from './create-commands.js';
import { type EarlierGrant, earlierGrants } from './permission/grants.js';
import type { ApprovalMode } from './permission/modes.js';
import { createPermission, type Permission } from './permission/permission.js';
import type { ProtectedHere } from './permission/protected-paths.js';
import type { RuleText } from './permission/rules.js';
import { remarksOnWorkspace } from './permission/wide-workspace.js';
import type { CallEvent, ConfirmRequest, Outcome } from './scheduler/call.js';
import { createScheduler, type Scheduler } from './scheduler/scheduler.js';
import { openSession, type Session } from './session/session.js';
import { builtinTools } from './tools/builtin.js';
import { JobsTool } from './tools/jobs.js';
import type { McpOptions } from './tools/mcp/open-servers.js';
import { openFacts } from './tools/memory/fact-store.js';
import { type OwnTools, openOwnTools } from './tools/own/open-own-tools.js';
import type { OwnToolsOptions } from './tools/own/own-sources.js';
import { watchCodeInUse } from './tools/programs/code-in-use.js';
import { showPath } from './tools/search/place.js';
import { createSearchProvider, type SearchOptions } from './tools/search-providers/create-search-provider.js';
import { ToolRegistry } from './tools/tool-registry.js';
import type { Tool } from './tools/tools.js';

export interface ToolboxOptions {
  /** The folder to work in. */
  workspace: string;
  /** More folders the file tools may work in. */
  include?: readonly Root[];
  /** Where sessions, grants and earlier versions of files are kept; `~/.toolwright` unless told. */
  stateFolder?: string;
  /** More files of the person's own, such as their settings: never changed without a question. */
  ownFiles?: readonly string[];
  environment?: Environment;
  /**
   * The person trusts the folder. Unless they do, MCP servers and discovery commands run no code of it, and its context
   * files count as data, not as instructions.
   */
  trusted?: boolean;
  approvalMode?: ApprovalMode;
  rules?: readonly RuleText[];
  /** Tools of your own, beside the built-in ones. */
  tools?: readonly Tool[];
  /** Folders of tool files, and commands that declare tools: only what the person vouches for. */
  ownTools?: OwnToolsOptions;
  excludeTools?: readonly string[];
  ignoreFiles?: readonly string[];
  /** Names of context files, the first one also for remembered facts; `AGENTS.md` unless told. */
  contextFileNames?: readonly string[];
  search?: SearchOptions;
  /** Values that must never be shown, beside those of the environment. */
  secrets?: readonly string[];
  /** The model takes PDF files as they are. */
  takesPdf?: boolean;
  /** Answers a question over a text in a request of its own; for long web pages. */
  askModel?(prompt: string, text: string, signal: AbortSignal): Promise<string>;
  /** Asks the person; without it nobody can be asked and every question is a refusal. */
  confirm?(request: ConfirmRequest, signal: AbortSignal): Promise<Outcome>;
  onCallEvent?(event: CallEvent): void;
  /** Which front end this is, for the journal. */
  front?: string;
  /** A model works in this session: it must have seen a file before it changes it. */
  forModel?: boolean;
  modelName?: { provider: string; model: string };
  /** The id of an earlier session that goes on. */
  resume?: string;
  debug?: boolean;
  /** How commands are confined. */
  sandbox?: SandboxSettings;
  /** What becomes of files that a command made and git ignores; `keep` unless told. */
  ignoredFiles?: IgnoredFiles;
  /** Whether the person typed this command themselves: then it runs with their rights. */
  isOwnCommand?(command: string): boolean;
  /** MCP servers and who answers them. A server starts when it is needed. */
  mcp?: McpOptions;
  /** Those of the settings, whether or not they take part here: what they run in the workspace is protected. */
  configuredServers?: McpOptions['servers'];
  /** Nothing will be called: what was interrupted is left as it is, and tools of the person's own wait for a `refresh`. */
  onlyLooks?: boolean;
}

/** The tools with everything they stand on: doors, rules, journal, and the flow of a call. */
export interface Toolbox {
  host: Host;
  state: State;
  /** Takes secrets out of text. */
  redactor: Redactor;
  registry: ToolRegistry;
  permission: Permission;
  /** The same with other rules, and without earlier answers of the person: what would they decide? */
  permissionUnder(rules: readonly RuleText[]): Promise<Permission>;
  scheduler: Scheduler;
  changes: Changes;
  session: Session;
  /** What runs programs, and what confines them. */
  commands: Commands;
  /** Null where no server is configured. */
  mcp: McpCatalogue | null;
  /** Null where no place for them is named. */
  ownTools: OwnTools | null;
  /** Commits the way back from an earlier change set. */
  undo(planned: PlannedChanges, of: string, signal: AbortSignal): Promise<ChangeSet>;
  /** Takes a remembered yes back, for good where it was saved. False when there is none with this id. */
  revokeGrant(id: string, signal: AbortSignal): Promise<boolean>;
  /** What was found and mended at the start, one sentence each. */
  notices: string[];
  close(): Promise<void>;
}

export async function createToolbox(options: ToolboxOptions): Promise<Toolbox> {
  const environment = options.environment ?? process.env;
  const [clock, ids] = [createClock(), createIds()];
  const state = openState({
    path: options.stateFolder ?? stateFolderPath(environment),
    host: { clock, ids },
  });
  const redactor = createRedactor([...secretsInEnvironment(environment), ...(options.secrets ?? [])]);
  const log = createLog({ path: state.pathOf('log', 'debug.log'), redactor, clock, debug: options.debug });
  const workspace = createWorkspace({ directory: options.workspace, include: options.include });
  const roots = (): string[] => workspace.roots.map(({ path }) => path);
  const gitPrograms = rememberGitPrograms({ roots, environment });
  const grants = openGrantsFile(state, { clock, ids });
  const registry = new ToolRegistry();
  const denied = Object.assign(rememberFiles(clock.now()), { spread: false });
  const ownPaths = [state.path, '/etc/toolwright', ...(options.ownFiles ?? [])];
  const codeInUse = watchCodeInUse({
    servers: options.configuredServers ?? options.mcp?.servers ?? [],
    ownTools: options.ownTools,
    workspace,
    path: environment['PATH'] ?? '',
  });
  const alsoProtected: ProtectedHere = (path) => [...gitPrograms(path), ...codeInUse.alsoProtected()];
  const permissionUnder = (rules: readonly RuleText[], earlier: EarlierGrant[] = []): Promise<Permission> =>
    createPermission({
      mode: options.approvalMode ?? 'default',
      rules,
      grants: earlier,
      useSaved: (id) => grants.useGrant(id, AbortSignal.timeout(GRANT_LIMIT_MS)),
      now: () => clock.now(),
      workspace,
      home: usableHome(environment),
      ownPaths,
      alsoProtected,
      denied,
      lookAround: codeInUse.lookAround,
      aliasesOf: (tool) => registry.getTool(tool)?.nameAliases ?? [],
    });
  const permission = await permissionUnder(
    options.rules ?? [],
    earlierGrants(await grants.readGrants(workspace.directory)),
  );
  const host: Host = {
    clock,
    ids,
    log,
    workspace,
    files: createFiles(workspace, { ids, policy: permission.refusal }),
    ignore: createIgnore({ workspace, fileNames: options.ignoreFiles }),
    ripgrep: createRipgrep(),
    http: createHttp({ environment }),
  };
  const session = openSession({
    host: { clock, ids, workspace },
    state,
    redactor,
    front: options.front ?? 'library',
    model: options.modelName,
    resume: options.resume,
  });
  const { changes, objects } = openSessionChanges(host, state, session);
  const seen = options.forModel ? createSeenFiles() : undefined;
  const commands = createCommands({
    host,
    state,
    changes,
    objects,
    permission,
    alsoProtected,
    denied,
    environment,
    seen,
    sandbox: options.sandbox ?? {},
    ignoredFiles: options.ignoredFiles,
    ownPaths,
    isOwnCommand: options.isOwnCommand,
    session: session.id,
    jobStarted: () => registerJobs(options, { host, registry, commands }),
  });
  if (options.sandbox?.mode === 'required') await requireSandbox(commands);
  const kept: PathPolicy = (access, path) => permission.refusal(access, path) ?? keptReason(host, path);
  // A command may change files that tools leave alone, so its changes are carried out through `host.files`.
  const toolHost: Host = { ...host, files: createFiles(workspace, { ids, policy: kept }) };
  registerTools(options, {
    host: toolHost,
    state,
    session,
    changes,
    permission,
    registry,
    redactor,
    commands,
    seen,
  });
  const mcp = await openMcp(options, { host, state, registry, commands });
  const ownTools = openOwn(options, { host: toolHost, state, changes, registry, commands });
  const ownProblems = options.onlyLooks
    ? []
    : ((await ownTools?.refresh(AbortSignal.timeout(OWN_TOOLS_LIMIT_MS))) ?? []);
  const scheduler = createScheduler({
    registry,
    permission,
    clock,
    ids,
    log,
    confirm: options.confirm ?? nobodyToAsk,
    record: session.recordCall,
    emit: (event) => {
      log.debug(event.type, event);
      options.onCallEvent?.(event);
    },
    saveOutput: (callId, text) => session.saveOutput(`${callId}.txt`, text),
    saveGrant: ({ rule, uses, untilMs }) =>
      grants.saveGrant(
        { rule, workspace: workspace.directory, uses, expiresAt: untilMs },
        AbortSignal.timeout(GRANT_LIMIT_MS),
      ),
  });
  const notices = options.onlyLooks
    ? []
    : [
        ...remarksOnWorkspace(roots(), usableHome(environment)),
        ...sentencesOn(await changes.recover(AbortSignal.timeout(RECOVERY_LIMIT_MS)), host),
        ...(await commands.shell.staged.sweep()),
      ];
  return {
    host,
    state,
    redactor,
    registry,
    permission,
    permissionUnder: (rules) => permissionUnder(rules),
    scheduler,
    changes,
    session,
    commands,
    mcp,
    ownTools,
    undo: (planned, undoes, signal) => changes.commit(planned, { signal, origin: { undoes } }),
    async revokeGrant(id, signal) {
      const revoked = permission.revoke(id);
      if (revoked?.scope === 'saved') await grants.removeGrant(id, signal);
      return revoked !== null;
    },
    notices: [...notices, ...ownProblems],
    close: async () => {
      await mcp?.close();
      await commands.close();
      await session.close();
      await objects.close();
    },
  };
}

const GRANT_LIMIT_MS = 30_000;
const RECOVERY_LIMIT_MS = 60_000;
const OWN_TOOLS_LIMIT_MS = 60_000;

type ToolParts = Pick<
  Toolbox,
  'host' | 'state' | 'session' | 'changes' | 'permission' | 'registry' | 'redactor' | 'commands'
> & { seen?: SeenFiles };

function registerTools(
  options: ToolboxOptions,
  { host, state, session, changes, permission, registry, redactor, commands, seen }: ToolParts,
): void {
  const environment = options.environment ?? process.env;
  const commit = async (planned: PlannedChanges, signal: AbortSignal): Promise<string> =>
    (await changes.commit(planned, { signal })).id;
  const holdsSecret = (text: string): boolean => redactor.known(text) !== text;
  const builtin = builtinTools({
    host,
    commit,
    facts: openFacts({ host, state, commit, fileName: options.contextFileNames?.[0] }),
    hidden: permission.hides,
    ...(seen ? { seen, holdsSecret } : {}),
    shell: commands.shell,
    web: {
      fetch: createGuardedHttp({ environment, allowHost: permission.namesHost }),
      saveOutput: session.saveOutput,
      ...(options.askModel ? { ask: options.askModel } : {}),
    },
    takesPdf: options.takesPdf ?? false,
    search: createSearchProvider(options.search ?? {}, host.http),
  });
  for (const tool of builtin)
    if (!isExcluded(tool, options)) registry.registerTool(tool, { kind: 'builtin' });
  for (const tool of options.tools ?? []) registry.registerTool(tool, { kind: 'library' });
}

function isExcluded({ name, nameAliases = [] }: Tool, { excludeTools = [] }: ToolboxOptions): boolean {
  return [name, ...nameAliases].some((each) => excludeTools.includes(each));
}

/** The jobs tool appears, after all others, with the first job. */
function registerJobs(
  options: ToolboxOptions,
  { host, registry, commands }: Pick<ToolParts, 'host' | 'registry' | 'commands'>,
): void {
  const tool = new JobsTool(host, commands.shell.jobs);
  if (registry.find(tool.name) || isExcluded(tool, options)) return;
  registry.registerTool(tool, { kind: 'builtin' });
}

/** Without a configured server nothing of this is loaded; without a started one, nothing that starts programs. */
async function openMcp(
  options: ToolboxOptions,
  { host, state, registry, commands }: Pick<ToolParts, 'host' | 'state' | 'registry' | 'commands'>,
): Promise<McpCatalogue | null> {
  if (!options.mcp || options.mcp.servers.length === 0) return null;
  const { openServers } = await import('./tools/mcp/open-servers.js');
  return openServers(options.mcp, {
    host,
    state,
    registry,
    environment: options.environment ?? process.env,
    processes: commands.processes,
    confinement: commands.shell,
    trusted: options.trusted ?? false,
    isExcluded: (tool) => isExcluded(tool, options),
  });
}

/** What confines commands confines these programs too; it is loaded with the first of them. */
function openOwn(
  options: ToolboxOptions,
  parts: Pick<ToolParts, 'host' | 'state' | 'changes' | 'registry' | 'commands'>,
): OwnTools | null {
  if (!options.ownTools) return null;
  const { changes, commands } = parts;
  const environment = options.environment ?? process.env;
  return openOwnTools(options.ownTools, {
    ...parts,
    host: {
      ...parts.host,
      commit: async (planned, signal) => (await changes.commit(planned, { signal })).id,
    },
    environment,
    trusted: options.trusted ?? false,
    isExcluded: (tool) => isExcluded(tool, options),
    confinement: async () => commands.shell,
  });
}

/** Without a person every question is a refusal, and the run says so at its end. */
export async function nobodyToAsk({ reason }: ConfirmRequest): Promise<Outcome> {
  return { kind: 'cancel', reason, nobodyToAsk: true };
}

function sentencesOn(recovered: readonly Recovery[], host: Host): string[] {
  const sentences = recovered.map((each) => describeRecovery(each, (path) => showPath(host, path)));
  for (const sentence of sentences) host.log.error(sentence);
  return sentences;
}
