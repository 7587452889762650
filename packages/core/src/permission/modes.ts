import type { CommandWords, Effect } from '@toolwright/machine/base/effect.js';
import type { PathGuard } from '@toolwright/machine/host/places/path-guard.js';
import type { Rule, Verdict } from './rules.js';

/** The approval modes, the strictest first. */
export const approvalModes = ['plan', 'default', 'auto-edit', 'yolo'] as const;
/** The mode of a session: nothing is changed (plan), the usual, edits are allowed, everything is allowed (yolo). */
export type ApprovalMode = (typeof approvalModes)[number];

/** The class of an effect, as far as the mode is concerned. */
export type EffectClass =
  | 'read'
  | 'secret'
  | 'write'
  | 'ignored'
  | 'protected'
  | 'memory-project'
  | 'memory-global'
  | 'shell-read-only'
  | 'shell-staged'
  | 'shell'
  | 'shell-asked-first'
  | 'shell-unconfined'
  | 'shell-write'
  | 'outside'
  | 'fetch'
  | 'foreign'
  | 'confirmation';

const order: Record<ApprovalMode, 0 | 1 | 2 | 3> = { plan: 0, default: 1, 'auto-edit': 2, yolo: 3 };

/** A row per class, a column per mode: plan, default, auto-edit, yolo. */
const table: Record<EffectClass, readonly [Verdict, Verdict, Verdict, Verdict]> = {
  read: ['allow', 'allow', 'allow', 'allow'],
  secret: ['deny', 'ask', 'ask', 'ask'],
  'shell-read-only': ['allow', 'allow', 'allow', 'allow'],
  // The changes of a staged command are judged one by one, as the effects beside it.
  'shell-staged': ['allow', 'allow', 'allow', 'allow'],
  write: ['deny', 'ask', 'allow', 'allow'],
  // Caches and what builds make.
  ignored: ['deny', 'allow', 'allow', 'allow'],
  'memory-project': ['deny', 'ask', 'allow', 'allow'],
  'memory-global': ['deny', 'ask', 'ask', 'allow'],
  protected: ['deny', 'ask', 'ask', 'ask'],
  shell: ['allow', 'ask', 'allow', 'allow'],
  'shell-asked-first': ['deny', 'ask', 'ask', 'allow'],
  // Only a sandbox can show the workspace read-only.
  'shell-unconfined': ['deny', 'ask', 'ask', 'ask'],
  // In plan mode the command finds a workspace that it can't write.
  'shell-write': ['allow', 'ask', 'allow', 'allow'],
  outside: ['deny', 'ask', 'ask', 'ask'],
  fetch: ['ask', 'ask', 'ask', 'allow'],
  foreign: ['deny', 'ask', 'ask', 'allow'],
  // A tool that says it only reads and yet wants the user to be asked.
  confirmation: ['ask', 'ask', 'ask', 'allow'],
};

/** A session apart needs no question for what auto-edit mode allows: nothing of it reaches the workspace before a review. */
export function modeVerdict({ mode, apart }: ModeState, effectClass: EffectClass): Verdict {
  return table[effectClass][order[apart && mode === 'default' ? 'auto-edit' : mode]];
}

export interface ModeState {
  mode: ApprovalMode;
  /** The session works on a view of its own. */
  apart?: boolean;
  /** A script of the model is running: its changes gather in a view, and `ask` rules about them are asked when it has ended. */
  gathers?: boolean;
}

/** An effect, "nothing at all", "unknown", declared but not believed, or the question that the tool itself wants asked. */
export type Subject = Effect | 'none' | 'unknown' | 'disbelieved' | 'confirmation';

/** The facts that the class of an effect depends on besides the effect. */
export interface ClassNeeds {
  rules: readonly Rule[];
  guard: PathGuard;
  /** Commands of the call that a rule would have to cover; null where one can't be read. */
  commands: readonly CommandWords[] | null;
  /** A command of the call runs without a sandbox. */
  isUnconfined: boolean;
  /** See `ModeState`. */
  apart?: boolean;
}

export function classOf(subject: Subject, needs: ClassNeeds): EffectClass {
  if (subject === 'none') return 'read';
  if (subject === 'unknown' || subject === 'disbelieved') return 'foreign';
  if (subject === 'confirmation') return 'confirmation';
  switch (subject.kind) {
    case 'read':
      // A sandbox hides secrets, so they need no question; without one a command reads wherever the user may.
      return needs.guard.secretReason(subject.path, needs.isUnconfined ? 'everywhere' : undefined) === null
        ? 'read'
        : 'secret';
    case 'write':
    case 'delete':
      return classOfChange(subject, needs);
    case 'memory':
      return subject.scope === 'global' ? 'memory-global' : 'memory-project';
    case 'execute':
      return classOfCommand(subject, needs);
    case 'outside':
      return 'outside';
    case 'network':
      return 'fetch';
    case 'mcp':
      return 'foreign';
  }
}

function classOfChange(
  change: Effect & { kind: 'write' | 'delete' },
  { guard, commands }: ClassNeeds,
): EffectClass {
  const isProtected = guard.protectedReason(change.path, change.staged ? { commands } : undefined) !== null;
  if (isProtected || (change.kind === 'write' && change.leaves)) return 'protected';
  if (change.kind === 'write' && change.ignored) return 'ignored';
  return change.declared ? 'shell-write' : 'write';
}

function classOfCommand(command: Effect & { kind: 'execute' }, { rules, apart }: ClassNeeds): EffectClass {
  if (escapesRules(command, rules)) return 'shell-unconfined';
  // A confined job of a session apart changes nothing but the view.
  const isAskedJob = command.background && !(apart && command.unconfined === undefined);
  if (command.network || isAskedJob) return 'shell-asked-first';
  if (command.staged) return 'shell-staged';
  if (command.readOnly) return 'shell-read-only';
  if (command.unconfined === 'missing') return 'shell-unconfined';
  return command.unconfined === 'chosen' ? 'shell-asked-first' : 'shell';
}

/**
 * Tells whether a command could reach files that rules deny or ask about: where the user chose to do without a sandbox nothing
 * prevents it, except for changes that are reviewed before they are kept. No mode allows such a command; a rule for it does.
 */
function escapesRules(command: Effect & { kind: 'execute' }, rules: readonly Rule[]): boolean {
  const { unconfined, own, readOnly, background } = command;
  if (unconfined !== 'chosen' || own || readOnly) return false;
  return rules.some(
    ({ verb, verdict }) => verdict !== 'allow' && (verb === 'Read' || (verb === 'Edit' && background)),
  );
}
