/** The events that hooks can be told of. */
export const hookEvents = [
  'PreToolUse',
  'PostToolUse',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'SubagentStop',
  'Notification',
  'PreCompact',
] as const;

/** An event that hooks can be told of. */
export type HookEvent = (typeof hookEvents)[number];

/** The agents whose way of writing hooks a file may follow; names of tools and events, and units of time, differ. */
export const hookFormats = ['claude', 'gemini', 'qwen'] as const;

/** One of these agents. */
export type HookFormat = (typeof hookFormats)[number];

/** A file that may name hooks. */
export interface HookFile {
  path: string;
  /** The file as users know it. */
  shown: string;
  format: HookFormat;
  /** The user's own: its hooks run with the user's rights. Others are confined. */
  isOwn: boolean;
  /** The folder of the extension that the file belongs to. */
  root?: string;
}

/** A program that is asked or told when something happens. */
export interface Hook {
  event: HookEvent;
  /** Tools, or for other events what they are about; empty for all. */
  matcher: string;
  /** The calls of the tool that the hook is about, such as `Bash(git push *)`; all of them without it. */
  condition?: string | undefined;
  command: string;
  /** The agent whose names of tools and arguments it knows. */
  names: HookFormat;
  timeoutMs: number;
  /** It is started and not waited for, so it decides nothing. */
  isAsync?: boolean | undefined;
  line: number;
  from: HookFile;
}

/** The hook in words, for messages and the journal. */
export function describeHook({ command, from, line }: Hook): string {
  const shown = command.length > 80 ? `${command.slice(0, 79)}…` : command;
  return `${shown.replace(/\s+/g, ' ')} (${from.shown}:${line})`;
}
