import { messageOf } from '@toolwright/machine/base/errors.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { Clock, Log } from '@toolwright/machine/host/host.js';
import { lookAtSync, namesInSync } from '@toolwright/machine/host/state/inspect-files.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import { isInside, type SessionWorkspace } from '@toolwright/machine/host/workspace.js';
import type { Commands } from './create-commands.js';
import type { PieceOptions } from './options/toolbox-options.js';
import type { Permission } from './permission/permission.js';
import type { AgentPiece, FoundAgents } from './pieces/agents/agent-piece.js';
import type { FoundCommands } from './pieces/commands/find-commands.js';
import { changedExtension, type ExtensionDigests, openDigests } from './pieces/extension-digests.js';
import type { ExtensionNote, GivenNote } from './pieces/extension-notes.js';
import type { AskHooks, AskHooksNeeds } from './pieces/hooks/ask-hooks.js';
import { type KnownPieces, openKnownPieces } from './pieces/known-pieces.js';
import { boundedProblems } from './pieces/piece.js';
import type { Skills } from './pieces/skills/find-skills.js';
import type { Session } from './session/session.js';
import { type FirstRequest, jsonBytes } from './tools/loading/first-request.js';
import type { ToolRegistry } from './tools/tool-registry.js';

/** Skills and commands that people bring, connected. */
export interface Pieces extends ExtensionDigests {
  /** Null where there are none. */
  skills: Skills | null;
  /** Looks for custom commands anew; names that the program has itself are told as taken. */
  findCommands(taken: readonly string[]): Promise<FoundCommands>;
  /** Looks for subagents anew; the built-in ones come first. */
  findAgents(): Promise<FoundAgents>;
  /** The same, with those of extensions as they are known from an earlier start; see `wholeAgent`. */
  knownAgents(): Promise<FoundAgents>;
  /** The agent as its file says now, which must be what was accepted where it is one of an extension. */
  wholeAgent(agent: AgentPiece, signal: AbortSignal): Promise<AgentPiece>;
  /** True when somebody brought a subagent. */
  hasAgents: boolean;
  /** Null where none is named. */
  hooks: AskHooks | null;
  /** Lets tools and commands read a folder of a piece; gives its real path. */
  open(folder: string): string;
  /** Text for the model out of the context files of extensions, whose folders are opened; empty where there are none. */
  notes(): string;
  /** The context files of extensions, and how the model comes by each. */
  noteFiles: readonly GivenNote[];
  /** Sentences for the user. */
  notices: string[];
}

export interface PiecesNeeds {
  registry: ToolRegistry;
  firstRequest: FirstRequest;
  workspace: SessionWorkspace;
  session: Pick<Session, 'id' | 'journalPath'>;
  permission: Pick<Permission, 'mode'>;
  commands: Commands;
  state: Pick<State, 'readJson' | 'updateJson'>;
  clock: Pick<Clock, 'now'>;
  log: Pick<Log, 'error'>;
  /** The user vouches for the workspace. */
  trusted: boolean;
}

/** Looks into the folders; where they are empty nothing else is loaded. */
export async function openPieces(options: PieceOptions | undefined, needs: PiecesNeeds): Promise<Pieces> {
  const open = (folder: string): string => openFolder(folder, needs.workspace);
  const digests = openDigests(options?.accepted ?? {});
  const known = openKnownPieces(needs);
  const pieces: Pieces = {
    skills: null,
    async findCommands(taken) {
      const { findCommands } = await import('./pieces/commands/find-commands.js');
      return findCommands(options?.commands ?? [], taken);
    },
    async findAgents() {
      const { findAgents } = await import('./pieces/agents/agent-piece.js');
      return findAgents(options?.agents ?? []);
    },
    async knownAgents() {
      const { knownAgents } = await import('./pieces/agents/known-agents.js');
      return knownAgents(options?.agents ?? [], { known, digests });
    },
    async wholeAgent(agent, signal) {
      const { wholeAgent } = await import('./pieces/agents/known-agents.js');
      return wholeAgent(agent, digests, signal);
    },
    hasAgents: false,
    hooks: null,
    open,
    notes: () => '',
    noteFiles: [],
    ...digests,
    notices: [],
  };
  pieces.hasAgents = (options?.agents ?? []).some(({ path }) => namesInSync(path).length > 0);
  if (options?.hooks?.length) await openHooks(options, pieces, { ...needs, known });
  const notesLeft = options?.context?.length ? await readNotes(options.context, pieces, needs) : [];
  const hasSkills = options?.skills?.some(({ path }) => lookAtSync(path));
  if (hasSkills || notesLeft.length > 0) await offerSkills(options?.skills ?? [], notesLeft, pieces, needs);
  return pieces;
}

