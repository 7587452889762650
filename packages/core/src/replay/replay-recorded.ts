import { createHash } from 'node:crypto';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import { silentLog } from '@toolwright/machine/host/node-host.js';
import { runPrompt } from '../agent/agent.js';
import type { AgentEvent, AgentResult } from '../agent/events.js';
import { repeatableCalls } from '../agent/left-calls.js';
import { recordedModel } from '../recording/recorded-model.js';
import type { RecordedEvent, Recording } from '../recording/recording.js';
import { type RecordedCall, type Script, scriptOf } from '../recording/script.js';
import type { CallEvent, SettledCall } from '../scheduler/call.js';
import type { Scheduler } from '../scheduler/scheduler.js';
import { aboutRecording, breaksOff, notesOnEnd, summaryOf } from './replay-again.js';
import type { OtherCourse, ReplayReport } from './report.js';

/** An event of a replay with the moment at which it happened then. */
interface StampedEvent {
  at: string;
  event: AgentEvent;
}

/**
 * Lets the agent work again with the recorded answers and the recorded results. It touches nothing of this machine: clock, ids
 * and order are those of the recording, so that the result is the same everywhere.
 */
export async function replayRecorded(recording: Recording, signal: AbortSignal): Promise<ReplayReport> {
  const script = scriptOf(recording);
  const transcript: StampedEvent[] = [];
  const clock = recordedClock(recording);
  const emit = (event: AgentEvent): void => {
    // Live text comes in pieces whose number depends on the network.
    transcript.push({ at: clock(event), event });
  };
  const results = await runPrompts(recording, { script, emit, signal });
  const differences = recording.events.length > 0 ? otherEvents(recording.events, transcript) : [];
  const plain = transcript.map((each) => JSON.stringify(each));
  const result = results.at(-1) ?? null;
  return {
    v: 1,
    tools: 'recorded',
    recording: aboutRecording(recording),
    earlier: summaryOf(recording, script),
    now: { ...summaryOf(recording, script), ...summaryNow(results), reason: result?.reason ?? null },
    calls: script.calls.length,
    differences,
    answered: [],
    notCompared: [],
    breaksOff: breaksOff(recording),
    notes: notesOnEnd(recording, results),
    digest: createHash('sha256').update(plain.join('\n')).digest('hex'),
    transcript,
  };
}

function summaryNow(results: readonly AgentResult[]) {
  return {
    turns: results.reduce((sum, { turns }) => sum + turns, 0),
    calls: results.reduce((sum, { calls }) => sum + calls, 0),
    response: results.at(-1)?.response ?? '',
  };
}

interface RunNeeds {
  script: Script;
  emit(event: AgentEvent): void;
  signal: AbortSignal;
}

async function runPrompts(recording: Recording, { script, emit, signal }: RunNeeds): Promise<AgentResult[]> {
  const { history, requests } = recording;
  const messages = [...history];
  let answers = 0;
  const results: AgentResult[] = [];
  const scheduler = recordedScheduler(recording, script, emit);
  const model = recordedModel(recording);
  const ended = new Set(script.calls.map(({ end }) => end?.response.id));
  for (const { parts, said } of script.prompts) {
    const left = [...said];
    results.push(
      await runPrompt(
        parts,
        {
          model,
          scheduler,
          messages,
          emit,
          log: silentLog,
          system: requests[0]?.system ?? '',
          declarations: () => [...(requests[0]?.tools ?? [])],
          clean: (message) => message,
          async record({ role }) {
            if (role === 'model') answers += 1;
          },
          recordHistory: async () => undefined,
          contextOf: async () => '',
          repeat: await repeatableCalls(messages, async ({ id }) => ended.has(id)),
          between: async () => (left[0] && left[0].afterAnswers <= answers ? left.shift()!.parts : null),
        },
        signal,
      ),
    );
  }
  return results;
}

