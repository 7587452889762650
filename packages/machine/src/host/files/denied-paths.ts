import { asSentence, foreignText } from '../../base/sentences/foreign-text.js';
import type { RememberedFiles } from '../plain-files/regular-file.js';

/** Reading covers content alone: names and sizes are not content. */
export type PathAccess = 'read' | 'write';

/** Judges an access, with the real path, whenever content is read or something is changed; returns the reason for a refusal. */
export type PathPolicy = (access: PathAccess, realPath: string) => string | null;

/** A rule that keeps paths from being read or written. */
export interface PathDenial {
  /** The rule as it was written, and where. */
  text: string;
  source: string;
  isAbout(access: PathAccess, path: string): boolean;
}

/** A rule that denies a path, and why, as part of a sentence. */
export interface DeniedPath<Denial extends PathDenial = PathDenial> {
  rule: Denial;
  reason: string;
}

/** Paths that rules deny, whoever asks. A denied file stays denied under another name, and so does a copy of it. */
export interface DeniedPaths<Denial extends PathDenial = PathDenial> {
  find(access: PathAccess, path: string): DeniedPath<Denial> | null;
  /** The same as a sentence. */
  refusal: PathPolicy;
}

interface DeniedPathsOptions<Denial extends PathDenial> {
  rules: readonly Denial[];
  /** Files that were denied before, to know them again. */
  remembered?: Pick<RememberedFiles, 'originalOf'>;
  show(path: string): string;
}

const doing: Record<PathAccess, string> = { read: 'reading', write: 'writing' };

export function createDeniedPaths<Denial extends PathDenial>({
  rules,
  remembered,
  show,
}: DeniedPathsOptions<Denial>): DeniedPaths<Denial> {
  const find: DeniedPaths<Denial>['find'] = (access, path) => {
    const rule = rules.find((each) => each.isAbout(access, path));
    if (rule) return { rule, reason: `${namedRule(rule)} forbids ${doing[access]} ${show(path)}` };
    const original = access === 'read' ? (remembered?.originalOf(path) ?? null) : null;
    if (original === null) return null;
    const same = rules.find((each) => each.isAbout('read', original));
    if (!same) return null;
    const reason = `${namedRule(same)} forbids reading ${show(path)}, which is ${show(original)} under another name or a copy of it`;
    return { rule: same, reason };
  };
  return {
    find,
    refusal(access, path) {
      const found = find(access, path);
      return found && asSentence(found.reason);
    },
  };
}

/** The denied paths of the rules in force: a door to files keeps its `refusal`, whatever rules come later. */
export function createDeniedInForce(first: Pick<DeniedPaths, 'refusal'>) {
  let current = first;
  return {
    refusal: (access: PathAccess, path: string): string | null => current.refusal(access, path),
    replace(next: Pick<DeniedPaths, 'refusal'>): void {
      current = next;
    },
  };
}

/** A rule in the middle of a sentence: `the rule Read(.env) (settings.json:3)`. */
export function namedRule({ text, source }: { text: string; source: string }): string {
  return `the rule ${foreignText(text)} (${foreignText(source)})`;
}
