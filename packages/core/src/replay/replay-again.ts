import { SettingsError } from '@toolwright/machine/base/errors.js';
import type { AgentResult } from '../agent/events.js';
import type { Agent } from '../create-agent.js';
import type { Toolbox } from '../create-toolbox.js';
import { type ModelClient, type ModelRequest, type Usage, withStream } from '../model/model.js';
import type { CreateAgentOptions } from '../options/agent-options.js';
import { inWorkspace } from '../recording/other-place.js';
import { recordedModel } from '../recording/recorded-model.js';
import type { Recording } from '../recording/recording.js';
import { type Script, scriptOf } from '../recording/script.js';
import { changedFiles, readTree } from '../recording/tree.js';
import { replayDecisions } from '../scheduler/explain-call.js';
import type { SavedEntry } from '../session/journal.js';
import { type AnswerCalls, answerCalls } from './answer-calls.js';
import { closeAndForget } from './close-and-forget.js';
import { compareFiles } from './compare-files.js';
import { otherInstructions } from './compare-instructions.js';
import { otherCourse, otherResults, pairCalls } from './compare-results.js';
import { putBack } from './put-back.js';
import type { OtherDecision, ReplayReport, SessionSummary } from './report.js';

/** The options of a replay. */
export interface ReplayOptions {
  /** The folder in which it is replayed, after links. */
  workspace: string;
  /** Opens the agent of the replay in its workspace, with these options over those of the user's settings. */
  open(options: Partial<CreateAgentOptions>): Promise<Agent>;
  /** Opens a toolbox that only looks, to judge the calls by the present rules as in the recorded session. */
  look(options: { apart: boolean }): Promise<Toolbox>;
  /** Asks the model of the settings in place of the recorded answers. */
  asksModel: boolean;
  /** Goes on although files are not what they were when the recording began. */
  anyTree: boolean;
  signal: AbortSignal;
}

/** Runs a recorded session again on a view of its own, which is dropped, and tells what is otherwise. */
export async function replayAgain(recorded: Recording, options: ReplayOptions): Promise<ReplayReport> {
  const { workspace, asksModel } = options;
  const entries: SavedEntry[] = [];
  const seen: Seen = { request: null };
  const recording = inWorkspace(recorded, workspace);
  const script = scriptOf(recording);
  const answers = answerCalls(script.calls, () => agent);
  // The model of the settings stays where it is asked.
  const chosen: Partial<CreateAgentOptions> = asksModel ? {} : { model: { provider: 'offline' } };
  const agent: Agent = await options.open({
    apart: true,
    saysApart: recorded.head.apart !== undefined,
    startWith: recording.history.length > 0 ? recording.history : undefined,
    onEntry: (entry) => entries.push(entry),
    answerInstead: answers.answerInstead,
    wrapModel: (client) => firstRequest(asksModel ? client : recordedModel(recording), seen),
    ...chosen,
  });
  try {
    return await replayIn(agent, { ...options, recording, script, answers, entries, seen });
  } finally {
    await closeAndForget(agent);
  }
}

interface Seen {
  /** The first request of the replay. */
  request: ModelRequest | null;
}

function firstRequest(client: ModelClient, seen: Seen): ModelClient {
  return withStream(client, (request, signal) => {
    seen.request ??= request;
    return client.stream(request, signal);
  });
}

interface ReplayNeeds extends ReplayOptions {
  recording: Recording;
  script: Script;
  answers: AnswerCalls;
  entries: SavedEntry[];
  seen: Seen;
}