function openFolder(folder: string, workspace: SessionWorkspace): string {
  const { path } = workspace.roots.find((root) => isInside(folder, root.path))
    ? { path: folder }
    : workspace.addReadOnlyRoot(folder);
  return path;
}

/** Loads nothing unless one of the files is there. */
async function openHooks(
  { hooks: files = [], say }: PieceOptions,
  pieces: Pieces,
  { known, session, permission, workspace, commands, log, trusted }: PiecesNeeds & { known: KnownPieces },
): Promise<void> {
  const held = files.filter(({ path }) => pieces.isHeld(path));
  const there = files.filter((file) => !held.includes(file) && lookAtSync(file.path) !== null);
  if (there.length + held.length === 0) return;
  const { hookAsWritten, knownHooks, readAll } = await import('./pieces/hooks/known-hooks.js');
  const read = [await readAll(there), await knownHooks(held, known)];
  const hooks = read.flatMap((each) => each.hooks);
  const problems = read.flatMap((each) => each.problems);
  pieces.notices.push(...boundedProblems(problems, 'toolwright hooks list'));
  if (hooks.length === 0) return;
  const { createAskHooks } = await import('./pieces/hooks/ask-hooks.js');
  const { createStartedHooks } = await import('./pieces/hooks/started-hooks.js');
  const run: AskHooksNeeds['run'] = async (given, input, signal, call) => {
    const hook = await hookAsWritten(given, pieces, signal).catch(messageOf);
    if (typeof hook === 'string')
      return { exitCode: null, stdout: '', stderr: '', stopped: `was not run: ${hook}` };
    const { runHook } = await import('./tools/programs/run-hook.js');
    const { shell, processes } = commands;
    return runHook(
      hook,
      input,
      { ...shell, processes, workspace, trusted, call, mode: () => permission.mode },
      signal,
    );
  };
  pieces.hooks = createAskHooks({
    hooks,
    sessionId: session.id,
    journalPath: session.journalPath,
    workspace: workspace.directory,
    mode: () => permission.mode,
    run,
    started: createStartedHooks({ run, say: say ?? log.error }),
  });
}

/** The time to look through the folder of an extension whose notes have no digest of their own. */
const NOTES_LIMIT_MS = 10_000;

/** Gives the notes that the first request has no room for. */
async function readNotes(
  files: NonNullable<PieceOptions['context']>,
  pieces: Pieces,
  { firstRequest }: PiecesNeeds,
): Promise<ExtensionNote[]> {
  const { extensionNotes } = await import('./pieces/extension-notes.js');
  const { text, left, given, roots, changed } = await extensionNotes(files, {
    room: firstRequest.forNotes,
    bytesOf: jsonBytes,
    requireAccepted: (path) => pieces.requireAccepted(path, deadlineIn(NOTES_LIMIT_MS)),
  });
  pieces.notices.push(...changed.map(changedExtension));
  pieces.noteFiles = given;
  pieces.notes = () => {
    for (const root of roots) pieces.open(root);
    return text;
  };
  firstRequest.addText(text);
  return left;
}

/** The tool comes after the built-in ones, and only where there is a skill, or a note to find. */
async function offerSkills(
  folders: NonNullable<PieceOptions['skills']>,
  notes: readonly ExtensionNote[],
  pieces: Pieces,
  { registry, firstRequest, state, clock }: PiecesNeeds,
): Promise<void> {
  const { knownSkillList } = await import('./pieces/skills/known-list.js');
  const share = { room: firstRequest.forSkills(pieces.hasAgents), bytesOf: jsonBytes };
  const { skills, list } = await knownSkillList(folders, { state, clock, ...share });
  pieces.skills = skills;
  pieces.notices.push(...boundedProblems(list.problems, 'toolwright skills check'));
  if (list.text === '' && notes.length === 0) return;
  const { SkillTool } = await import('./tools/pieces/skill.js');
  registry.registerTool(
    new SkillTool({
      skills,
      notes,
      list: list.text,
      open: pieces.open,
      requireAccepted: pieces.requireAccepted,
    }),
    { kind: 'builtin' },
  );
}
