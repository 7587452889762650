import type { Effect } from '@toolwright/machine/base/effect.js';
import type { Verdict } from './rules.js';

export const approvalModes = ['plan', 'default', 'auto-edit', 'yolo'] as const;
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

/** One row per class, one column per mode: plan, default, auto-edit, yolo. */
const table: Record<EffectClass, readonly [Verdict, Verdict, Verdict, Verdict]> = {
  read: ['allow', 'allow', 'allow', 'allow'],
  secret: ['deny', 'ask', 'ask', 'ask'],
  'shell-read-only': ['allow', 'allow', 'allow', 'allow'],
  // Its changes are judged one by one, as the effects beside it.
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

export function modeVerdict(mode: ApprovalMode, effectClass: EffectClass): Verdict {
  return table[effectClass][order[mode]];
}

/** Knowledge about the paths of an effect. */
interface PathsKnown {
  isProtected(path: string): boolean;
  isSecret(path: string): boolean;
}

export function classify(effect: Effect, { isProtected, isSecret }: PathsKnown): EffectClass {
  switch (effect.kind) {
    case 'read':
      return isSecret(effect.path) ? 'secret' : 'read';
    case 'write':
    case 'delete':
      if (isProtected(effect.path) || (effect.kind === 'write' && effect.leaves)) return 'protected';
      if (effect.kind === 'write' && effect.ignored) return 'ignored';
      return effect.declared ? 'shell-write' : 'write';
    case 'memory':
      return effect.scope === 'global' ? 'memory-global' : 'memory-project';
    case 'execute':
      if (effect.network || effect.background) return 'shell-asked-first';
      if (effect.staged) return 'shell-staged';
      if (effect.readOnly) return 'shell-read-only';
      if (effect.unconfined === 'missing') return 'shell-unconfined';
      return effect.unconfined === 'chosen' ? 'shell-asked-first' : 'shell';
    case 'outside':
      return 'outside';
    case 'network':
      return 'fetch';
    case 'mcp':
      return 'foreign';
  }
}