async function replayIn(agent: Agent, needs: ReplayNeeds): Promise<ReplayReport> {
  const { recording, script, answers, entries, signal } = needs;
  const before = await withoutRules(agent, () => putBack(agent, needs, signal));
  const notes = await requireTree(agent, { ...needs, notPutBack: before.notPutBack });
  const begun = entries.length;
  const results = await runPrompts(agent, needs);
  const now = scriptOf({ entries: entries.slice(begun) });
  const { pairs, missing, further } = pairCalls(script.calls, now.calls);
  const { notRun } = answers;
  const ran = pairs.filter(([then]) => !notRun.has(then.start.callId));
  const files = await compareFiles({
    recording,
    script,
    notRun,
    signal,
    changedNow: now.files,
    files: agent.host.files,
    show: agent.host.workspace.show,
  });
  const byModel = needs.asksModel;
  const changed = [...script.files.keys()].map(agent.host.workspace.show);
  const told = byModel ? null : await otherInstructions(recording, needs.seen.request, changed);
  const summaryNow = summaryOf({ ...recording, entries: entries.slice(begun) }, now);
  const { model, provider } = byModel ? agent.model : summaryNow;
  return {
    v: 1,
    tools: byModel ? 'model' : 'again',
    recording: aboutRecording(recording),
    earlier: summaryOf(recording, script),
    now: { ...summaryNow, model, provider, reason: results.at(-1)?.reason ?? null },
    calls: now.calls.length,
    differences: [
      ...(told?.differences ?? []),
      ...(byModel ? [] : await otherDecisions(recording, needs)),
      ...(byModel ? [] : [...(await otherResults(ran)), ...otherCourse(ownLeftOut(missing), further)]),
      ...files.differences,
    ],
    answered: answers.answered,
    notCompared: files.notCompared,
    breaksOff: breaksOff(recording),
    notes: [...notes, ...(told?.notes ?? []), ...notesOn(recording, agent, results)],
  };
}

/** The rules are about the calls of the session, not about how its files are put back in a view that is dropped. */
async function withoutRules<Result>({ permission }: Agent, work: () => Promise<Result>): Promise<Result> {
  const written = permission.rules.filter(({ grant }) => !grant);
  await permission.setRules([]);
  try {
    return await work();
  } finally {
    await permission.setRules(written);
  }
}

/** Calls that no answer of the model made can't come again: the user typed them, or a subagent made them. */
function ownLeftOut(calls: Script['calls']): Script['calls'] {
  return calls.filter(
    ({ start, end }) =>
      start.agent === undefined &&
      end !== undefined &&
      !start.effects?.some((effect) => effect.kind === 'execute' && effect.own),
  );
}

/** Refuses a tree that is not the recorded one; gives sentences where it can't be told, or need not be. */
async function requireTree(
  agent: Agent,
  { recording, anyTree, notPutBack, signal }: ReplayNeeds & { notPutBack: string[] },
): Promise<string[]> {
  const { file, head } = recording;
  const { tree } = head;
  const except = file === undefined ? [] : [file];
  const changed = tree ? changedFiles(tree, await readTree(agent, { except, signal })) : notPutBack;
  if (changed.length === 0) return [];
  const names = `${changed.slice(0, 5).join(', ')}${changed.length > 5 ? `, and ${changed.length - 5} more` : ''}`;
  const what = `The workspace is not as it was when the recording began. These files differ: ${names}.`;
  if (!tree || anyTree) return [what];
  throw new SettingsError(
    `${what} Check out the commit of that time, replay in a folder that has it (--workspace), record with --with-tree, or continue anyway with --any-tree.`,
  );
}

async function runPrompts(agent: Agent, { script, entries, signal }: ReplayNeeds): Promise<AgentResult[]> {
  const answersSoFar = (): number =>
    entries.filter((entry) => entry.type === 'message' && entry.message.role === 'model').length;
  const results: AgentResult[] = [];
  for (const { parts, said } of script.prompts) {
    const left = [...said];
    const between = async () =>
      left[0] && left[0].afterAnswers <= answersSoFar() ? left.shift()!.parts : null;
    results.push(await agent.prompt(parts, signal, { between }));
    signal.throwIfAborted();
  }
  return results;
}

