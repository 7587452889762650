import type { Effect } from '@toolwright/machine/base/effect.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import { type DeniedPaths, namedRule } from '@toolwright/machine/host/files/denied-paths.js';
import type { PathGuard } from '@toolwright/machine/host/places/path-guard.js';
import type { ToolOrigin } from '../tools/loading/tool-origin.js';
import { commandsIn, commandsOutside, rulesCovering } from './covered-commands.js';
import {
  type ApprovalMode,
  type ClassNeeds,
  classOf,
  type EffectClass,
  type ModeState,
  modeVerdict,
  type Subject,
} from './modes.js';
import { isBeyond } from './narrowed-tools.js';
import type { HeldGrant, Rule, Verdict } from './rules.js';
import { describeSubject, doing, modeBrief, modeReason, remark } from './wording.js';

export interface PermissionRequest {
  tool: string;
  /** Undefined: the tool does not say what it does. */
  effects: readonly Effect[] | undefined;
  /** The tool was seen to change files although it says otherwise, so its effects are not believed. */
  wasCaught?: boolean;
  /** The rules to which whoever asks is narrowed with this tool: a call that they do not cover is denied. */
  within?: readonly Rule[] | undefined;
  /** The tool itself wants the user to be asked about this call, which otherwise only reads. */
  wantsConfirmation?: boolean;
}

export interface Considered {
  rule: string;
  verdict: Verdict;
  source: string;
  matched: boolean;
  /** The rule covers some of the commands in a compound, not all. */
  inPart?: true;
}

export type Winner =
  | {
      kind: 'rule';
      rule: string;
      verdict: Verdict;
      source: string;
      /** The other rules it took to cover every command of a compound. */
      with?: { rule: string; source: string }[];
    }
  | { kind: 'mode'; mode: ApprovalMode; class: EffectClass | 'none' }
  /** A program of the user, asked before the call. */
  | { kind: 'hook'; hook: string; verdict: 'ask' | 'deny' };

/** The verdict over a call, its reason, and the rules that were considered. */
export interface Decision {
  decision: Verdict;
  reason: string;
  considered: Considered[];
  winner: Winner;
  /** Ids of the grants with a limit that an "allow" stands on. */
  spends?: string[];
  /** The reason for a user who sees the call; absent where the mode asks about every effect of the kind. */
  brief?: string;
}

export interface PermissionState extends ModeState {
  rules: readonly Rule[];
  guard: PathGuard;
  denied: DeniedPaths;
  /** The kind of place that a tool comes from; undefined for a tool that is not known. */
  originOf?(tool: string): ToolOrigin['kind'] | undefined;
  show(path: string): string;
}

/** May this call happen? Every effect must be allowed; the strictest answer counts. */
export function decide(state: PermissionState, request: PermissionRequest): Decision {
  const judgements = judgeEffects(state, request);
  const { verdict, reason, winner, brief } = judgements.reduce((left, right) =>
    weight(right) > weight(left) ? right : left,
  );
  return {
    decision: verdict,
    reason,
    winner,
    considered: state.rules.map((rule) => consider(rule, request)),
    spends: verdict === 'allow' ? limitedGrants(judgements) : undefined,
    brief,
  };
}

/** The answer about one effect, and the rules that allow it. */
interface Judgement {
  verdict: Verdict;
  reason: string;
  winner: Winner;
  allowedBy?: readonly Rule[];
  brief?: string;
}

export interface EffectJudgement extends Judgement {
  class: EffectClass;
}

/** Judges each effect, or the call itself when it has no effects or does not declare them. */
export function judgeEffects(given: PermissionState, request: PermissionRequest): EffectJudgement[] {
  const { tool, effects = [] } = request;
  const isOutsideView = given.apart === true && isNeverApart(given.originOf?.(tool));
  const state: PermissionState = isOutsideView ? withoutView(given) : given;
  const commands = effects.filter((effect) => effect.kind === 'execute');
  const allowing = state.rules.filter(({ verdict }) => verdict === 'allow');
  const isCommand = commands.length > 0;
  const classNeeds: ClassNeeds = {
    rules: state.rules,
    guard: state.guard,
    apart: state.apart,
    commands: isCommand ? commandsIn(effects) : [],
    isUnconfined: commands.some(({ unconfined }) => unconfined !== undefined),
  };
  const call: CallFacts = {
    state,
    tool,
    allowing,
    commandEffects: commands,
    forChanges: isCommand ? rulesCovering(allowing, commands) : [],
    forOutside: isCommand ? rulesCovering(allowing, commandsOutside(effects)) : [],
    classNeeds,
    isOutsideView,
    within: request.within,
  };
  return subjectsOf(request).map((subject) => judgeSubject(call, subject));
}

