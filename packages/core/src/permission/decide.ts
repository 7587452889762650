import type { CommandWords, Effect } from '@toolwright/machine/base/effect.js';
import { runsWhenAsked } from '@toolwright/machine/base/places/places.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import { describeEffect } from './describe-effect.js';
import { type ApprovalMode, classify, type EffectClass, modeVerdict } from './modes.js';
import { commandsOutside } from './patterns.js';
import type { PathGuard } from './protected-paths.js';
import { type HeldGrant, isCovered, type Rule, type Verdict } from './rules.js';

export interface PermissionRequest {
  tool: string;
  /** Undefined: the tool does not say what it does. */
  effects: readonly Effect[] | undefined;
  /** The tool itself wants the user to be asked about this call. */
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
  | { kind: 'mode'; mode: ApprovalMode; class: EffectClass | 'none' };

export interface Decision {
  decision: Verdict;
  reason: string;
  considered: Considered[];
  winner: Winner;
  /** Ids of the grants with a limit that an "allow" stands on. */
  spends?: string[];
}

export interface PermissionState {
  mode: ApprovalMode;
  rules: readonly Rule[];
  guard: PathGuard;
  /** The path under which a file was denied that this one is or is a copy of. */
  deniedBefore?(path: string): string | null;
  show(path: string): string;
}

/** The answer about one effect, and the rules that allow it. */
export interface Judgement {
  verdict: Verdict;
  reason: string;
  winner: Winner;
  allowedBy?: readonly Rule[];
}

const severity: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 };

/** May this call happen? Every effect must be allowed; the strictest answer counts. */
export function decide(state: PermissionState, request: PermissionRequest): Decision {
  const judgements = judgeEffects(state, request);
  const worst = judgements.reduce((left, right) => (weight(right) > weight(left) ? right : left));
  const limited = judgements.flatMap(({ allowedBy = [] }) =>
    allowedBy.flatMap(({ grant }) => (grant && isLimited(grant) ? grant : [])),
  );
  const isSpent = worst.verdict === 'allow' && limited.length > 0;
  return {
    decision: worst.verdict,
    reason: worst.reason,
    winner: worst.winner,
    considered: state.rules.map((rule) => consider(rule, request)),
    ...(isSpent ? { spends: [...new Set(limited.map(({ id }) => id))] } : {}),
  };
}

function isLimited({ uses, untilMs }: HeldGrant): boolean {
  return uses !== undefined || untilMs !== undefined;
}

/** The strictest answer counts; among equals one that a rule gave says more, then what is protected or secret, and reading says least. */
function weight({ verdict, winner }: Judgement): number {
  if (winner.kind === 'rule') return severity[verdict] + 0.5;
  if (winner.class === 'protected') return severity[verdict] + 0.4;
  if (winner.class === 'secret') return severity[verdict] + 0.3;
  return severity[verdict] + (winner.class === 'read' ? 0 : 0.25);
}

/** One answer per effect, or one for a call that has none or does not say. */
export function judgeEffects(state: PermissionState, request: PermissionRequest): Judgement[] {
  const allowing = state.rules.filter(({ verdict }) => verdict === 'allow');
  const forChanges = allowedChanges(allowing, request);
  const commands = commandsIn(request.effects);
  const isUnconfined = (request.effects ?? []).some(
    (effect) => effect.kind === 'execute' && effect.unconfined !== undefined,
  );
  const forOutside = coveringAll(allowing, commandsOutside(request.effects ?? []));
  const given = { state, tool: request.tool, allowing, forChanges, forOutside, commands, isUnconfined };
  return subjectsOf(request).map((subject) => judge(given, subject));
}

interface Given {
  state: PermissionState;
  tool: string;
  /** The rules that allow something. */
  allowing: readonly Rule[];
  /** Rules that allow every command of the call, and with it the changes it was found to make. */
  forChanges: readonly Rule[];
  /** Rules that allow every command of the call to use what rules let it reach outside. */
  forOutside: readonly Rule[];
  /** Commands that a rule would have to cover; null where one can't be read. */
  commands: readonly CommandWords[] | null;
  /** A command among the effects runs without a sandbox. */
  isUnconfined: boolean;
}