/** A yes that somebody gave in that session does not count, and is no rule. */
async function otherDecisions(
  { entries, head }: Recording,
  { look, script }: ReplayNeeds,
): Promise<OtherDecision[]> {
  const toolbox = await look({ apart: head.apart !== undefined });
  try {
    const judged = await replayDecisions(entries, toolbox);
    return judged.flatMap(({ callId, tool, args, earlier, now, changes }): OtherDecision[] => {
      const wasGranted = earlier?.winner?.kind === 'rule' && earlier.winner.source.startsWith('granted');
      const call = script.calls.find(({ start }) => start.callId === callId);
      // A server that is not started has no tools to judge.
      const isElsewhere = call?.start.effects?.some(({ kind }) => kind === 'mcp');
      // A session in another mode is told as such, once.
      const isOtherMode =
        earlier?.winner?.kind === 'mode' &&
        now.winner?.kind === 'mode' &&
        earlier.winner.mode !== now.winner.mode;
      if (!changes || !earlier || wasGranted || isOtherMode || (isElsewhere && now.winner === null))
        return [];
      const before = { decision: earlier.decision, reason: earlier.reason };
      return [{ kind: 'decision', number: call?.number ?? 0, tool, args, earlier: before, now }];
    });
  } finally {
    await toolbox.close();
  }
}

export function aboutRecording({ head }: Recording): ReplayReport['recording'] {
  const { sessionId, at, program, workspace } = head;
  return { sessionId, at, program, workspace };
}

export function summaryOf({ head, entries, events }: Recording, script: Script): SessionSummary {
  const usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let turns = 0;
  for (const entry of entries) {
    if (entry.type !== 'message' || entry.message.role !== 'model') continue;
    turns += 1;
    usage.inputTokens += entry.usage?.inputTokens ?? 0;
    usage.outputTokens += entry.usage?.outputTokens ?? 0;
  }
  const ended = events.findLast(({ event }) => event.type === 'result')?.event;
  return {
    model: head.model,
    provider: head.provider,
    reason: ended?.type === 'result' ? ended.result.reason : null,
    turns,
    calls: script.calls.length,
    usage,
    response: script.response,
  };
}

function notesOn(recording: Recording, agent: Agent, results: readonly AgentResult[]): string[] {
  const { head, answers, entries } = recording;
  const mode = head.mode ?? modeOf(entries);
  const otherMode = mode !== undefined && mode !== agent.permission.mode;
  return [
    ...notesOnEnd(recording, results),
    ...(otherMode
      ? [
          `The session was in ${mode} mode, and this replay judges in ${agent.permission.mode} mode: --approval-mode ${mode} compares like with like.`,
        ]
      : []),
    ...(answers.some(({ redacted }) => redacted)
      ? ['Secrets were taken out of answers of the model: calls that held them do something else now.']
      : []),
  ];
}

/** Sentences on how the session ended, where that leaves something to compare. */
export function notesOnEnd(recording: Recording, results: readonly AgentResult[]): string[] {
  if (!breaksOff(recording)) return results.flatMap(({ error }) => (error ? [error.message] : []));
  return [
    recording.file === undefined
      ? 'The session was cut off or cancelled: nothing after that was compared.'
      : 'The recording breaks off before the session ended: nothing after it was compared.',
  ];
}

/** A recording ends with its result, a journal with an answer of the model that makes no more calls. */
export function breaksOff({
  file,
  events,
  entries,
}: Pick<Recording, 'file' | 'events' | 'entries'>): boolean {
  if (file !== undefined) return !events.some(({ event }) => event.type === 'result');
  const last = entries.findLast((entry) => entry.type === 'message');
  if (last?.type !== 'message') return true;
  return last.message.role !== 'model' || last.message.parts.some(({ functionCall }) => functionCall);
}

/** The mode of a saved session, as far as a decision names it. */
function modeOf(entries: readonly SavedEntry[]): string | undefined {
  const modes = entries.flatMap((entry) =>
    entry.type === 'call-decision' && entry.winner?.kind === 'mode' ? [entry.winner.mode] : [],
  );
  return modes.at(-1);
}