/** True for code that runs in this process, or may: what it opens by itself is the workspace, also in a session apart. */
function isNeverApart(origin: ToolOrigin['kind'] | undefined): boolean {
  return origin === 'library' || origin === 'file';
}

/** For a call that works on the workspace itself: nothing is allowed on the ground that the session is apart. */
function withoutView(state: PermissionState): PermissionState {
  return { ...state, apart: false };
}

type Command = Effect & { kind: 'execute' };

/** The facts that the judgements of a call have in common. */
interface CallFacts {
  state: PermissionState;
  tool: string;
  allowing: readonly Rule[];
  commandEffects: readonly Command[];
  /** Rules that allow every command of the call, and with it the changes it was found to make. */
  forChanges: readonly Rule[];
  /** Rules that allow every command of the call to use what rules let it reach outside. */
  forOutside: readonly Rule[];
  classNeeds: ClassNeeds;
  /** The session works apart, and the tool does not. */
  isOutsideView: boolean;
  within: PermissionRequest['within'];
}

function subjectsOf({ effects, wantsConfirmation, wasCaught }: PermissionRequest): Subject[] {
  if (effects === undefined) return [wasCaught ? 'disbelieved' : 'unknown'];
  if (wantsConfirmation) return [...effects, 'confirmation'];
  return effects.length === 0 ? ['none'] : [...effects];
}

/** The first of these that has an answer: a rule that denies, one that asks, rules that allow, the mode. */
function judgeSubject(call: CallFacts, subject: Subject): EffectJudgement {
  const { state, tool } = call;
  const effect = typeof subject === 'string' ? undefined : subject;
  const effectClass = classOf(subject, call.classNeeds);
  const judged: Judged = {
    subject,
    effect,
    class: effectClass,
    byMode: modeVerdict(state, effectClass),
    matching: state.rules.filter((rule) => rule.matches({ tool, effect })),
    doing: doing(describeSubject(subject, tool, state.show)),
  };
  const answer =
    beyondTools(call, judged) ??
    deniedByRule(call, judged) ??
    askedByRule(call, judged) ??
    allowedByRules(call, judged) ??
    decidedByMode(call, judged);
  return { ...answer, class: effectClass };
}

/** The effect that is judged, or another subject, and what the mode alone says about it. */
interface Judged {
  subject: Subject;
  effect: Effect | undefined;
  class: EffectClass;
  byMode: Verdict;
  matching: readonly Rule[];
  /** `writing a.txt` */
  doing: string;
}

function beyondTools({ within, tool }: CallFacts, { effect, doing }: Judged): Judgement | null {
  const [first] = within ?? [];
  if (!within || !first || !isBeyond(within, { tool, effect })) return null;
  const texts = within.map(({ text }) => foreignText(text)).join(' and ');
  const limited = `this agent is limited to ${texts} (${foreignText(first.source)})`;
  return {
    ...byRule(first, 'deny', `${limited}, which does not cover ${doing}`),
    brief: limited,
  };
}

function deniedByRule({ state }: CallFacts, { effect, matching, doing }: Judged): Judgement | null {
  const rule = matching.find(({ verdict }) => verdict === 'deny');
  if (rule)
    return {
      ...byRule(rule, 'deny', `${namedRule(rule)} forbids ${doing}`),
      brief: `${namedRule(rule)} forbids it`,
    };
  // A denied file stays denied under another name.
  const denied = effect?.kind === 'read' ? state.denied.find('read', effect.path) : null;
  return denied && byRule({ ...denied.rule, verdict: 'deny' }, 'deny', denied.reason);
}