/** An effect, "nothing at all", "unknown", or the question that the tool itself wants asked. */
type Subject = Effect | 'none' | 'unknown' | 'confirmation';

function subjectsOf({ effects, wantsConfirmation = false }: PermissionRequest): Subject[] {
  if (effects === undefined) return ['unknown'];
  // Other effects than reading are judged by rules and modes, and the tool's question is about these effects.
  if (wantsConfirmation && effects.every(({ kind }) => kind === 'read')) return [...effects, 'confirmation'];
  return effects.length === 0 ? ['none'] : [...effects];
}

function judge(given: Given, subject: Subject): Judgement {
  const { state, tool } = given;
  const effect = typeof subject === 'string' ? undefined : subject;
  const matching = state.rules.filter((rule) => rule.matches({ tool, effect }));
  const effectClass = classOf(given, subject);
  const byMode = modeVerdict(state.mode, effectClass);
  const what = describeSubject(state, tool, subject);

  const deny = matching.find(({ verdict }) => verdict === 'deny');
  if (deny) return byRule(deny, 'deny', `the rule ${named(deny)} forbids to ${what}`);
  const again = deniedAgain(state, effect);
  if (again) return again;

  const ask = matching.find(({ verdict }) => verdict === 'ask');
  if (ask && byMode !== 'deny')
    return byRule(ask, 'ask', `the rule ${named(ask)} asks before it may ${what}`);

  const [unsure, why] = (byMode !== 'deny' && effect && ruleOnUnknown(state.rules, effect)) || [];
  if (unsure) {
    const reason = `the rule ${named(unsure)} may be about it: ${why}, so it asks before it may ${what}`;
    return byRule(unsure, 'ask', reason);
  }

  const allowing = effectClass === 'secret' ? namedBy(given, effect) : allowedBy(given, effect);
  const [first, ...others] = allowing;
  if (first && mayBeAllowed(state.mode, effectClass, byMode)) {
    const rules = others.length === 0 ? 'the rule' : 'the rules';
    const verb = others.length === 0 ? 'allows' : 'together allow';
    const judgement = byRule(
      first,
      'allow',
      `${rules} ${allowing.map(named).join(' and ')} ${verb} to ${what}`,
    );
    return { ...judgement, winner: { ...judgement.winner, ...besides(others) }, allowedBy: allowing };
  }
  return {
    verdict: byMode,
    reason:
      modeReason(state.mode, byMode, what) +
      (uncovered(given, effect, byMode) ?? remark(given, { effect, effectClass, verdict: byMode })),
    winner: { kind: 'mode', mode: state.mode, class: subject === 'none' ? 'none' : effectClass },
  };
}

const classOfWord: Record<Subject & string, EffectClass> = {
  none: 'read',
  unknown: 'foreign',
  confirmation: 'confirmation',
};

/** A file that a rule denies stays denied under another name, and so does a copy of it. */
function deniedAgain(state: PermissionState, effect: Effect | undefined): Judgement | null {
  const original = effect?.kind === 'read' ? (state.deniedBefore?.(effect.path) ?? null) : null;
  if (original === null || effect?.kind !== 'read') return null;
  const subject = { tool: '', effect: { kind: 'read' as const, path: original } };
  const rule = state.rules.find((each) => each.verdict === 'deny' && each.matches(subject));
  if (!rule) return null;
  const what = `${state.show(effect.path)}, which is ${state.show(original)} under another name, or a copy of it`;
  return byRule(rule, 'deny', `the rule ${named(rule)} forbids to read ${what}`);
}

function classOf(given: Given, subject: Subject): EffectClass {
  const { state, commands } = given;
  if (typeof subject === 'string') return classOfWord[subject];
  if (subject.kind === 'execute' && escapesRules(state.rules, subject)) return 'shell-unconfined';
  const isStaged = 'path' in subject && 'staged' in subject && subject.staged === true;
  return classify(subject, {
    isProtected: (path) => state.guard.protectedReason(path, isStaged ? { commands } : undefined) !== null,
    isSecret: (path) => secretReason(given, path) !== null,
  });
}

/** A sandbox hides secrets, so they need no question; without one a command reads wherever the user may. */
function secretReason({ state, isUnconfined }: Given, path: string): string | null {
  return state.guard.secretReason(path, isUnconfined ? 'everywhere' : undefined);
}

