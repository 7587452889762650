import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
import type { Root } from '@toolwright/machine/host/workspace.js';
import type { LanguageOptions } from '../languages/known-servers.js';
import type { ApprovalMode } from '../permission/modes.js';
import type { RuleText } from '../permission/rules.js';
import type { NotesFile } from '../pieces/extension-notes.js';
import type { HookFile } from '../pieces/hooks/hook.js';
import type { PieceFolder } from '../pieces/piece.js';
import type { CallEvent, CallToAnswer, ConfirmRequest, Outcome } from '../scheduler/call.js';
import type { SavedEntry } from '../session/journal.js';
import type { McpOptions } from '../tools/mcp/open-servers.js';
import type { OwnToolsOptions } from '../tools/own/own-sources.js';
import type { AnyTool } from '../tools/own/tool-shape.js';
import type { IgnoredFiles, SandboxSettings } from '../tools/programs/command-settings.js';
import type { SearchOptions } from '../tools/search-providers/create-search-provider.js';
import type { AskForm } from '../tools/task/ask-user.js';
import type { ToolResult } from '../tools/tools.js';

/** The options of a toolbox, grouped by the room that uses them. */
export interface ToolboxOptions
  extends GroundOptions,
    GuardOptions,
    SessionChoices,
    CommandOptions,
    ToolOptions,
    ServerOptions {
  /** True if nothing will be called: interrupted changes are left as they are, and the user's own tools wait for a `refresh`. */
  onlyLooks?: boolean;
}

/** The options that can change while a toolbox is in use; what is left out counts as not set. */
export type LiveOptions = Pick<
  ToolboxOptions,
  'approvalMode' | 'rules' | 'excludeTools' | 'configuredServers' | 'secrets'
>;

/** Folders, environment and what must stay secret. */
export interface GroundOptions {
  /** The folder to work in. */
  workspace: string;
  /** More folders the file tools may work in. */
  include?: readonly Root[];
  /** Keeps sessions, grants and earlier versions of files; default: `~/.toolwright`. */
  stateFolder?: string;
  environment?: Environment;
  /** Values that must never be shown, beside those of the environment. */
  secrets?: readonly string[];
  /** Names of files with ignore rules, beside git's. */
  ignoreFiles?: readonly string[];
  debug?: boolean;
}

/** Rules, and who answers questions. */
export interface GuardOptions {
  approvalMode?: ApprovalMode;
  rules?: readonly RuleText[];
  /** More files of the user's own, such as their settings: never changed without a question. */
  ownFiles?: readonly string[];
  /** Asks the user; without it nobody can be asked and every question is a refusal. */
  confirm?(request: ConfirmRequest, signal: AbortSignal): Promise<Outcome>;
}

/** The session's journal, and who works in it. */
export interface SessionChoices {
  /** Name of the front end, for the journal; default: `library`. */
  front?: string;
  /** A model works in this session: it must have seen a file before it changes it. */
  forModel?: boolean;
  modelName?: { provider: string; model: string };
  /** The id of an earlier session that goes on. */
  resume?: string;
  /** The id of a new session: letters, digits and hyphens; default: one is made. */
  sessionId?: string;
  /** Works on a view of the workspace, to be reviewed before anything of it is kept; the id of an earlier one goes on with it. */
  apart?: boolean | string;
  /**
   * Called before a plain copy is made because no overlay can be used; the sentence gives the reason and the cost. Without it the sentence
   * is among the notices.
   */
  onCopy?(sentence: string): void;
  onCallEvent?(event: CallEvent): void;
  /** Hears of every entry of the journal as it was written, without secrets. */
  onEntry?(entry: SavedEntry): void;
  /** Gives the result of a call in its tool's place, without a question; null where the tool is to run. For replays. */
  answerInstead?(call: CallToAnswer): Promise<ToolResult | null>;
  /** Commands of a session apart say that their changes are kept apart; default: true. For replays of a session that was not apart. */
  saysApart?: boolean;
}

/** Confinement of commands, and the files they leave. */
export interface CommandOptions {
  sandbox?: SandboxSettings;
  /** Files that a command made and git ignores are kept without a question, or asked about; default: `keep`. */
  ignoredFiles?: IgnoredFiles;
}

/** Tools beside the built-in ones, and the needs of those. */
export interface ToolOptions {
  /** Tools of the embedding program. */
  tools?: readonly AnyTool[];
  /** Folders of tool files, and commands that declare tools: only those the user vouches for. */
  ownTools?: OwnToolsOptions;
  /** The files that people bring along: only from folders that the user vouches for. */
  pieces?: PieceOptions;
  /** Language servers: programs of the machine or of a trusted workspace that know which errors a change brings. */
  languages?: LanguageOptions;
  /** The tool `script`, in which the model writes JavaScript that calls the other tools; default: it is not offered. */
  script?: ScriptOptions;
  excludeTools?: readonly string[];
  /** Names of context files, the first one also for remembered facts; default: `AGENTS.md`. */
  contextFileNames?: readonly string[];
  search?: SearchOptions;
  /** The model takes PDF files as they are. */
  takesPdf?: boolean;
  /** Puts a question of the model to the user, as a form; without it the model has no tool to ask with. */
  onAskUser?: AskForm;
  /** Answers a question over a text in a request of its own; for long web pages. */
  askModel?(prompt: string, text: string, signal: AbortSignal): Promise<string>;
}

/** The tool `script`. */
export interface ScriptOptions {
  /** True if the model is offered it; default: false. */
  enabled?: boolean;
  /** The script of the threads that it runs in; default: the built one. */
  thread?(): Promise<string | URL>;
}

/** Folders with pieces; of two with the same name the first counts. */
export interface PieceOptions {
  /** Folders of skills, each a folder with a `SKILL.md`. */
  skills?: readonly PieceFolder[];
  /** Folders of custom commands: Markdown and TOML files. */
  commands?: readonly PieceFolder[];
  /** Folders of subagents: Markdown files. */
  agents?: readonly PieceFolder[];
  /** Files that name hooks. */
  hooks?: readonly HookFile[];
  /** Context files of extensions. */
  context?: readonly NotesFile[];
  /** Folders of extensions, and the digest of each as the user accepted it: one that is different by now is not used. */
  accepted?: Readonly<Record<string, string>>;
  /** Tells the user what a hook says, or that one failed, or a language server. */
  say?(sentence: string): void;
}

/** MCP servers, and whether code of the workspace may run in servers and tools. */
export interface ServerOptions {
  /**
   * The user trusts the folder. Unless they do, MCP servers, discovery commands and hooks run no code of it, and its
   * context files count as data, not as instructions.
   */
  trusted?: boolean;
  /** MCP servers and who answers them. A server starts when it is needed. */
  mcp?: McpOptions;
  /** Servers of the settings, whether or not they take part here: the code they run in the workspace is protected. */
  configuredServers?: McpOptions['servers'];
}
