import { parseJsonc } from '@toolwright/machine/base/configuration/jsonc.js';
import {
  type JsonEntry,
  type JsonNode,
  type JsonPosition,
  plainValue,
} from '@toolwright/machine/base/configuration/plain-json.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { ifMeant, nearest } from '@toolwright/machine/base/nearest.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { quote } from '@toolwright/machine/shell/shell-word.js';
import type { PieceProblem } from '../piece.js';
import {
  type Hook,
  type HookEvent,
  type HookFile,
  type HookFormat,
  hookEvents,
  hookFormats,
} from './hook.js';

/** The hooks that were read, and what is wrong with others. */
export interface ReadHooks {
  hooks: Hook[];
  problems: PieceProblem[];
}

/** The hooks that a file names under `hooks`; a mistake in one costs only that one. */
export async function readHooks(from: HookFile): Promise<ReadHooks> {
  const found: ReadHooks = { hooks: [], problems: [] };
  const text = await readSmallFile(from.path).then(
    (bytes) => bytes?.toString('utf8') ?? null,
    (error: unknown) => {
      found.problems.push({ file: from.path, problem: messageOf(error).replace(/\.$/, '') });
      return null;
    },
  );
  if (text === null) return found;
  const parsed = await parseJsonc(text);
  if (!parsed.ok) {
    const [first] = parsed.problems;
    found.problems.push({
      file: from.path,
      line: first?.at.line,
      problem: `it is not JSON: ${first?.message}`,
    });
    return found;
  }
  const hooks = member(parsed.root, 'hooks')?.value;
  if (hooks?.type === 'object' && !isSwitchedOff(parsed.root))
    for (const entry of hooks.entries) readEvent(entry, from, found);
  return found;
}

/** `disableAllHooks` of Claude Code and Qwen Code, `enabled` of Gemini CLI in `hooksConfig` or among the events. */
function isSwitchedOff(root: JsonNode): boolean {
  const settings = (plainValue(root) ?? {}) as Record<string, unknown>;
  const enabledIn = (name: string): unknown =>
    (settings[name] as Record<string, unknown> | undefined)?.['enabled'];
  return (
    settings['disableAllHooks'] === true || enabledIn('hooks') === false || enabledIn('hooksConfig') === false
  );
}

function member(node: JsonNode | undefined, name: string): JsonEntry | undefined {
  return node?.type === 'object' ? node.entries.findLast((entry) => entry.name === name) : undefined;
}

/** Switches that stand among the events in some formats. */
const switches = ['enabled', 'disabled', 'notifications'];

/** The names that others have for the same events. */
const otherEvents = new Map<string, HookEvent>([
  ['BeforeTool', 'PreToolUse'],
  ['AfterTool', 'PostToolUse'],
  ['BeforeAgent', 'UserPromptSubmit'],
  ['AfterAgent', 'Stop'],
  ['PreCompress', 'PreCompact'],
]);

function readEvent({ name, at, value }: JsonEntry, from: HookFile, found: ReadHooks): void {
  if (switches.includes(name)) return;
  const event = otherEvents.get(name) ?? hookEvents.find((each) => each === name);
  if (!event) tell(found, from, { at, problem: unknownEvent(name) });
  else if (value.type !== 'array') tell(found, from, { at: value.at, problem: `${name} must be a list` });
  else for (const group of value.items) readGroup(group, { event, from }, found);
}

function unknownEvent(name: string): string {
  return `there is no event ${name} here${ifMeant(nearest(name, hookEvents, 1))}`;
}

function tell(
  { problems }: ReadHooks,
  { path }: HookFile,
  { at, problem }: { at: JsonPosition; problem: string },
): void {
  problems.push({ file: path, line: at.line, problem });
}

function readGroup(group: JsonNode, { event, from }: Pick<Hook, 'event' | 'from'>, found: ReadHooks): void {
  const { at } = group;
  const matcher = plainValue(member(group, 'matcher')?.value ?? { type: 'string', value: '', at });
  const hooks = member(group, 'hooks')?.value;
  // A hook that stands in the list of its event is one about everything.
  if (!hooks && member(group, 'command')) readHook(group, { event, matcher: String(matcher), from }, found);
  else if (hooks?.type !== 'array')
    tell(found, from, { at, problem: `${event} has an entry without a list of hooks` });
  else if (typeof matcher !== 'string' || problemOfMatcher(matcher))
    tell(found, from, { at, problem: `its matcher is not a pattern: ${String(matcher).slice(0, 80)}` });
  else for (const node of hooks.items) readHook(node, { event, matcher, from }, found);
}

function problemOfMatcher(matcher: string): boolean {
  if (matcher === '*') return false;
  try {
    return new RegExp(matcher) === null;
  } catch {
    return true;
  }
}

function readHook(node: JsonNode, given: Pick<Hook, 'event' | 'matcher' | 'from'>, found: ReadHooks): void {
  const written = (plainValue(node) ?? {}) as Record<string, unknown>;
  const { command, args, timeout, if: condition, async: isAsync, names } = written;
  const problem = problemOfHook(written);
  if (problem !== null) tell(found, given.from, { at: node.at, problem });
  else
    found.hooks.push({
      ...given,
      command: Array.isArray(args) ? [command, ...args].map(asWord).join(' ') : String(command),
      condition: typeof condition === 'string' ? condition : undefined,
      // Nothing is left to run beside when the session has ended.
      isAsync: (isAsync === true && given.event !== 'SessionEnd') || undefined,
      names: formatNamed(names) ?? given.from.format,
      line: node.at.line,
      timeoutMs: limitOf(timeout as number | undefined, given.from.format),
    });
}

/** A word of a command with a list of arguments; a variable in it is looked up by the shell, which splits nothing there. */
function asWord(word: unknown): string {
  const text = String(word);
  return /\$\{?\w/.test(text) && !/["`\\]|\$\(/.test(text) ? `"${text}"` : quote(text);
}

function problemOfHook(written: Record<string, unknown>): string | null {
  const { type = 'command', command, timeout, async: isAsync, names } = written;
  if (type !== 'command')
    return `a hook of type ${JSON.stringify(type)} can't be run here; only "command" can`;
  if (typeof command !== 'string' || command.trim() === '') return 'this hook has no command';
  if (isAsync !== undefined && typeof isAsync !== 'boolean') return 'async must be true or false';
  if (names !== undefined && formatNamed(names) === undefined)
    return `names must be one of ${hookFormats.join(', ')}`;
  const isLimit = timeout === undefined || (typeof timeout === 'number' && timeout > 0);
  return isLimit ? null : 'timeout must be a number above 0';
}

function formatNamed(names: unknown): HookFormat | undefined {
  return hookFormats.find((format) => format === names);
}

const USUAL_LIMIT_MS = 60_000;
const LONGEST_LIMIT_MS = 600_000;
const LARGEST_IN_SECONDS = 1_000;

/** Claude Code counts in seconds, Gemini CLI in milliseconds; in files for Qwen Code both are found. */
function limitOf(timeout: number | undefined, format: HookFormat): number {
  if (timeout === undefined) return USUAL_LIMIT_MS;
  const isSeconds = format === 'claude' || (format === 'qwen' && timeout < LARGEST_IN_SECONDS);
  return Math.min(LONGEST_LIMIT_MS, isSeconds ? timeout * 1_000 : timeout);
}
