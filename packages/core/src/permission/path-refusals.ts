import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { PathGuard } from './protected-paths.js';
import type { Rule } from './rules.js';

type Access = 'read' | 'write';

/** Refusals of the rules by real path, whoever asks; a text is the reason. */
export interface PathRefusals {
  /** The deny rules. Given to `host/files`. */
  refusal(access: Access, path: string): string | null;
  /** The same for what is read without a call, and so without a question: what rules deny or ask about, and what is secret. */
  refusalUnasked(access: Access, path: string): string | null;
  /**
   * True for a file that a walk through a folder must skip: denied, or secret or to be asked about when the question
   * was about the folder alone.
   */
  hides(path: string, folder?: string): boolean;
}

export interface PathRefusalNeeds extends Pick<PathGuard, 'secretReason'> {
  show(path: string): string;
  /** The path under which a file was denied that this one is or is a copy of. */
  originalOf?: ((path: string) => string | null) | undefined;
}

export function pathRefusals(
  rules: readonly Rule[],
  { show, secretReason, originalOf }: PathRefusalNeeds,
): PathRefusals {
  const isAbout = (rule: Rule, kind: Access, path: string): boolean =>
    rule.matches({ tool: '', effect: { kind, path } });
  const find = (verdict: Rule['verdict'], kind: Access, path: string): Rule | undefined =>
    rules.find((rule) => rule.verdict === verdict && isAbout(rule, kind, path));
  const refusal: PathRefusals['refusal'] = (access, path) => {
    const deny = find('deny', access, path);
    const named = ({ text, source }: Rule): string => `${foreignText(text)} (${foreignText(source)})`;
    if (deny) return `The rule ${named(deny)} forbids to ${access} ${show(path)}.`;
    const original = access === 'read' ? (originalOf?.(path) ?? null) : null;
    const same = original === null ? undefined : find('deny', 'read', original);
    if (!same) return null;
    return `The rule ${named(same)} forbids to read ${show(path)}: it is ${show(original!)} under another name, or a copy of it.`;
  };
  return {
    refusal,
    refusalUnasked(access, path) {
      const ask = find('ask', access, path);
      const unasked =
        ask &&
        `The rule ${foreignText(ask.text)} (${foreignText(ask.source)}) asks before it may ${access} ${show(path)}.`;
      const secret = access === 'read' ? secretReason(path) : null;
      const kept =
        secret === null ? null : `${show(path)} holds ${secret}, which is read only after a question.`;
      return refusal(access, path) ?? unasked ?? kept;
    },
    hides(path, folder) {
      if (refusal('read', path) !== null) return true;
      if (folder === undefined || folder === path) return false;
      if (secretReason(path) !== null && secretReason(folder) === null) return true;
      const asking = rules.filter((rule) => rule.verdict === 'ask' && isAbout(rule, 'read', path));
      return asking.some((rule) => !isAbout(rule, 'read', folder));
    },
  };
}
