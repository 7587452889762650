import type { JsonObject } from '@toolwright/machine/base/json.js';
import { terminalSafeLine } from '@toolwright/machine/base/terminal-safe.js';
import type { HookEvent, HookFormat } from '../pieces/hooks/hook.js';

/** The agents whose homes can be read. */
export const otherAgents = ['claude', 'qwen', 'gemini', 'codex'] as const;
/** An agent whose home can be read. */
export type OtherAgent = (typeof otherAgents)[number];

/** The other agents as people call them. */
export const agentNames: Record<OtherAgent, string> = {
  claude: 'Claude Code',
  qwen: 'Qwen Code',
  gemini: 'Gemini CLI',
  codex: 'Codex',
};

/** A hook as our file writes it, with the limit in seconds. */
export interface CarriedHook {
  event: HookEvent;
  matcher: string;
  /** The calls of the tool that it is about; all of them without it. */
  if?: string | undefined;
  command: string;
  timeout?: number;
  async?: boolean | undefined;
  /** The agent whose names of tools and arguments it knows; absent for those of Claude Code. */
  names?: HookFormat | undefined;
}

/** A file for the state folder, by its path there. */
export interface CarriedFile {
  path: string;
  bytes: Uint8Array;
  isProgram: boolean;
  /** Paths of files that come along because this one imports them. */
  imports?: readonly string[];
  /** It comes along only with a file that imports it. */
  isImported?: boolean;
}

export interface ReadHomeNeeds {
  home: string;
  /** A model comes over where a key for it is set. */
  environment: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
}

/** The findings in the home of another agent, in our words. */
export class HomeFindings {
  readonly settings: { path: string[]; value: unknown }[] = [];
  readonly servers = new Map<string, JsonObject>();
  readonly rules: Record<'allow' | 'ask' | 'deny', Set<string>> = {
    allow: new Set(),
    ask: new Set(),
    deny: new Set(),
  };
  readonly hooks: CarriedHook[] = [];
  readonly files: CarriedFile[] = [];
  /** What the user has here already, and so does not come. */
  readonly here: string[] = [];
  /** Files that are read where they are, so nothing has to be carried. */
  readonly inPlace: string[] = [];
  readonly left: { what: string; why: string }[] = [];
  /** Variables that stand for secrets, each with where the secret was found. */
  readonly variables = new Map<string, string>();
  readonly extensions: { name: string; path: string }[] = [];

  constructor(readonly agent: OtherAgent) {}

  leave(what: string, why: string): void {
    this.left.push({ what: terminalSafeLine(what).slice(0, 200), why });
  }

  set(path: string, value: unknown): void {
    this.settings.push({ path: path.split('.'), value });
  }
}
