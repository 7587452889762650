import { describeEffect, type Effect } from '../base/effect.js';
import { type ApprovalMode, classify, type EffectClass, modeVerdict } from './modes.js';
import { runsLater } from './protected-paths.js';
import type { Rule, Verdict } from './rules.js';

export interface PermissionRequest {
  tool: string;
  /** Undefined: the tool does not say what it does. */
  effects: readonly Effect[] | undefined;
}

export interface Considered {
  rule: string;
  verdict: Verdict;
  source: string;
  matched: boolean;
}

export type Winner =
  | { kind: 'rule'; rule: string; verdict: Verdict; source: string }
  | { kind: 'mode'; mode: ApprovalMode; class: EffectClass | 'none' };

export interface Decision {
  decision: Verdict;
  reason: string;
  considered: Considered[];
  winner: Winner;
}

export interface PermissionState {
  mode: ApprovalMode;
  rules: readonly Rule[];
  isProtected(path: string): boolean;
  show(path: string): string;
}

type Judgement = { verdict: Verdict; reason: string; winner: Winner };

const severity: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 };

/** May this call happen? Every effect must be allowed; the strictest answer counts. */
export function decide(state: PermissionState, request: PermissionRequest): Decision {
  const judgements = subjectsOf(request).map((effect) => judge(state, request.tool, effect));
  const worst = judgements.reduce((left, right) =>
    severity[right.verdict] > severity[left.verdict] ? right : left,
  );
  return {
    decision: worst.verdict,
    reason: worst.reason,
    winner: worst.winner,
    considered: consider(state.rules, request),
  };
}

/** An effect, "nothing at all", or "unknown". */
type Subject = Effect | 'none' | 'unknown';

function subjectsOf({ effects }: PermissionRequest): Subject[] {
  if (effects === undefined) return ['unknown'];
  return effects.length === 0 ? ['none'] : [...effects];
}

function judge(state: PermissionState, tool: string, subject: Subject): Judgement {
  const effect = typeof subject === 'string' ? undefined : subject;
  const matching = state.rules.filter((rule) => rule.matches({ tool, effect }));
  const effectClass: EffectClass = effect
    ? classify(effect, state.isProtected)
    : subject === 'none'
      ? 'read'
      : 'foreign';
  const byMode = modeVerdict(state.mode, effectClass);
  const what = describeSubject(state, tool, subject);

  const deny = matching.find((rule) => rule.verdict === 'deny');
  if (deny) return byRule(deny, 'deny', `the rule ${deny.text} (${deny.source}) forbids to ${what}`);

  const ask = matching.find((rule) => rule.verdict === 'ask');
  if (ask && byMode !== 'deny')
    return byRule(ask, 'ask', `the rule ${ask.text} (${ask.source}) asks before it may ${what}`);

  const allow = matching.find((rule) => rule.verdict === 'allow');
  if (allow && mayBeAllowed(state.mode, effectClass, byMode)) {
    return byRule(allow, 'allow', `the rule ${allow.text} (${allow.source}) allows to ${what}`);
  }
  return {
    verdict: byMode,
    reason: modeReason(state.mode, byMode, what) + remark(effect, effectClass, byMode),
    winner: { kind: 'mode', mode: state.mode, class: subject === 'none' ? 'none' : effectClass },
  };
}

/** No rule reaches a protected path, and in plan mode a rule opens nothing but foreign tools. */
function mayBeAllowed(mode: ApprovalMode, effectClass: EffectClass, byMode: Verdict): boolean {
  if (effectClass === 'protected') return false;
  return mode !== 'plan' || byMode !== 'deny' || effectClass === 'foreign';
}

function byRule(rule: Rule, verdict: Verdict, reason: string): Judgement {
  return {
    verdict,
    reason,
    winner: { kind: 'rule', rule: rule.text, verdict: rule.verdict, source: rule.source },
  };
}

function describeSubject(state: PermissionState, tool: string, subject: Subject): string {
  if (subject === 'unknown') return `call ${tool}, which does not say what it does`;
  return subject === 'none' ? `call ${tool}` : describeEffect(subject, state.show);
}

function modeReason(mode: ApprovalMode, verdict: Verdict, what: string): string {
  if (verdict === 'deny') return `${mode} mode does not ${what}`;
  if (verdict === 'allow') return `${mode} mode allows to ${what}`;
  return `${mode} mode asks before it may ${what}`;
}

/** What a person should know before they say yes. */
function remark(effect: Effect | undefined, effectClass: EffectClass, verdict: Verdict): string {
  if (verdict !== 'ask') return '';
  if (effectClass === 'protected') return ' (a protected path is always asked about)';
  return effect?.kind === 'write' && runsLater(effect.path) ? ' (other programs run what is in it)' : '';
}

function consider(rules: readonly Rule[], request: PermissionRequest): Considered[] {
  const effects: (Effect | undefined)[] = request.effects?.length ? [...request.effects] : [undefined];
  return rules.map((rule) => ({
    rule: rule.text,
    verdict: rule.verdict,
    source: rule.source,
    matched: effects.some((effect) => rule.matches({ tool: request.tool, effect })),
  }));
}