/**
 * When the user chose to do without a sandbox, nothing keeps a command from files that rules deny or ask about, but for
 * changes that are looked at before they are kept. A mode is not enough then; a rule for the command is.
 */
function escapesRules(rules: readonly Rule[], command: Effect & { kind: 'execute' }): boolean {
  const { unconfined, own, readOnly, background } = command;
  if (unconfined !== 'chosen' || own || readOnly) return false;
  return rules.some(
    ({ verb, verdict }) => verdict !== 'allow' && (verb === 'Read' || (verb === 'Edit' && background)),
  );
}

/** Commands that a rule would have to cover; null where one can't be read. */
export function commandsIn(effects: readonly Effect[] = []): readonly CommandWords[] | null {
  const all: CommandWords[] = [];
  for (const effect of effects) {
    if (effect.kind !== 'execute') continue;
    if (effect.commands === null) return null;
    all.push(...(effect.unproven ?? effect.commands));
  }
  return all;
}

/**
 * The rules that allow this effect, together: one that matches it; several that share the commands of a compound; and
 * for a change found by staging a command, those that allow the command itself.
 */
function allowedBy(given: Given, effect: Effect | undefined): readonly Rule[] {
  const { allowing, forChanges, forOutside, tool } = given;
  if (effect?.kind === 'outside') {
    const rule = allowing.find(({ verb, matches }) => verb === 'Outside' && matches({ tool, effect }));
    return rule && forOutside.length > 0 ? [rule, ...forOutside] : [];
  }
  const direct = allowing.find((rule) => rule.matches({ tool, effect }));
  if (direct) return [direct];
  if (effect?.kind === 'execute') return covering(allowing, effect);
  return effect && goesWithCommand(effect) ? forChanges : [];
}

/** Something secret takes a rule about exactly this file: none about its folder, a pattern or the tool is enough. */
function namedBy({ allowing }: Given, effect: Effect | undefined): readonly Rule[] {
  if (effect?.kind !== 'read') return [];
  const rule = allowing.find(({ namesFile }) => namesFile?.(effect.path));
  return rule ? [rule] : [];
}

function goesWithCommand(effect: Effect): boolean {
  if (effect.kind !== 'write' && effect.kind !== 'delete') return false;
  return effect.staged === true || effect.declared === 'purpose';
}

function allowedChanges(allowing: readonly Rule[], { effects = [] }: PermissionRequest): readonly Rule[] {
  return coveringAll(
    allowing,
    effects.filter((effect) => effect.kind === 'execute'),
  );
}

function coveringAll(
  allowing: readonly Rule[],
  commands: readonly (Effect & { kind: 'execute' })[],
): readonly Rule[] {
  const covered = commands.map((command) => covering(allowing, command));
  return covered.every(({ length }) => length > 0) ? [...new Set(covered.flat())] : [];
}

/** The Shell rules that cover every simple command between them; none when one is left over. */
function covering(rules: readonly Rule[], effect: Effect & { kind: 'execute' }): Rule[] {
  const found = new Set<Rule>();
  const isAll = isCovered(effect, (words, beyond) => {
    const needed = [
      rules.find(({ covers }) => covers?.(words, beyond)),
      ...(beyond?.folders ?? []).map((folder) => rules.find(({ opensFolder }) => opensFolder?.(folder))),
    ];
    for (const rule of needed) if (rule) found.add(rule);
    return needed.every((rule) => rule !== undefined);
  });
  return isAll ? [...found] : [];
}

/** Nobody can tell whether a rule is about a program that only running would name; `why` says what is not known. */
function ruleOnUnknown(rules: readonly Rule[], effect: Effect): [Rule, why: string] | undefined {
  if (effect.kind !== 'execute') return undefined;
  const isUnknown = effect.commands?.some(([program]) => program === null) ?? true;
  const rule = isUnknown && rules.find(({ verb, verdict }) => verb === 'Shell' && verdict !== 'allow');
  if (!rule) return undefined;
  return [rule, effect.commands ? 'what it runs is known only then' : 'the command line could not be read'];
}

