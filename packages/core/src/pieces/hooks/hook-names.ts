import { runInNewContext } from 'node:vm';
import type { HookFormat } from './hook.js';

/** The names that other agents have for the built-in tools; the first is the one Claude Code uses. */
const otherNames = new Map<string, readonly string[]>(
  Object.entries({
    run_shell_command: ['Bash', 'Shell', 'ShellTool'],
    read_file: ['Read', 'ReadFile'],
    read_many_files: ['Read', 'ReadManyFiles'],
    write_file: ['Write', 'WriteFile'],
    edit: ['Edit', 'MultiEdit', 'replace'],
    glob: ['Glob'],
    grep_search: ['Grep', 'search_file_content'],
    list_directory: ['LS', 'ReadFolder'],
    web_fetch: ['WebFetch'],
    web_search: ['WebSearch', 'google_web_search'],
    save_memory: ['SaveMemory'],
    skill: ['Skill'],
    agent: ['Task', 'Agent'],
    todo: ['TodoWrite', 'todo_write'],
    ask_user: ['AskUserQuestion'],
    notebook_edit: ['NotebookEdit'],
    // A patch changes files and makes them, so whoever guards either is asked about it.
    apply_patch: ['Edit', 'MultiEdit', 'replace', 'Write', 'WriteFile'],
  }),
);

/** The built-in tool that a name of ours or of others means. */
export function builtinNamed(written: string): string | null {
  const known = [...otherNames].find(([name, others]) => name === written || others.includes(written));
  return known?.[0] ?? null;
}

/** Our name for a tool that others name in their way; `mcp__server` and `mcp__server__*` are all tools of a server. */
function toolNamed(written: string): string {
  const bare = written.replace(/\(.*$/s, '').trim();
  const [, server, tool = '*'] = /^mcp__(.+?)(?:__(.+))?$/.exec(bare) ?? [];
  return server === undefined ? (builtinNamed(bare) ?? bare) : `${server}__${tool}`;
}

/** True for the tool that a name means. A patch is the edit of models that write patches. */
export function meansTool(written: string, name: string): boolean {
  const meant = toolNamed(written);
  if (meant.endsWith('__*')) return name.startsWith(meant.slice(0, -1));
  return meant === name || (meant === 'edit' && name === 'apply_patch');
}

/** True for every tool that does what the name says: where something is kept away, a name means all of them. */
export function coversTool(written: string, name: string): boolean {
  const bare = written.replace(/\(.*$/s, '').trim();
  return meansTool(written, name) || (otherNames.get(name)?.includes(bare) ?? false);
}

/** A rename in all files changes files like a patch, so whoever guards edits is asked about it. */
export function isRename({ name, params }: Pick<NamedTool, 'name' | 'params'>): boolean {
  return name === 'code' && params?.['action'] === 'rename';
}

/** What is typed into a job may be a command, so whoever guards commands is asked about it. */
export function isTyping({ name, params }: Pick<NamedTool, 'name' | 'params'>): boolean {
  return name === 'jobs' && params?.['action'] === 'input';
}

/** The tool whose work the call does. */
export function doneBy({ name, params }: Pick<NamedTool, 'name' | 'params'>): string {
  if (isTyping({ name, params })) return 'run_shell_command';
  return isRename({ name, params }) ? 'apply_patch' : name;
}

/** A tool as a hook knows it. */
export interface NamedTool {
  name: string;
  params?: Record<string, unknown>;
  /** Set for a tool of an MCP server. */
  server?: { alias: string; tool: string };
}

/** Names by which a hook may mean the tool; the first is the one it is told. */
export function hookNamesOf({ name, params, server }: NamedTool, format: HookFormat): string[] {
  if (server) {
    const names = [`mcp__${server.alias}__${server.tool}`, name];
    return format === 'claude' ? names : names.reverse();
  }
  const done = doneBy({ name, params });
  const others = otherNames.get(done) ?? [];
  return [...new Set(format === 'claude' ? [...others, done, name] : [done, ...others, name])];
}

/** The name that the matcher means, or null. A plain word is a whole name; anything else is a pattern. */
export function matchedName(matcher: string, names: readonly string[]): string | null {
  if (matcher === '' || matcher === '*') return names[0] ?? null;
  if (/^[\w|, -]+$/.test(matcher)) {
    const words = matcher.split(/[,|]/).map((word) => word.trim());
    return names.find((name) => words.includes(name)) ?? null;
  }
  return names.find((name) => matchesPattern(matcher, name)) ?? null;
}

/** The second is for a machine that was busy with something else. */
const MATCH_LIMITS_MS = [50, 500];
const MOST_KEPT = 1_000;
const matches = new Map<string, boolean>();

/** A pattern may come from an extension, and some take for ever: one that is not done in time counts as meant, as a hook can only narrow. */
function matchesPattern(pattern: string, name: string): boolean {
  const key = `${pattern}\n${name}`;
  let isMeant = matches.get(key);
  for (const limitMs of isMeant === undefined ? MATCH_LIMITS_MS : [])
    isMeant ??= matchedWithin(limitMs, pattern, name);
  if (matches.size >= MOST_KEPT) matches.clear();
  matches.set(key, isMeant ?? true);
  return isMeant ?? true;
}

/** Undefined where the time was too short. */
function matchedWithin(timeout: number, pattern: string, name: string): boolean | undefined {
  try {
    return runInNewContext('new RegExp(pattern).test(name)', { pattern, name }, { timeout }) as boolean;
  } catch (error) {
    // Such as a pattern that is too large for its engine.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') return true;
    return undefined;
  }
}
