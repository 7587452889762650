import type { Effect } from '@toolwright/machine/base/effect.js';
import { canonical } from '@toolwright/machine/base/json.js';
import type { Agent } from '../create-agent.js';
import type { RecordedCall } from '../recording/script.js';
import type { CallToAnswer } from '../scheduler/call.js';
import { explainCall } from '../scheduler/explain-call.js';
import { errorResult, type ToolResult } from '../tools/tools.js';
import type { AnsweredCall } from './report.js';

/** Tools whose calls reach for somebody or something that is not there in a replay. */
const neverRun: ReadonlySet<string> = new Set([
  ...['web_fetch', 'web_search', 'agent', 'ask_user', 'jobs', 'code', 'save_memory'],
]);

export interface AnswerCalls {
  answerInstead(call: CallToAnswer): Promise<ToolResult | null>;
  answered: AnsweredCall[];
  /** Ids of the recorded calls that were not run again. */
  notRun: Set<string>;
}

/**
 * Runs what stays in the view of the replay, and answers everything else from the recording: the network, servers, places
 * outside, jobs, and whatever has to be asked about, because answers given then do not count.
 */
export function answerCalls(
  calls: readonly RecordedCall[],
  agent: () => Pick<Agent, 'registry' | 'permission' | 'host' | 'commands'>,
): AnswerCalls {
  const left = [...calls];
  const answered: AnsweredCall[] = [];
  const notRun = new Set<string>();
  return {
    answered,
    notRun,
    async answerInstead(call) {
      const recorded = takeRecorded(left, call);
      const why = await whyNotRun(call, recorded, agent());
      if (why === null) return null;
      answered.push({ number: recorded?.number ?? 0, tool: call.tool, why });
      if (!recorded?.end)
        return errorResult(
          'denied',
          `This replay does not run ${call.tool}, and the recording has no response to it: ${why}.`,
        );
      notRun.add(recorded.start.callId);
      return resultOf(recorded);
    },
  };
}

function takeRecorded(left: RecordedCall[], { id, tool, args }: CallToAnswer): RecordedCall | undefined {
  const wanted = JSON.stringify(canonical(args));
  const byId = left.findIndex(
    ({ end, start }) => id !== '' && end?.response.id === id && start.tool === tool,
  );
  const found =
    byId === -1
      ? left.findIndex(({ start }) => start.tool === tool && JSON.stringify(canonical(start.args)) === wanted)
      : byId;
  return found === -1 ? undefined : left.splice(found, 1)[0];
}

async function whyNotRun(
  { tool, args, effects }: CallToAnswer,
  recorded: RecordedCall | undefined,
  agent: Pick<Agent, 'registry' | 'permission' | 'host' | 'commands'>,
): Promise<string | null> {
  if (neverRun.has(tool)) return 'it uses what is not part of a replay';
  if (effects === null) {
    // A tool of a server that is not started here is no difference; a call that is refused by now is one.
    const wasElsewhere = recorded?.start.effects?.some(({ kind }) => kind === 'mcp');
    return wasElsewhere ? 'servers are not started in a replay' : null;
  }
  if (recorded?.end?.error?.code === 'cancelled') return 'it was cancelled then';
  if (effects === undefined) return 'it does not tell what it would do';
  const reaching = effects.map(reachOf).find((reach) => reach !== null);
  if (reaching) return reaching;
  const { decision, askedAfter, reason } = await explainCall({ id: '', name: tool, arguments: args }, agent);
  if (decision === 'ask' && !askedAfter)
    return `it has to be asked about (${reason}), and answers given then do not apply`;
  return outcomes.get(recorded?.decision?.outcome ?? '') ?? null;
}

/** Reasons not to run a call because of what the user said to it. */
const outcomes: ReadonlyMap<string, string> = new Map([
  ['cancel', 'it was refused then, and nobody is asked now'],
  ['park', 'it was put off then, until the user answers'],
]);

/** Gives the target of an effect that lies outside the view; null when it stays inside. */
function reachOf(effect: Effect): string | null {
  switch (effect.kind) {
    case 'network':
      return 'it uses the network';
    case 'mcp':
      return 'servers are not started in a replay';
    case 'outside':
      return 'it reaches outside the workspace';
    case 'memory':
      return 'it changes remembered facts';
    case 'execute':
      if (effect.network) return 'it uses the network';
      if (effect.background) return 'it runs in the background';
      return effect.unconfined ? 'nothing would confine its command' : null;
    default:
      return null;
  }
}

function resultOf({ end }: RecordedCall): ToolResult {
  const { response = {}, parts = [] } = end!.response;
  const text = String(response['output'] ?? response['error'] ?? '');
  const media = parts.flatMap(({ inlineData }) => (inlineData ? [{ inlineData }] : []));
  return {
    llmContent: media.length > 0 ? [{ text }, ...media] : text,
    returnDisplay: end!.display,
    error: end!.error,
  };
}