function askedByRule({ state }: CallFacts, judged: Judged): Judgement | null {
  const { effect, matching, byMode, doing } = judged;
  if (byMode === 'deny' || (state.gathers && judged.class === 'write')) return null;
  const rule = matching.find(({ verdict }) => verdict === 'ask');
  if (rule)
    return {
      ...byRule(rule, 'ask', `${namedRule(rule)} asks before ${doing}`),
      brief: `${namedRule(rule)} says so`,
    };
  if (effect?.kind !== 'execute') return null;
  const isUnknown = effect.commands?.some(([program]) => program === null) ?? true;
  const unsure =
    isUnknown && state.rules.find(({ verb, verdict }) => verb === 'Shell' && verdict !== 'allow');
  if (!unsure) return null;
  const why = effect.commands
    ? 'what it runs is known only when it runs'
    : 'the command line could not be read';
  const brief = `${namedRule(unsure)} may apply: ${why}`;
  return { ...byRule(unsure, 'ask', `${brief}, so it asks before ${doing}`), brief };
}

/** No rule allows a protected path, and in plan mode a rule allows nothing but foreign tools. */
function allowedByRules(call: CallFacts, judged: Judged): Judgement | null {
  const isClosed = call.state.mode === 'plan' && judged.byMode === 'deny' && judged.class !== 'foreign';
  if (judged.class === 'protected' || isClosed) return null;
  const rules = judged.class === 'secret' ? rulesNaming(call, judged) : rulesAllowing(call, judged);
  const [first, ...others] = rules;
  if (!first) return null;
  const allow = others.length === 0 ? 'allows' : 'together allow';
  const answer = byRule(first, 'allow', `${rules.map(namedRule).join(' and ')} ${allow} ${judged.doing}`);
  if (others.length > 0) answer.winner.with = others.map(({ text, source }) => ({ rule: text, source }));
  return { ...answer, allowedBy: rules };
}

/**
 * Gives the rules that allow an effect: one that matches it; or several that share the commands of a compound; or, for a change found by
 * staging a command, those that allow the command itself. A place outside takes a rule of its own beside those for the command.
 */
function rulesAllowing(call: CallFacts, { effect, matching }: Judged): readonly Rule[] {
  const { allowing, forChanges, forOutside } = call;
  const direct = matching.filter(({ verdict }) => verdict === 'allow');
  if (effect?.kind === 'outside') {
    const rule = direct.find(({ verb }) => verb === 'Outside');
    return rule && forOutside.length > 0 ? [rule, ...forOutside] : [];
  }
  if (direct.length > 0) return direct.slice(0, 1);
  if (effect?.kind === 'execute') return rulesCovering(allowing, [effect]);
  const isChange = effect?.kind === 'write' || effect?.kind === 'delete';
  return isChange && (effect.staged || effect.declared === 'purpose') ? forChanges : [];
}

/** Something secret takes a rule about exactly this file: none about its folder, a pattern or the tool is enough. */
function rulesNaming({ allowing }: CallFacts, { effect }: Judged): readonly Rule[] {
  if (effect?.kind !== 'read') return [];
  return allowing.filter(({ namesFile }) => namesFile?.(effect.path)).slice(0, 1);
}

function decidedByMode(call: CallFacts, judged: Judged): Judgement {
  const { state, classNeeds } = call;
  const { subject, effect, byMode: verdict } = judged;
  const winner: Winner = {
    kind: 'mode',
    mode: state.mode,
    class: subject === 'none' ? 'none' : judged.class,
  };
  if (judged.class === 'write' && effect && 'staged' in effect && effect.staged)
    return keepingJudged(call, verdict, winner);
  const path = effect && 'path' in effect ? effect.path : '';
  const known = {
    secret:
      judged.class === 'secret'
        ? state.guard.secretReason(path, classNeeds.isUnconfined ? 'everywhere' : undefined)
        : null,
    protectedHere: judged.class === 'protected' ? state.guard.protectedHere(path) : null,
    uncovered: effect?.kind === 'execute' ? ruleNotCovering(call.allowing, [effect]) : null,
  };
  const remarks = {
    said: remark({ effect, class: judged.class, verdict }, known),
    whereItWorks: call.isOutsideView && verdict === 'ask' ? NOT_APART : null,
  };
  const without = verdict === 'deny' && judged.class === 'shell-unconfined' ? ' without a sandbox' : '';
  return {
    verdict,
    reason: modeReason(state, { verdict, doing: `${judged.doing}${without}`, ...remarks }),
    winner,
    brief: modeBrief(state, { verdict, subject, ...remarks }),
  };
}

