import { textOf, toParts } from '@toolwright/machine/base/content.js';
import { isToolError, messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import type { KeptWork, ReviewedWork } from '@toolwright/machine/changes/apart/work-apart.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { InnerResult, MakeInnerCalls, OnUpdate, Tool } from '../tools.js';
import type { ScriptEnding, ScriptLimits, SentCall, SentResult } from './engine/messages.js';
import { runScript } from './run-script.js';

/** The changes of a script, which count when it ended well. */
interface GatheredOfScript {
  /** Null where it stays in the view of the session. */
  review(signal: AbortSignal): Promise<ReviewedWork | null>;
  keep(digest: string, signal: AbortSignal): Promise<KeptWork>;
  /** Gives a sentence for each change that could not be taken back. */
  drop(): Promise<string[]>;
}

export interface ScriptNeeds {
  clock: Pick<Clock, 'sleep'>;
  /** The script of the thread. */
  thread(): Promise<string | URL>;
  /** The tools that the model has. */
  tools(): readonly Tool[];
  /** From now on changes gather. Null where nothing may be changed. */
  gather(say: (sentence: string) => void, signal: AbortSignal): Promise<GatheredOfScript | null>;
  show(path: string): string;
  limits?: Partial<ScriptLimits>;
}

/** A call of a script, for the user. */
export interface ScriptCall {
  description: string;
  /** Why it failed, in one line. */
  failure?: string | undefined;
}

/** The outcome of a script, before anything of it is kept. */
export interface ScriptOutcome {
  ending: ScriptEnding;
  printed: string;
  calls: ScriptCall[];
  /** Null where there is nothing to keep. */
  changes: { gathered: GatheredOfScript; reviewed: ReviewedWork } | null;
  /** Ids of change sets that its calls have committed, and that stay where they are. */
  made: string[];
  /** Why changes of a script that did not end well are still there. */
  left: string[];
}

interface ScriptDoing extends ScriptNeeds {
  inner: MakeInnerCalls | undefined;
  onUpdate: OnUpdate | undefined;
  signal: AbortSignal;
}

const MB = 1024 * 1024;
const LIMITS: ScriptLimits = {
  computeMs: 30_000,
  totalMs: 25 * 60_000,
  memoryBytes: 64 * MB,
  calls: 2_000,
  sentCharacters: 32 * MB,
  receivedCharacters: 32 * MB,
  printedCharacters: MB,
};

/** Tools that a script has no use for, or that would outlive it. */
const withheld = new Set(['script', 'agent', 'jobs', 'tool_search']);

/** Runs the script, and gathers what its calls change. */
export async function carryOut(code: string, doing: ScriptDoing): Promise<ScriptOutcome> {
  const { signal, onUpdate } = doing;
  const tools = doing.tools().filter(({ name }) => !withheld.has(name));
  const calls: ScriptCall[] = [];
  const made: string[] = [];
  let printed = '';
  let gathered: GatheredOfScript | null | undefined;
  /** Only with the first call that may change something: most scripts only look. */
  const gather = async (inner: AbortSignal): Promise<void> => {
    if (gathered === undefined)
      gathered = await doing.gather((sentence) => onUpdate?.(`${sentence}\n`), inner);
  };
  try {
    const ending = await runScript({
      code,
      tools: tools.map(({ name }) => name),
      limits: { ...LIMITS, ...doing.limits },
      thread: await doing.thread(),
      clock: doing.clock,
      call: (sent, inner) =>
        answer(sent, { ...doing, tools: () => tools, calls, made, gather, signal: inner }),
      printed(text) {
        printed += text;
        onUpdate?.(text);
      },
      signal,
    });
    const outcome = { ending, printed, calls, made: [], changes: null, left: [] };
    return gathered ? await withChanges({ ...outcome, made }, gathered, signal) : outcome;
  } catch (error) {
    await gathered?.drop();
    throw error;
  }
}

async function withChanges(
  outcome: ScriptOutcome,
  gathered: GatheredOfScript,
  signal: AbortSignal,
): Promise<ScriptOutcome> {
  const none = { ...outcome, made: [] };
  if (outcome.ending.kind !== 'returned') return { ...none, left: await gathered.drop() };
  const reviewed = await gathered.review(signal);
  if (reviewed === null) return outcome;
  if (reviewed.review.items.length + reviewed.refused.length > 0)
    return { ...none, changes: { gathered, reviewed } };
  await gathered.drop();
  return none;
}

interface Answering extends Omit<ScriptDoing, 'gather'> {
  calls: ScriptCall[];
  made: string[];
  gather(signal: AbortSignal): Promise<void>;
}

/** Calls that can't be made are answered as failures, so that the script can go on. */
async function answer(sent: readonly SentCall[], doing: Answering): Promise<SentResult[]> {
  const { inner, signal, onUpdate, calls } = doing;
  try {
    if (!inner) throw new ToolError('failed', 'A script can call tools only where a session runs it.');
    const refused = new Map(sent.flatMap((call) => refusalOf(call, doing)));
    const made = sent.filter(({ id }) => !refused.has(id));
    if (made.some(({ tool }) => mayChange(tool, doing.tools()))) await doing.gather(signal);
    const results = await inner(made, {
      signal,
      started: (description) => onUpdate?.(`${description}\n`),
    });
    for (const { description, error, changeSet } of results) {
      calls.push({ description, failure: error && firstLine(error.message) });
      if (changeSet !== undefined) doing.made.push(changeSet);
    }
    const byId = new Map(made.map(({ id }, index) => [id, results[index]!]));
    return sent.map(({ id }) => refused.get(id) ?? sentResult(id, byId.get(id)!));
  } catch (error) {
    const code = isToolError(error) ? error.code : 'failed';
    return sent.map(({ id }) => failed(id, { code, message: messageOf(error) }));
  }
}

function refusalOf({ id, tool, params }: SentCall, { calls }: Answering): [number, SentResult][] {
  const isJob = tool === 'run_shell_command' && /"is_background"\s*:\s*true/.test(params);
  if (!isJob && !withheld.has(tool)) return [];
  const message = isJob
    ? 'A script starts no jobs, which would outlive it. Start them with a call of your own.'
    : `A script can't call ${tool}. Call it yourself.`;
  calls.push({ description: tool, failure: message });
  return [[id, failed(id, { code: 'denied', message })]];
}

/** A tool that does not say what it does may do anything. */
function mayChange(name: string, tools: readonly Tool[]): boolean {
  const tool = tools.find((each) => each.name === name || each.nameAliases?.includes(name));
  const kinds = tool?.effectKinds;
  return tool !== undefined && !kinds?.every((kind) => ['read', 'network', 'mcp'].includes(kind));
}

function sentResult(id: number, { llmContent, error, forScript }: InnerResult): SentResult {
  if (error) return failed(id, error);
  if (forScript?.incomplete !== undefined)
    return failed(id, { code: 'too_large', message: forScript.incomplete });
  const value = forScript ? forScript.value : textOf(toParts(llmContent), '\n');
  return { id, isOk: true, json: JSON.stringify(value ?? null) };
}

function failed(id: number, { code, message }: { code: string; message: string }): SentResult {
  return { id, isOk: false, json: JSON.stringify({ code, message }) };
}

function firstLine(text: string): string {
  return text.split('\n')[0]!.slice(0, 200);
}
