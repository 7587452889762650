import { isDeepStrictEqual } from 'node:util';
import type { Hook, HookEvent } from './hook.js';
import type { HookAnswer } from './hook-answer.js';
import type { NamedTool } from './hook-names.js';

/** A hook with what it answered. */
export interface AskedHook extends HookAnswer {
  hook: Hook;
  /** The file that it was asked about, where the parameters of the call name none. */
  file?: string | undefined;
}

/** A call as hooks are asked about it. */
export interface HookedTool extends NamedTool {
  callId: string;
  params: Record<string, unknown>;
  /** Files that the call is about, where its parameters do not name one: hooks are asked about each, as `file_path`. */
  files?: readonly string[] | undefined;
}

/** The answers about a call, and the call as hooks left it; null where their arguments make no call. */
export interface AskedAboutTool {
  answers: AskedHook[];
  tool: HookedTool | null;
}

interface Asking {
  event: HookEvent;
  /** True for a hook that is meant to know of the call as it is by now. */
  isAbout(hook: Hook, tool: HookedTool): boolean;
  /** True when the call, about one file, meets the condition of the hook. */
  meets(hook: Hook, tool: HookedTool): boolean;
  ask(hook: Hook, tool: HookedTool): Promise<HookAnswer>;
  changed(input: Record<string, unknown>): Promise<HookedTool | null>;
}

/** A patch may have thousands of files, and each would start a program. */
const MOST_FILES = 100;

/**
 * Asks the hooks one after the other: what one changes the next one sees. Whoever was asked before a change is asked again
 * at the end, so every guard sees what will run, also one that was not about the call as it was. The first no before a call ends it.
 */
export async function askAboutTool(
  hooks: readonly Hook[],
  first: HookedTool,
  asking: Asking,
): Promise<AskedAboutTool> {
  const answers: AskedHook[] = [];
  const seen = new Map<Hook, HookedTool>();
  const started = new Set<Hook>();
  let tool = first;
  for (const hook of hooks) {
    const asked = await askOne(hook, tool, asking);
    answers.push(...asked.answers);
    if (hook.isAsync && asked.answers.length > 0) started.add(hook);
    if (asked.tool === null || isOver(asking.event, answers)) return { answers, tool: asked.tool };
    tool = asked.tool;
    if (!asked.answers.some(({ isEnded }) => isEnded)) seen.set(hook, tool);
  }
  for (const [hook, last] of seen) {
    // One that nobody waits for is started once.
    if (last === tool || started.has(hook)) continue;
    const again = await askOne(hook, tool, { ...asking, changed: async () => tool });
    for (const answer of again.answers) answers.push(await withoutChange(answer, tool, asking));
    if (isOver(asking.event, answers)) break;
  }
  return { answers, tool };
}

function isOver(event: HookEvent, answers: readonly AskedHook[]): boolean {
  return event === 'PreToolUse' && answers.some(({ decision }) => decision === 'deny');
}

/** Hooks that change the call in turns would never end: the user decides over the second change of one. */
async function withoutChange(
  { input, ...answer }: AskedHook,
  tool: HookedTool,
  { changed }: Asking,
): Promise<AskedHook> {
  if (input === undefined || isSame(await changed(input), tool) || answer.decision !== 'none') return answer;
  return {
    ...answer,
    decision: 'ask',
    reason: 'it would change the arguments again that another hook changed',
  };
}

function isSame(one: HookedTool | null, other: HookedTool): boolean {
  return one !== null && isDeepStrictEqual(one.params, other.params);
}

/** Asks about each file of the call, as it is by then; one that was ended is not started again. */
async function askOne(hook: Hook, first: HookedTool, asking: Asking): Promise<AskedAboutTool> {
  const answers: AskedHook[] = [];
  const done = new Set<string | null>();
  let tool = first;
  let asked = 0;
  let pending = filesLeft(tool, done);
  while (pending.length > 0 && asking.isAbout(hook, tool)) {
    const file = pending.pop() ?? null;
    done.add(file);
    const about = withFile(tool, file);
    if (!asking.meets(hook, about)) continue;
    if (asked === MOST_FILES) {
      answers.push(tooMany(hook, asking.event, tool.files?.length ?? 0));
      break;
    }
    asked += 1;
    const answer = withoutFile(
      { ...(await asking.ask(hook, about)), hook, file: file ?? undefined },
      tool,
      file,
    );
    answers.push(answer);
    if (answer.isEnded || isOver(asking.event, answers)) break;
    if (answer.input === undefined) continue;
    const next = await asking.changed(answer.input);
    if (next === null) return { answers, tool: null };
    if (isSame(next, tool)) continue;
    tool = next;
    pending = filesLeft(tool, done);
  }
  return { answers, tool };
}

/** The files to ask about, the next one last; null stands for a call that names its own. */
function filesLeft({ files }: HookedTool, done: ReadonlySet<string | null>): (string | null)[] {
  return (files?.length ? files : [null]).filter((file) => !done.has(file)).reverse();
}

function tooMany(hook: Hook, event: HookEvent, files: number): AskedHook {
  const reason = `it was asked about ${MOST_FILES} of the ${files} files of this call, and no more`;
  return event === 'PreToolUse' && !hook.isAsync
    ? { hook, decision: 'ask', reason }
    : { hook, decision: 'none', reason: '', failure: reason };
}

/** The call as hooks are asked about it, once for each of its files. */
export function eachFileOf(tool: HookedTool): HookedTool[] {
  return filesLeft(tool, new Set()).map((file) => withFile(tool, file));
}

function withFile(tool: HookedTool, file: string | null): HookedTool {
  return file === null ? tool : { ...tool, params: { ...tool.params, file_path: file } };
}

/** The answer with the file that the call itself named, if any, in the place of the one that the hook was asked about. */
function withoutFile(answer: AskedHook, { params }: HookedTool, file: string | null): AskedHook {
  if (file === null || answer.input === undefined) return answer;
  const { file_path: _added, ...input } = answer.input;
  if ('file_path' in params) input['file_path'] = params['file_path'];
  return { ...answer, input };
}