function keepingJudged(call: CallFacts, verdict: Verdict, winner: Winner): Judgement {
  const uncovered = ruleNotCovering(call.allowing, call.commandEffects);
  const brief = verdict === 'ask' ? (uncovered ?? undefined) : undefined;
  return { verdict, reason: reasonToKeep(call, verdict), winner, brief };
}

const NOT_APART = 'this tool works in the workspace itself, not apart';

/** The reason and the winner of a question about what a command changed, the same before it runs on a copy and after. */
export function questionAboutChanges(
  state: PermissionState,
  { effects = [] }: PermissionRequest,
): Pick<Decision, 'reason' | 'winner'> {
  const commands = effects.filter((effect) => effect.kind === 'execute');
  const allowing = state.rules.filter(({ verdict }) => verdict === 'allow');
  return {
    reason: reasonToKeep({ state, allowing, commandEffects: commands }, 'ask'),
    winner: { kind: 'mode', mode: state.mode, class: 'write' },
  };
}

function reasonToKeep(
  { state, allowing, commandEffects }: Pick<CallFacts, 'state' | 'allowing' | 'commandEffects'>,
  verdict: Verdict,
): string {
  const uncovered = verdict === 'ask' ? ruleNotCovering(allowing, commandEffects) : null;
  return modeReason(state, { verdict, doing: 'keeping what a command changed', said: uncovered });
}

/** A rule that seems to be about a command, and why it does not cover it. */
function ruleNotCovering(allowing: readonly Rule[], commands: readonly Command[]): string | null {
  for (const { words, why } of commands.flatMap(({ beyond = [] }) => beyond)) {
    const rule = allowing.find(({ covers }) => covers?.(words));
    if (rule) return `${namedRule(rule)} does not cover it: ${why}`;
  }
  return null;
}

function byRule(
  { text, source, verdict: written }: Pick<Rule, 'text' | 'source' | 'verdict'>,
  verdict: Verdict,
  reason: string,
): Judgement & { winner: { kind: 'rule' } } {
  return { verdict, reason, winner: { kind: 'rule', rule: text, verdict: written, source } };
}

const severity: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 };

/** Among equally strict answers one that a rule gave says more, then what is protected or secret, and reading says least. */
function weight({ verdict, winner }: Judgement): number {
  if (winner.kind !== 'mode') return severity[verdict] + 0.5;
  if (winner.class === 'protected') return severity[verdict] + 0.4;
  if (winner.class === 'secret') return severity[verdict] + 0.3;
  return severity[verdict] + (winner.class === 'read' ? 0 : 0.25);
}

function limitedGrants(judgements: readonly Judgement[]): string[] | undefined {
  const grants = judgements.flatMap(({ allowedBy = [] }) => allowedBy.flatMap(({ grant }) => grant ?? []));
  const ids = new Set(grants.filter(isLimited).map(({ id }) => id));
  return ids.size > 0 ? [...ids] : undefined;
}

function isLimited({ uses, untilMs }: HeldGrant): boolean {
  return uses !== undefined || untilMs !== undefined;
}

function consider(rule: Rule, { tool, effects }: PermissionRequest): Considered {
  const subjects: (Effect | undefined)[] = effects?.length ? [...effects] : [undefined];
  const matched = subjects.some((effect) => rule.matches({ tool, effect }));
  const coversSome = subjects.some(
    (effect) => effect?.kind === 'execute' && effect.commands?.some((each) => rule.covers?.(each)),
  );
  const { text, verdict, source } = rule;
  return { rule: text, verdict, source, matched, inPart: !matched && coversSome ? true : undefined };
}