/** No rule reaches a protected path, and in plan mode a rule opens nothing but foreign tools. */
function mayBeAllowed(mode: ApprovalMode, effectClass: EffectClass, byMode: Verdict): boolean {
  if (effectClass === 'protected') return false;
  return mode !== 'plan' || byMode !== 'deny' || effectClass === 'foreign';
}

function named({ text, source }: Rule): string {
  return `${foreignText(text)} (${foreignText(source)})`;
}

function byRule(rule: Rule, verdict: Verdict, reason: string): Judgement & { winner: { kind: 'rule' } } {
  return {
    verdict,
    reason,
    winner: { kind: 'rule', rule: rule.text, verdict: rule.verdict, source: rule.source },
  };
}

function besides(others: readonly Rule[]): { with?: { rule: string; source: string }[] } {
  return others.length === 0 ? {} : { with: others.map(({ text, source }) => ({ rule: text, source })) };
}

function describeSubject(state: PermissionState, tool: string, subject: Subject): string {
  if (subject === 'unknown') return `call ${foreignText(tool)}, which does not say what it does`;
  if (subject === 'confirmation') return `call ${foreignText(tool)}, which wants a confirmation`;
  return subject === 'none' ? `call ${foreignText(tool)}` : describeEffect(subject, state.show);
}

function modeReason(mode: ApprovalMode, verdict: Verdict, what: string): string {
  if (verdict === 'deny') return `${mode} mode does not ${what}`;
  if (verdict === 'allow') return `${mode} mode allows to ${what}`;
  return `${mode} mode asks before it may ${what}`;
}

/** A rule that seems to be about the command, and what it does not cover. */
function uncovered({ allowing }: Given, effect: Effect | undefined, verdict: Verdict): string | undefined {
  if (verdict !== 'ask' || effect?.kind !== 'execute') return undefined;
  for (const { words, why } of effect.beyond ?? []) {
    const rule = allowing.find(({ covers }) => covers?.(words));
    if (rule) return ` (the rule ${named(rule)} does not cover it: ${why})`;
  }
  return undefined;
}

interface Remarked {
  effect: Effect | undefined;
  effectClass: EffectClass;
  verdict: Verdict;
}

/** A remark that the user should read before they say yes. */
function remark(given: Given, { effect, effectClass, verdict }: Remarked): string {
  if (effectClass === 'secret' && effect?.kind === 'read')
    return ` (it holds ${secretReason(given, effect.path)}${verdict === 'ask' ? ', which is always asked about' : ''})`;
  if (verdict === 'deny' && effectClass === 'shell-unconfined') return ' without a sandbox';
  if (verdict !== 'ask') return '';
  // The reason goes to the model as well, and only the user's question may tell what is known of a place.
  if (effect?.kind === 'outside') return '';
  if (effectClass === 'protected' && effect?.kind === 'write' && effect.leaves)
    return ' (a link that leaves the workspace is always asked about)';
  if (effectClass === 'protected') {
    const why = effect && 'path' in effect ? given.state.guard.protectedHere(effect.path) : null;
    return ` (a protected path is always asked about${why === null ? '' : `: ${why}`})`;
  }
  if (effect?.kind === 'execute' && effect.unconfined === 'chosen' && effectClass === 'shell-unconfined')
    return ' (nothing confines it, so the rules about files could not be kept)';
  if (effectClass === 'shell-unconfined')
    return ' (nothing confines it: no sandbox was found, toolwright doctor says why; --sandbox off goes without one)';
  if (effect?.kind === 'execute' && effect.doubts?.[0]) return ` (${effect.doubts[0]})`;
  return effect?.kind === 'write' && runsWhenAsked(effect.path) ? ' (other programs run what is in it)' : '';
}

function consider(rule: Rule, { tool, effects }: PermissionRequest): Considered {
  const subjects: (Effect | undefined)[] = effects?.length ? [...effects] : [undefined];
  const matched = subjects.some((effect) => rule.matches({ tool, effect }));
  const inPart =
    !matched &&
    subjects.some(
      (effect) => effect?.kind === 'execute' && effect.commands?.some((each) => rule.covers?.(each)),
    );
  const { text, verdict, source } = rule;
  return { rule: text, verdict, source, matched, ...(inPart ? { inPart } : {}) };
}
