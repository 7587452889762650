import type { Effect } from '@toolwright/machine/base/effect.js';
import type { Decision } from '../permission/decide.js';
import type { Verdict } from '../permission/rules.js';
import type { SavedEntry } from '../session/journal.js';
import { type ExplainNeeds, explainCall } from './explain-call.js';

/** A call of an earlier session with the decision of then and that of the present rules. */
export interface ReplayedCall {
  callId: string;
  at: string;
  tool: string;
  args: Record<string, unknown>;
  /** Null where the program stopped before it was decided. */
  earlier: { decision: Verdict; reason: string; winner?: Decision['winner'] } | null;
  now: { decision: Verdict; reason: string; winner: Decision['winner'] | null };
  changes: boolean;
}

interface JournalledCall {
  start: SavedEntry & { type: 'call-start' };
  decision?: SavedEntry & { type: 'call-decision' };
  end?: SavedEntry & { type: 'call-end' };
}

/** Every call of a session against the present rules. Nothing is run: what was found out then is judged again. */
export async function replayDecisions(
  entries: readonly SavedEntry[],
  parts: ExplainNeeds,
): Promise<ReplayedCall[]> {
  const replayed: ReplayedCall[] = [];
  for (const call of pastCalls(entries)) {
    const { callId, at, tool, args } = call.start;
    const earlier = decidedThen(call);
    const now = await decidedNow(call, parts);
    const changes = earlier !== null && earlier.decision !== now.decision;
    replayed.push({ callId, at, tool, args, earlier, now, changes });
  }
  return replayed;
}

function pastCalls(entries: readonly SavedEntry[]): JournalledCall[] {
  const calls = new Map<string, JournalledCall>();
  for (const entry of entries) {
    if (entry.type === 'call-start') calls.set(entry.callId, { start: entry });
    const call = 'callId' in entry ? calls.get(entry.callId) : undefined;
    // The last decision counts: a call that the user changed is decided again.
    if (call && entry.type === 'call-decision') call.decision = entry;
    if (call && entry.type === 'call-end') call.end = entry;
  }
  return [...calls.values()];
}

function decidedThen({ decision, end }: JournalledCall): ReplayedCall['earlier'] {
  if (decision) {
    const { decision: verdict, reason, winner } = decision;
    return { decision: verdict, reason, winner };
  }
  return end?.error ? { decision: 'deny', reason: end.error.message } : null;
}

/** Changes of a command are in the journal, and count more than what its line declares. */
async function decidedNow(
  { start, decision }: JournalledCall,
  parts: ExplainNeeds,
): Promise<ReplayedCall['now']> {
  if (!decision) {
    const explained = await explainCall({ id: '', name: start.tool, arguments: start.args }, parts);
    return pick(explained);
  }
  const tool = parts.registry.getTool(start.tool)?.name ?? start.tool;
  const decide = (effects: readonly Effect[] | null): Decision =>
    parts.permission.decide({ tool, effects: effects ?? undefined });
  const declared = decide(start.effects);
  return pick(declared.decision === 'deny' || !decision.effects ? declared : decide(decision.effects));
}

function pick({ decision, reason, winner }: ReplayedCall['now']): ReplayedCall['now'] {
  return { decision, reason, winner };
}
