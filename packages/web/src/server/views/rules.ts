import {
  type Permission,
  type RawCall,
  type RuleText,
  SettingsError,
  type Toolbox,
  type Verdict,
} from '@toolwright/core';
import {
  describeEffect,
  describeWinner,
  entriesFrom,
  explainCall,
  explanationSentences,
  messageOf,
  type ReplayedCall,
  replayDecisions,
  savedSessions,
  verdictWords,
} from '@toolwright/core/front-end';
import type { DraftRule, ExplainedView, ReplayView, RulesView } from '../../wire/wire.js';
import type { WebNeeds } from '../needs.js';
import { briefOf } from '../sessions/timeline.js';

export function readRules({ permission }: Toolbox): RulesView {
  return {
    mode: permission.mode,
    rules: permission.rules.map(({ verdict, text, source, grant }) => ({
      verdict,
      text,
      source,
      isGrant: grant !== undefined,
    })),
  };
}

/** The permission of a toolbox with drafts of the user before the rules in force. */
function withDrafts(
  { permission, permissionUnder }: Toolbox,
  drafts: readonly DraftRule[],
): Promise<Permission> | Permission {
  if (drafts.length === 0) return permission;
  const present: RuleText[] = permission.rules.map(({ verdict, text, source }) => ({
    verdict,
    text,
    source,
  }));
  const drafted = drafts.map(({ verdict, text }): RuleText => ({ verdict, text, source: 'this page' }));
  return permissionUnder([...drafted, ...present]);
}

/** Explains the decision on a call or a command line; nothing is run. */
export async function explainText(
  toolbox: Toolbox,
  { text, rules = [] }: { text: string; rules?: DraftRule[] },
): Promise<ExplainedView> {
  try {
    const permission = await withDrafts(toolbox, rules);
    const explained = await explainCall(callIn(text, toolbox), { ...toolbox, permission });
    const effects = (explained.effects ?? []).map((effect) =>
      describeEffect(effect, toolbox.host.workspace.show),
    );
    const { decision, reason, considered, hooks } = explained;
    return {
      explained: { decision, reason, considered, hooks },
      verdict: verdictWords(explained),
      sentences: explanationSentences(explained),
      by: describeWinner(explained.winner),
      effects,
      problem: null,
    };
  } catch (error) {
    if (error instanceof SettingsError || error instanceof SyntaxError)
      return { explained: null, verdict: '', sentences: [], by: '', effects: [], problem: messageOf(error) };
    throw error;
  }
}

/** `name {json}` where a tool has that name, otherwise a command line. */
function callIn(text: string, { registry }: Toolbox): RawCall {
  const [, name = '', rest = ''] = /^([A-Za-z0-9_-]+)(?:\s+(\{.*))?$/s.exec(text.trim()) ?? [];
  if (!registry.getTool(name))
    return { id: '', name: 'run_shell_command', arguments: { command: text.trim() } };
  return { id: '', name, arguments: rest === '' ? {} : (JSON.parse(rest) as RawCall['arguments']) };
}

const MOST_SESSIONS = 200;
const MOST_CHANGED = 200;

/** Judges every call of the workspace's sessions by the drafts, then by the rules in force. */
export async function replayRules(
  needs: WebNeeds,
  toolbox: Toolbox,
  { rules, signal }: { rules: DraftRule[]; signal: AbortSignal },
): Promise<ReplayView> {
  const view: ReplayView = {
    sessions: 0,
    calls: 0,
    earlier: none(),
    now: none(),
    changed: [],
    problem: null,
  };
  let permission: Permission;
  try {
    permission = await withDrafts(toolbox, rules);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { ...view, problem: error.message };
  }
  const sessions = await savedSessions(needs.state, needs.workspace, signal);
  for (const { id, path } of sessions.slice(0, MOST_SESSIONS)) {
    const { entries } = await entriesFrom(path, 0, signal);
    const calls = await replayDecisions(entries, { ...toolbox, permission });
    view.sessions += 1;
    for (const call of calls) count(call, id, view);
  }
  return view;
}

function none(): Record<Verdict, number> {
  return { allow: 0, ask: 0, deny: 0 };
}

function count({ earlier, now, callId, tool, args }: ReplayedCall, session: string, view: ReplayView): void {
  if (!earlier) return;
  view.calls += 1;
  view.earlier[earlier.decision] += 1;
  view.now[now.decision] += 1;
  if (earlier.decision === now.decision || view.changed.length >= MOST_CHANGED) return;
  const { decision, reason } = now;
  view.changed.push({
    session,
    callId,
    tool,
    brief: briefOf(args),
    earlier: earlier.decision,
    now: decision,
    reason,
  });
}
