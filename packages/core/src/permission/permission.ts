import { relative } from 'node:path';
import { afterLinks, inMessage, isInside, type Workspace } from '../host/workspace.js';
import { type Decision, decide, type PermissionRequest, type PermissionState } from './decide.js';
import type { ApprovalMode } from './modes.js';
import { candidateOffers, type GrantOffer } from './offers.js';
import type { GlobCompiler } from './path-pattern.js';
import { isInGitFolder, protectedReason } from './protected-paths.js';
import { parseRule, type Rule, type RuleContext, type RuleText } from './rules.js';

/** A remembered yes, as data. Whoever wires the program decides where saved ones are kept. */
export interface Grant {
  rule: string;
  scope: 'session' | 'saved';
}

export interface Permission {
  mode: ApprovalMode;
  decide(request: PermissionRequest): Decision;
  /** The rules that would turn an "ask" for this call into an "allow", narrowest first. */
  offers(request: PermissionRequest): GrantOffer[];
  grant(grant: Grant): void;
  /** Whether a written rule, not a remembered yes, names this host; only then may it be a private one. */
  namesHost(host: string, port: number): boolean;
  /** The deny rules for one real path: the reason it is refused, or null. Given to `host/files`. */
  refusal(access: 'read' | 'write', path: string): string | null;
  /**
   * Whether a file is kept from whoever looks through a folder: denied, or to be asked about when the question was
   * about the folder alone.
   */
  hides(path: string, folder?: string): boolean;
  /** The same reasons for what is read without a call, and so without a question: deny rules and those that ask. */
  refusalUnasked(access: 'read' | 'write', path: string): string | null;
}

export interface PermissionOptions {
  mode: ApprovalMode;
  rules: readonly RuleText[];
  /** What the person said yes to earlier and had saved. */
  grants?: readonly RuleText[];
  workspace: Pick<Workspace, 'directory' | 'rootOf' | 'show'>;
  home?: string;
  /** Files and folders that hold the person's own settings, wherever they lie. */
  ownPaths?: readonly string[];
  /** Other names that a tool is called by: a rule may use them. */
  aliasesOf?(tool: string): readonly string[];
}

export async function createPermission(options: PermissionOptions): Promise<Permission> {
  const { workspace } = options;
  const texts = [...options.rules, ...(options.grants ?? [])];
  const compileGlob = await loadGlobCompiler(texts);
  const own = (options.ownPaths ?? []).map(afterLinks);
  const context: RuleContext = {
    workspace: workspace.directory,
    compileGlob,
    home: options.home,
    aliasesOf: options.aliasesOf,
    realPath: afterLinks,
    rootOf(path) {
      const root = workspace.rootOf(path)?.path;
      // Long output is kept in a root of ours, where rules about the person's files mean nothing.
      return root !== undefined && own.some((each) => isInside(root, each)) ? undefined : root;
    },
  };
  const rules: Rule[] = texts.map((rule) => parseRule(rule, context));
  const written = rules.slice(0, options.rules.length);
  const state: PermissionState = {
    mode: options.mode,
    rules,
    isProtected: protectionOf(workspace, own),
    show: (path) => inMessage(workspace.show(path)),
  };
  const denial = (kind: 'read' | 'write', path: string): Rule | undefined =>
    rules.find((rule) => rule.verdict === 'deny' && rule.matches({ tool: '', effect: { kind, path } }));
  const asks = (rule: Rule, kind: 'read' | 'write', path: string): boolean =>
    rule.verdict === 'ask' && rule.matches({ tool: '', effect: { kind, path } });
  const refusal: Permission['refusal'] = (kind, path) => {
    const deny = denial(kind, path);
    return deny ? `The rule ${deny.text} (${deny.source}) forbids to ${kind} ${state.show(path)}.` : null;
  };

  return {
    get mode() {
      return state.mode;
    },
    set mode(mode) {
      state.mode = mode;
    },
    decide: (request) => decide(state, request),
    offers(request) {
      return candidateOffers(request.tool, request.effects, (path) => workspace.show(path)).filter(
        ({ rule }) => {
          const granted = parseRule(
            { verdict: 'allow', text: rule, source: 'offer' },
            { ...context, compileGlob: literalGlob },
          );
          return decide({ ...state, rules: [...rules, granted] }, request).decision === 'allow';
        },
      );
    },
    grant({ rule, scope }) {
      const source = scope === 'session' ? 'granted for this session' : 'granted and saved';
      rules.push(
        parseRule({ verdict: 'allow', text: rule, source }, { ...context, compileGlob: literalGlob }),
      );
    },
    namesHost(host, port) {
      const effect = { kind: 'network' as const, host, port, url: '' };
      return written.some(
        (rule) => rule.verb === 'Fetch' && rule.verdict === 'allow' && rule.matches({ tool: '', effect }),
      );
    },
    refusal,
    hides(path, folder) {
      if (denial('read', path)) return true;
      if (folder === undefined) return false;
      return rules.some((rule) => asks(rule, 'read', path) && !asks(rule, 'read', folder));
    },
    refusalUnasked(kind, path) {
      const ask = rules.find((rule) => asks(rule, kind, path));
      const unasked =
        ask && `The rule ${ask.text} (${ask.source}) asks before it may ${kind} ${state.show(path)}.`;
      return refusal(kind, path) ?? unasked ?? null;
    },
  };
}

/** By name, below a root; and the person's own settings, unless one works right inside them. */
function protectionOf(
  { rootOf, directory }: Pick<Workspace, 'rootOf' | 'directory'>,
  own: readonly string[],
): (path: string) => boolean {
  return (path) => {
    const root = rootOf(path)?.path ?? '/';
    // A root may lie inside the workspace and hide the name of its own folder.
    const from = isInside(path, directory) && isInside(root, directory) ? directory : root;
    if (isInGitFolder(path) || protectedReason(relative(from, path)) !== null) return true;
    return own.some((each) => isInside(path, each) && !isInside(root, each));
  };
}

/** The pattern library is loaded only when a rule needs it. */
async function loadGlobCompiler(rules: readonly RuleText[]): Promise<GlobCompiler> {
  if (!rules.some(({ text }) => /^(Read|Edit)\(/.test(text))) return literalGlob;
  const { default: picomatch } = await import('picomatch');
  return (pattern) => {
    const matches = picomatch(pattern, { dot: true, nonegate: true });
    // A second argument would make it return an object, which is always true.
    return (path) => matches(path);
  };
}

/** What our own offers are made of: an escaped path, or an escaped folder followed by `/**`. */
function literalGlob(pattern: string): (path: string) => boolean {
  const folder = pattern.endsWith('/**') ? pattern.slice(0, -3) : null;
  const literal = (folder ?? pattern).replace(/\\(.)/g, '$1');
  return folder === null ? (path) => path === literal : (path) => path.startsWith(`${literal}/`);
}