/** Answers each batch of calls as it was answered then, with its events in their order. */
function recordedScheduler(
  { events }: Recording,
  { calls }: Script,
  emit: (event: CallEvent) => void,
): Pick<Scheduler, 'run'> {
  const left = calls.filter(({ start }) => start.agent === undefined);
  return {
    async run(asked) {
      const found = asked.map(({ id, name }) => {
        const at = left.findIndex(
          ({ end, start }) => start.tool === name && (id === '' || end?.response.id === id),
        );
        return at === -1 ? null : left.splice(at, 1)[0]!;
      });
      const ids = new Set(found.map((call) => call?.start.callId));
      const kept = events.filter(({ event }) => 'callId' in event && ids.has(event.callId));
      const told = kept.length > 0 ? kept.map(({ event }) => event as CallEvent) : found.flatMap(eventsOf);
      for (const event of told) emit(event);
      return found.map((call, index) => settledOf(call, asked[index]!));
    },
  };
}

/** The events of a call as far as a journal tells them. */
function eventsOf(call: RecordedCall | null): CallEvent[] {
  if (!call) return [];
  const { callId, tool, args, effects } = call.start;
  const start: CallEvent = { type: 'call-start', callId, tool, args, description: tool };
  if (effects) start.effects = effects;
  if (!call.end) return [start];
  const { display, error } = call.end;
  return [start, { type: 'call-end', callId, tool, display, error }];
}

function settledOf(call: RecordedCall | null, { id, name }: { id: string; name: string }): SettledCall {
  if (!call?.end) {
    const message = 'The recording has no result of this call.';
    const response = { id, name, response: { error: message, code: 'failed' } };
    const error = { code: 'failed' as const, message };
    return { callId: id, tool: name, response, llmContent: message, display: message, error, effects: [] };
  }
  const { callId, tool, response, display, error, changeSet } = call.end;
  const { output, error: said } = response.response ?? {};
  return {
    callId,
    tool,
    response,
    display,
    error,
    changeSet,
    llmContent: String(output ?? said ?? ''),
    effects: call.start.effects ?? [],
    ...deniedOf(call),
  };
}

function deniedOf({ decision }: RecordedCall): Pick<SettledCall, 'denied'> {
  if (!decision) return {};
  const { reason, outcome } = decision;
  if (decision.decision === 'deny') return { denied: { by: 'rule', reason } };
  return outcome === 'cancel' ? { denied: { by: 'user', reason } } : {};
}

/** The moment of each event: that of its like in the recording, else that of the event before. */
function recordedClock({ events, head }: Recording): (event: AgentEvent) => string {
  const left = [...events];
  let last = head.at;
  return (event) => {
    const at = left.findIndex(({ event: then }) => isLike(then, event));
    if (at !== -1) last = left.splice(at, 1)[0]!.at;
    return last;
  };
}

function isLike(then: AgentEvent, now: AgentEvent): boolean {
  return then.type === now.type && ('callId' in then ? 'callId' in now && then.callId === now.callId : true);
}

/** Events that came then and not now, or the other way round; pieces of text are not among them. */
function otherEvents(then: readonly RecordedEvent[], now: readonly StampedEvent[]): OtherCourse[] {
  const telling = (event: AgentEvent): boolean =>
    ['call-start', 'call-end', 'answer-restart', 'result'].includes(event.type);
  const [before, after] = [then, now].map((list) =>
    list
      .map(({ event }) => event)
      .filter(telling)
      .map(comparable),
  ) as [string[], string[]];
  const missing = before.filter((each) => !after.includes(each));
  const further = after.filter((each) => !before.includes(each));
  return [
    ...missing.map((each) => ({ kind: 'course' as const, message: `This came then and not now: ${each}` })),
    ...further.map((each) => ({ kind: 'course' as const, message: `This came now and not then: ${each}` })),
  ];
}

/** Drops who said no from an event: not every record has it. */
function comparable(event: AgentEvent): string {
  const { type } = event;
  if (type !== 'result') return JSON.stringify(event).slice(0, 2_000);
  const { denials, usage, ...result } = event.result;
  const error = isJsonObject(result.error) ? { kind: result.error.kind } : undefined;
  return JSON.stringify({ type, ...result, error, denied: denials.map(({ callId }) => callId) });
}
