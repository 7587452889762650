import type { Effect } from '@toolwright/machine/base/effect.js';
import { asSentence } from '@toolwright/machine/base/sentences/foreign-text.js';
import {
  createDeniedPaths,
  type DeniedPaths,
  namedRule,
  type PathAccess,
  type PathDenial,
  type PathPolicy,
} from '@toolwright/machine/host/files/denied-paths.js';
import type { PathGuard } from '@toolwright/machine/host/places/path-guard.js';
import type { RememberedFiles } from '@toolwright/machine/host/plain-files/regular-file.js';
import { namedPlace, parseRule, type Rule, type RuleContext, type RuleText } from './rules.js';
import { doing } from './wording.js';

/** The consequences of the rules that were written in settings and flags. */
export interface WrittenRules extends Omit<PathRefusals, 'refusal'> {
  rules: readonly Rule[];
  denied: DeniedPaths;
  /** Places that written rules deny reading of, or ask about. */
  unreadable: NarrowedPlaces;
  /** The same for changes. */
  unwritable: NarrowedPlaces;
  /** True when a written rule, not a grant, names this host; only then may it be a private one. */
  namesHost(host: string, port: number): boolean;
}

export interface WrittenRulesNeeds {
  context: RuleContext;
  guard: Pick<PathGuard, 'secretReason'>;
  /** Files that were denied in this session, to know them again. */
  remembered?: Pick<RememberedFiles, 'originalOf'> | undefined;
  show(path: string): string;
}

/** Throws a sentence about the first rule that can't be understood. */
export function readRules(texts: readonly RuleText[], needs: WrittenRulesNeeds): WrittenRules {
  const { context, remembered, show } = needs;
  const rules = texts.map((rule) => parseRule(rule, context));
  const denials = rules.filter(({ verdict }) => verdict === 'deny').map(asDenial);
  const denied = createDeniedPaths({ rules: denials, remembered, show });
  return {
    rules,
    denied,
    unreadable: narrowedPlaces('Read', rules, context),
    unwritable: narrowedPlaces('Edit', rules, context),
    namesHost: (host, port) => namesHost(rules, { kind: 'network', host, port, url: '' }),
    ...unaskedRefusals(rules, denied, needs),
  };
}

/** Places that rules deny or ask about, and a flag for patterns besides them. */
export interface NarrowedPlaces {
  places: readonly string[];
  patterns: boolean;
}

function asDenial(rule: Rule): PathDenial {
  return { text: rule.text, source: rule.source, isAbout: (access, path) => isAbout(rule, access, path) };
}

function isAbout(rule: Rule, kind: PathAccess, path: string): boolean {
  return rule.matches({ tool: '', effect: { kind, path } });
}

function namesHost(rules: readonly Rule[], effect: Effect): boolean {
  return rules.some(
    (rule) => rule.verb === 'Fetch' && rule.verdict === 'allow' && rule.matches({ tool: '', effect }),
  );
}

function narrowedPlaces(
  about: 'Read' | 'Edit',
  rules: readonly Rule[],
  context: RuleContext,
): NarrowedPlaces {
  const named = rules
    .filter(({ verb, verdict }) => verb === about && verdict !== 'allow')
    .map(({ pattern, source }) => namedPlace({ pattern, source, narrows: true }, context));
  return {
    places: named.filter(({ whole }) => whole).map(({ path }) => path),
    patterns: named.some(({ whole }) => !whole),
  };
}

/** Refusals of the rules by real path, whoever asks; a text is the reason. */
export interface PathRefusals {
  /** The deny rules. Given to `host/files`. */
  refusal: PathPolicy;
  /** The same for what is read without a call, and so without a question: what rules deny or ask about, and what is secret. */
  refusalWithoutAsking: PathPolicy;
  /**
   * True for a file that a walk through a folder must skip: denied, or secret or to be asked about when the question
   * was about the folder alone.
   */
  hides(path: string, folder?: string): boolean;
}

function unaskedRefusals(
  rules: readonly Rule[],
  denied: DeniedPaths,
  { show, guard: { secretReason } }: WrittenRulesNeeds,
): Omit<PathRefusals, 'refusal'> {
  const asking = rules.filter(({ verdict }) => verdict === 'ask');
  return {
    refusalWithoutAsking(access, path) {
      const refusal = denied.refusal(access, path);
      if (refusal !== null) return refusal;
      const ask = asking.find((rule) => isAbout(rule, access, path));
      if (ask) return asSentence(`${namedRule(ask)} asks before ${doing(`${access} ${show(path)}`)}`);
      const secret = access === 'read' ? secretReason(path) : null;
      return secret && `${show(path)} holds ${secret}, which may be read only after the user was asked.`;
    },
    hides(path, folder) {
      if (denied.find('read', path) !== null) return true;
      if (folder === undefined || folder === path) return false;
      if (secretReason(path) !== null && secretReason(folder) === null) return true;
      return asking.some((rule) => isAbout(rule, 'read', path) && !isAbout(rule, 'read', folder));
    },
  };
}
