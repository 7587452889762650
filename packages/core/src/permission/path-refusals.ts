import type { Rule } from './rules.js';

type Access = 'read' | 'write';

/** What the rules keep back whoever looks for it, by real path; a text is the reason. */
export interface PathRefusals {
  /** The deny rules. Given to `host/files`. */
  refusal(access: Access, path: string): string | null;
  /** The same for what is read without a call, and so without a question: deny rules and those that ask. */
  refusalUnasked(access: Access, path: string): string | null;
  /**
   * Whether a file is kept from whoever looks through a folder: denied, or to be asked about when the question was
   * about the folder alone.
   */
  hides(path: string, folder?: string): boolean;
}

export function pathRefusals(rules: readonly Rule[], show: (path: string) => string): PathRefusals {
  const isAbout = (rule: Rule, kind: Access, path: string): boolean =>
    rule.matches({ tool: '', effect: { kind, path } });
  const find = (verdict: Rule['verdict'], kind: Access, path: string): Rule | undefined =>
    rules.find((rule) => rule.verdict === verdict && isAbout(rule, kind, path));
  const refusal: PathRefusals['refusal'] = (access, path) => {
    const deny = find('deny', access, path);
    return deny ? `The rule ${deny.text} (${deny.source}) forbids to ${access} ${show(path)}.` : null;
  };
  return {
    refusal,
    refusalUnasked(access, path) {
      const ask = find('ask', access, path);
      const unasked =
        ask && `The rule ${ask.text} (${ask.source}) asks before it may ${access} ${show(path)}.`;
      return refusal(access, path) ?? unasked ?? null;
    },
    hides(path, folder) {
      if (find('deny', 'read', path)) return true;
      if (folder === undefined) return false;
      const asking = rules.filter((rule) => rule.verdict === 'ask' && isAbout(rule, 'read', path));
      return asking.some((rule) => !isAbout(rule, 'read', folder));
    },
  };
}
