import type { Effect, OutsideAccess } from '@toolwright/machine/base/effect.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import { runReason } from '@toolwright/machine/host/places/path-guard.js';
import type { EffectClass, ModeState, Subject } from './modes.js';
import type { Verdict } from './rules.js';

/** Describes an effect in one line; `show` shortens paths. */
export function describeEffect(effect: Effect, show: (path: string) => string = (path) => path): string {
  const named = (path: string): string => foreignText(show(path));
  switch (effect.kind) {
    case 'read':
    case 'write':
    case 'delete':
      return `${effect.kind} ${named(effect.path)}`;
    case 'execute':
      return `run ${foreignText(effect.command)}${effect.network ? ' (network)' : ''}${effect.background ? ' (background)' : ''}`;
    case 'outside':
      return describeOutside(effect, named);
    case 'network':
      return `reach ${foreignText(effect.host)}:${effect.port}`;
    case 'mcp':
      return `call ${foreignText(effect.tool)} on MCP server ${foreignText(effect.server)}`;
    case 'memory':
      return `remember in ${named(effect.path)} (${effect.scope})`;
  }
}

function describeOutside(effect: OutsideAccess, show: (path: string) => string): string {
  switch (effect.access) {
    case 'read':
    case 'write':
      return `${effect.access} ${show(effect.path)} outside the workspace`;
    case 'ssh-agent':
      return 'use your ssh agent';
    case 'host':
      return `reach ${foreignText(effect.host)}`;
  }
}

export function describeSubject(subject: Subject, tool: string, show: (path: string) => string): string {
  if (subject === 'unknown') return `call ${foreignText(tool)}, which does not say what it does`;
  if (subject === 'disbelieved')
    return `call ${foreignText(tool)}, which was seen to change files although it says otherwise`;
  if (subject === 'confirmation') return `call ${foreignText(tool)}, which asks for a confirmation`;
  return subject === 'none' ? `call ${foreignText(tool)}` : describeEffect(subject, show);
}

const gerunds = new Map([
  ['read', 'reading'],
  ['write', 'writing'],
  ['delete', 'deleting'],
  ['run', 'running'],
  ['use', 'using'],
  ['reach', 'reaching'],
  ['call', 'calling'],
  ['remember', 'remembering'],
]);

/** `writing a.txt` for `write a.txt`. */
export function doing(what: string): string {
  return what.replace(/^\w+/, (verb) => gerunds.get(verb) ?? verb);
}

interface ModeVerdict {
  verdict: Verdict;
  /** The facts known of this effect beside its kind, in words. */
  said: string | null;
  whereItWorks?: string | null;
}

export function modeReason(state: ModeState, judged: ModeVerdict & { doing: string }): string {
  const { said, whereItWorks = null } = judged;
  return `${modeSentence(state, judged)}${said === null ? '' : ` (${said})`}${whereItWorks === null ? '' : `; ${whereItWorks}`}`;
}

function modeSentence(
  { mode, apart }: ModeState,
  { verdict, doing }: { verdict: Verdict; doing: string },
): string {
  if (apart && mode === 'default' && verdict === 'allow')
    return `the session works apart, which allows ${doing} without a question`;
  if (verdict === 'deny') return `${mode} mode does not allow ${doing}`;
  return verdict === 'allow' ? `${mode} mode allows ${doing}` : `${mode} mode asks before ${doing}`;
}

/** The same for a user who sees the call: what it would do is not said once more. */
export function modeBrief(
  { mode }: ModeState,
  { verdict, subject, said, whereItWorks = null }: ModeVerdict & { subject: Subject },
): string | undefined {
  if (verdict === 'allow') return undefined;
  if (verdict === 'deny') return `${mode} mode: not ${doneTo(subject)}${said === null ? '' : ` (${said})`}`;
  const what = subject === 'unknown' ? 'it does not say what it does' : said;
  const known = [what, whereItWorks].filter((each) => each !== null);
  return known.length > 0 ? known.join('; ') : undefined;
}

/** `written` for `write a.txt`. */
function doneTo(subject: Subject): string {
  if (typeof subject === 'string') return 'called';
  const words: Record<Effect['kind'], string> = {
    read: 'read',
    write: 'written',
    delete: 'deleted',
    execute: 'run',
    outside: 'run',
    network: 'fetched',
    mcp: 'called',
    memory: 'remembered',
  };
  return words[subject.kind];
}

/** The network access of a command, worded for a question: `yes`, `no`, or the hosts. */
export function networkReach(effects: readonly Effect[]): string {
  const isOpen = effects.some(
    (effect) => effect.kind === 'network' || (effect.kind === 'execute' && effect.network),
  );
  const hosts = effects.flatMap((effect) =>
    effect.kind === 'outside' && effect.access === 'host' ? [foreignText(effect.host)] : [],
  );
  return isOpen ? 'yes' : hosts.length > 0 ? `only ${hosts.join(', ')}` : 'no';
}

interface Remarked {
  effect: Effect | undefined;
  class: EffectClass;
  verdict: Verdict;
}

interface Known {
  /** The kind of secret at its path. */
  secret: string | null;
  /** Why its path is protected here only. */
  protectedHere: string | null;
  /** The rule that seems to be about the command, and why it does not cover it. */
  uncovered: string | null;
}

/** The addition to a reason that the user should read before they say yes. */
export function remark({ effect, class: effectClass, verdict }: Remarked, known: Known): string | null {
  if (effectClass === 'secret')
    return `it holds ${known.secret}${verdict === 'ask' ? ', which is always asked about' : ''}`;
  // The reason goes to the model as well, and only the user's question may tell what is known of a place.
  if (verdict !== 'ask' || effect?.kind === 'outside') return null;
  return known.uncovered ?? reasonToAsk(effect, effectClass, known);
}

function reasonToAsk(effect: Effect | undefined, effectClass: EffectClass, known: Known): string | null {
  if (effectClass === 'protected') {
    if (effect?.kind === 'write' && effect.leaves)
      return 'a link that leaves the workspace is always asked about';
    const why = known.protectedHere === null ? '' : `: ${known.protectedHere}`;
    return `a protected path is always asked about${why}`;
  }
  if (effect?.kind === 'execute') {
    if (effectClass !== 'shell-unconfined') return effect.doubts?.[0] ?? null;
    return effect.unconfined === 'chosen'
      ? 'nothing confines it, so the rules about files could not be enforced'
      : 'nothing confines it: no sandbox was found, toolwright doctor says why; --sandbox off goes without one';
  }
  return effect?.kind === 'write' ? runReason(effect.path) : null;
}
