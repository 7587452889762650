import { SettingsError } from '@toolwright/machine/base/errors.js';
import { once } from '@toolwright/machine/base/once.js';
import type { Redactor } from '@toolwright/machine/base/secrets/redact.js';
import type { ChangeSet, PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import { describeRecovery } from '@toolwright/machine/changes/commit/recovery.js';
import type { Changes } from '@toolwright/machine/changes/commit.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { BeforeImages } from '@toolwright/machine/host/objects/before-images.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import { usableHome } from '@toolwright/machine/host/state/state-folder.js';
import { createGuardedHttp } from '@toolwright/machine/host/web/guarded-http.js';
import type { McpCatalogue } from '@toolwright/mcp/catalogue/catalogue.js';
import { apartOfSession, remarksOnSessionsApart } from './apart/apart-on-disk.js';
import { type OpenSessionApart, openSessionApart, type SessionApart } from './apart/session-apart.js';
import { type Commands, createCommands, requireSandbox } from './create-commands.js';
import { createHost, type Ground, hostOfTools, openGround, openReal } from './create-ground.js';
import { type Guard, openGuard } from './create-guard.js';
import { committer, formatOf, openAfterCall } from './create-languages.js';
import { openPieces, type Pieces } from './create-pieces.js';
import { offerScript } from './create-script.js';
import { remarksOnToolNames } from './options/misspelt-tools.js';
import { checkToolboxOptions } from './options/option-checks.js';
import type { LiveOptions, ToolboxOptions } from './options/toolbox-options.js';
import type { Permission } from './permission/permission.js';
import type { RuleText } from './permission/rules.js';
import { remarksOnWorkspace } from './permission/wide-workspace.js';
import { nobodyToAsk } from './scheduler/call.js';
import { createScheduler, type Scheduler } from './scheduler/scheduler.js';
import type { PastChange } from './session/past-changes.js';
import { requireNewSession, requireSession } from './session/saved-sessions.js';
import { openSession, type Session } from './session/session.js';
import { type CallingModel, namesOfAbsentTools, registerBuiltin } from './tools/builtin.js';
import type { AfterCall } from './tools/code/after-call.js';
import { openFalseClaims } from './tools/definition/false-claims.js';
import { JobsTool } from './tools/jobs/jobs.js';
import { FirstRequest } from './tools/loading/first-request.js';
import { openFacts } from './tools/memory/fact-store.js';
import { type OwnTools, openOwnTools } from './tools/own/open-own-tools.js';
import { requireTool } from './tools/own/tool-shape.js';
import { createSearchProvider } from './tools/search-providers/create-search-provider.js';
import { type EditorText, type EditorTextState, noteEditorText } from './tools/text-change/editor-text.js';
import { createSeenFiles, type SeenFiles } from './tools/text-change/seen-files.js';
import { ToolRegistry } from './tools/tool-registry.js';

/** The tools with everything they stand on: doors, rules, journal, and the flow of a call. */
export interface Toolbox {
  /** The doors for tools: they keep the rules and leave ignored files alone. */
  host: Host;
  state: State;
  /** Takes secrets out of text. */
  redactor: Redactor;
  registry: ToolRegistry;
  /** The room that tools and texts of pieces share in the first request to a model. */
  firstRequest: FirstRequest;
  permission: Permission;
  /** A permission with other rules and without grants, to see how it would decide. */
  permissionUnder(rules: readonly RuleText[]): Promise<Permission>;
  scheduler: Scheduler;
  changes: Changes;
  session: Session;
  /** Runs programs, and confines them. */
  commands: Commands;
  /** Null where no server is configured. */
  mcp: McpCatalogue | null;
  /** Null where no place for them is named. */
  ownTools: OwnTools | null;
  /** Skills and what else people bring. */
  pieces: Pieces;
  /** Working on a view of the workspace, and the review of what was done there. */
  apart: SessionApart;
  /**
   * The model is shown a file as the user's editor has it: where the disk holds the same, it counts as read, otherwise a
   * change of it is a conflict until the user has saved it.
   */
  noteEditorText(shown: EditorText, signal: AbortSignal): Promise<EditorTextState>;
  /** The way back from an earlier change, where it was made: in the view of this session or in the workspace itself. */
  planUndo(
    change: Pick<PastChange, 'changeSet' | 'apart'>,
    signal: AbortSignal,
  ): ReturnType<Changes['planUndo']>;
  /** A change set that was committed earlier, to be looked at: its diff, and the files before and after. */
  showChange: OpenSessionApart['showChange'];
  /** Commits the way back from an earlier change set. */
  undo(planned: PlannedChanges, of: string, signal: AbortSignal): Promise<ChangeSet>;
  /** Takes a grant back, for good where it was saved. False when there is none with this id. */
  revokeGrant(id: string, signal: AbortSignal): Promise<boolean>;
  /** Puts other settings in force, from the next call on. Gives sentences for the user; throws, and changes nothing, when a rule can't be understood. */
  adopt(options: LiveOptions): Promise<string[]>;
  /** Another model makes the calls from now on: its family may have other tools. */
  fitModel(calling: CallingModel): void;
  /** The files that the model knows; null where no model makes the calls. */
  seenFiles: SeenFiles | null;
  /** Sentences about what was found and mended at the start. */
  notices: string[];
  /** Ends what still runs; every later call is refused. A second time it does nothing. */
  close(): Promise<void>;
}

/**
 * Builds the rooms of one session from the ground up: each stands on those before it. `journalOn`: the journal of another
 * session takes the place of one of its own.
 */
export async function createToolbox(
  options: ToolboxOptions,
  journalOn?: (ground: Ground) => Session,
): Promise<Toolbox> {
  checkToolboxOptions(options);
  const stopServers = async (): Promise<void> => {
    await mcp?.stopAll();
    await afterCall.stop();
  };
  const rooms = await openRooms(options, { stopServers, journalOn });
  const afterCall = openAfterCall(options, rooms);
  const fitModel = registerTools(options, rooms);
  const firstRequest = new FirstRequest(rooms.registry);
  for (const { path } of rooms.host.workspace.roots) firstRequest.addText(path);
  const pieces = await openPieces(options.pieces, {
    ...rooms,
    firstRequest,
    trusted: options.trusted ?? false,
  });
  await offerScript(options.script, { ...rooms, firstRequest });
  const mcp = await openMcp(options, { ...rooms, pieces });
  const ownTools = openOwn(options, rooms);
  const scheduler = connectScheduler(options, { ...rooms, pieces, afterCall });
  const notices = options.onlyLooks ? [] : await startUp(options, { ...rooms, ownTools, pieces });
  const { apart, session, state, commands, objects } = rooms;
  const close = once(async () => {
    scheduler.close();
    await afterCall.stop();
    for (const room of [pieces.hooks?.started, mcp, ownTools, commands, apart, session, objects])
      await room?.close();
  });
  await beginApart(options, { apart, session, state, notices }).catch((error: unknown) =>
    close().then(() => Promise.reject(error)),
  );
  return toolboxOf({ ...rooms, firstRequest, pieces, mcp, ownTools, scheduler, notices, close, fitModel });
}

type Built = Rooms &
  Pick<
    Toolbox,
    'firstRequest' | 'pieces' | 'mcp' | 'ownTools' | 'scheduler' | 'notices' | 'close' | 'fitModel'
  >;

/** What a front end may use of the rooms. */
function toolboxOf(built: Built): Toolbox {
  const { apart, changes, grants, permission, scheduler } = built;
  return {
    host: built.host,
    state: built.state,
    redactor: built.redactor,
    registry: built.registry,
    firstRequest: built.firstRequest,
    permission,
    permissionUnder: (rules) => built.permissionUnder(rules),
    scheduler,
    changes,
    session: built.session,
    commands: built.commands,
    mcp: built.mcp,
    ownTools: built.ownTools,
    pieces: built.pieces,
    apart,
    noteEditorText: (shown, signal) => noteEditorText(shown, built, signal),
    planUndo: apart.planUndo,
    showChange: apart.showChange,
    async undo(planned, undoes, signal) {
      scheduler.requireOpen();
      return changes.commit(planned, { signal, origin: { undoes } });
    },
    revokeGrant: (id, signal) => grants.revoke(id, permission, signal),
    adopt: (changed) => adopt(changed, built),
    fitModel: built.fitModel,
    seenFiles: built.seen ?? null,
    notices: built.notices,
    close: built.close,
  };
}

/** The rooms below the tools. Beginning apart needs the commands, which are opened after it, and stops the servers. */
async function openRooms(
  options: ToolboxOptions,
  { stopServers, journalOn }: { stopServers(): Promise<void>; journalOn?: (ground: Ground) => Session },
): Promise<Rooms> {
  const ground = openGround(options);
  const registry = new ToolRegistry({ excluded: options.excludeTools, reserved: namesOfAbsentTools });
  const guard = await openGuard(options, ground, registry);
  const commandHost = createHost(options, ground, guard);
  const host = hostOfTools(commandHost, ground, guard);
  if (options.resume !== undefined) await requireSession(ground, options.resume);
  else if (options.sessionId !== undefined) await requireNewSession(ground, options.sessionId);
  const session = journalOn?.(ground) ?? openJournal(options, ground, () => apart.id ?? undefined);
  const { real, objects } = openReal(ground, guard, session);
  const seen = options.forModel ? createSeenFiles() : undefined;
  const apart: OpenSessionApart = openSessionApart({
    ...ground,
    ...guard,
    host: commandHost,
    session,
    objects,
    real,
    stopServers,
    commands: () => commands,
  });
  const { changes } = apart;
  const below = { ...ground, ...guard, objects, changes, apart, registry, host, commandHost, session, seen };
  const commands: Commands = await openCommands(options, below);
  return { ...below, commands };
}

/** A plain copy of a large workspace takes minutes. */
const BEGIN_APART_LIMIT_MS = 600_000;

/** An earlier session that was apart goes on there. */
async function beginApart(
  { apart: wanted = false, resume, onlyLooks, onCopy }: ToolboxOptions,
  { apart, session, state, notices }: Pick<Toolbox, 'apart' | 'session' | 'state' | 'notices'>,
): Promise<void> {
  const named = typeof wanted === 'string' ? wanted : null;
  const id = named ?? (resume === undefined ? null : await apartOfSession(state, session.id));
  if (onlyLooks || (wanted === false && id === null)) return;
  const signal = deadlineIn(BEGIN_APART_LIMIT_MS);
  await apart
    .begin({ id: id ?? undefined, say: onCopy ?? ((sentence) => notices.push(sentence)) }, signal)
    .catch((error: unknown) => {
      if (!signal.aborted) throw error;
      const limit = `${BEGIN_APART_LIMIT_MS / 1_000} s`;
      throw new SettingsError(`The session could not begin to work apart within ${limit}. Try again.`);
    });
}

type BelowCommands = Ground &
  Guard &
  Pick<Toolbox, 'registry' | 'host' | 'session' | 'changes'> & {
    apart: OpenSessionApart;
    objects: BeforeImages;
    commandHost: Host;
    seen?: SeenFiles;
  };
type Rooms = BelowCommands & Pick<Toolbox, 'commands'>;

function openJournal(
  { front = 'library', modelName, resume, sessionId, onEntry }: ToolboxOptions,
  { clock, ids, workspace, state, redactor }: Ground,
  apart: () => string | undefined,
): Session {
  const choices = { front, model: modelName, resume, sessionId, apart, onEntry };
  return openSession({ host: { clock, ids, workspace }, state, redactor, ...choices });
}

async function openCommands(options: ToolboxOptions, rooms: BelowCommands): Promise<Commands> {
  const commands = createCommands({
    ...rooms,
    host: rooms.commandHost,
    sandbox: options.sandbox ?? {},
    ignoredFiles: options.ignoredFiles,
    saysApart: options.saysApart,
    session: rooms.session.id,
    jobStarted: () => offerJobs({ ...rooms, commands }),
  });
  if (options.sandbox?.mode === 'required') await requireSandbox(commands);
  return commands;
}

/** The jobs tool comes after all others, with the first job. */
function offerJobs({ host, registry, commands }: Pick<Rooms, 'host' | 'registry' | 'commands'>): void {
  const tool = new JobsTool(host, commands.shell.jobs);
  if (!registry.find(tool.name)) registry.registerTool(tool, { kind: 'builtin' });
}

function registerTools(options: ToolboxOptions, rooms: Rooms): Toolbox['fitModel'] {
  const { environment, host, state, session, changes, permission, registry, redactor, commands, seen } =
    rooms;
  const commit = committer(changes);
  const needs = {
    host,
    commit,
    facts: openFacts({ host, state, commit, fileName: options.contextFileNames?.[0] }),
    hidden: permission.hides,
    seen,
    holdsSecret: seen && ((text: string) => redactor.known(text) !== text),
    format: formatOf(options, rooms),
    shell: commands.shell,
    web: {
      fetch: createGuardedHttp({ environment, allowHost: permission.namesHost }),
      saveOutput: session.saveOutput,
      ask: options.askModel,
    },
    search: createSearchProvider(options.search ?? {}, host.http),
  };
  const calling = { model: options.modelName?.model, takesPdf: options.takesPdf ?? false };
  const fitModel = registerBuiltin(needs, registry, calling);
  for (const [index, value] of (options.tools ?? []).entries())
    registry.registerTool(requireTool(value, `tools[${index}]`, { ...host, commit }), { kind: 'library' });
  return fitModel;
}

/** Loads nothing of MCP without a configured server, and without a started one nothing that starts programs. */
async function openMcp(
  { mcp, trusted = false }: ToolboxOptions,
  { environment, commandHost, state, registry, commands, pieces }: Rooms & Pick<Toolbox, 'pieces'>,
): Promise<McpCatalogue | null> {
  if (!mcp || mcp.servers.length === 0) return null;
  const { openServers } = await import('./tools/mcp/open-servers.js');
  return openServers(mcp, {
    host: commandHost,
    state,
    registry,
    environment,
    processes: commands.processes,
    confinement: commands.shell,
    requireAccepted: pieces.requireAccepted,
    trusted,
  });
}

/** The user's own tools are confined like commands. */
function openOwn(
  { ownTools, trusted = false }: ToolboxOptions,
  { environment, host, state, changes, registry, commands }: Rooms,
): OwnTools | null {
  if (!ownTools) return null;
  return openOwnTools(ownTools, {
    host: { ...host, commit: committer(changes) },
    state,
    registry,
    environment,
    trusted,
    confinement: async () => commands.shell,
    thread: async () => ({ path: new URL('./tool-thread.js', import.meta.url) }),
  });
}

function connectScheduler(
  { confirm = nobodyToAsk, onCallEvent, answerInstead, pieces: { say } = {} }: ToolboxOptions,
  rooms: Rooms & Pick<Toolbox, 'pieces'> & { afterCall: AfterCall },
): Scheduler {
  const { session, grants, host, state, log } = rooms;
  const scheduler = createScheduler({
    ...rooms,
    confirm,
    falseClaims: openFalseClaims(state),
    record: session.recordCall,
    emit: onCallEvent,
    saveOutput: (callId, text) => session.saveOutput(`${callId}.txt`, text),
    saveGrant: grants.save,
    realPath: host.files.realPath,
    answerInstead,
    hooks: rooms.pieces.hooks,
    sayOfHooks: say ?? log.error,
  });
  return rooms.apart.renewedBefore(scheduler);
}

/** Takes the rules over before all else, because only they can be refused. */
async function adopt(
  options: LiveOptions,
  { permission, registry, codeInUse, redactor }: Rooms,
): Promise<string[]> {
  await permission.setRules(options.rules ?? []);
  permission.mode = options.approvalMode ?? 'default';
  redactor.learn(options.secrets ?? []);
  codeInUse.setServers(options.configuredServers ?? []);
  await registry.exclude(options.excludeTools ?? []);
  return remarksOnToolNames(options, registry);
}

const RECOVERY_LIMIT_MS = 60_000;
const OWN_TOOLS_LIMIT_MS = 60_000;

/** Mends what an interrupted session left, then loads the user's own tools. Returns sentences for the user. */
async function startUp(
  options: ToolboxOptions,
  rooms: Rooms & Pick<Toolbox, 'ownTools' | 'pieces'>,
): Promise<string[]> {
  const { host, registry, ownTools, pieces } = rooms;
  const recovered = await rooms.changes.recover(deadlineIn(RECOVERY_LIMIT_MS));
  const sentences = recovered.map((each) => describeRecovery(each, host.workspace.show));
  for (const sentence of sentences) host.log.error(sentence);
  return [
    ...remarksOnWorkspace(rooms.roots(), usableHome(rooms.environment)),
    ...sentences,
    ...(await rooms.commands.shell.staged.sweep()),
    ...(await remarksOnSessionsApart(rooms.state, host.log)),
    ...((await ownTools?.refresh(deadlineIn(OWN_TOOLS_LIMIT_MS))) ?? []),
    ...pieces.notices,
    ...remarksOnToolNames(options, registry),
  ];
}
