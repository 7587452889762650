import { afterLinks, inMessage, isInside, type Workspace } from '../host/workspace.js';
import { type Decision, decide, type PermissionRequest, type PermissionState } from './decide.js';
import type { ApprovalMode } from './modes.js';
import { candidateOffers, type GrantOffer } from './offers.js';
import type { GlobCompiler } from './path-pattern.js';
import { type PathRefusals, pathRefusals } from './path-refusals.js';
import { protection } from './protected-paths.js';
import { parseRule, type Rule, type RuleContext, type RuleText } from './rules.js';

/** A remembered yes, as data. Whoever wires the program decides where saved ones are kept. */
export interface Grant {
  rule: string;
  scope: 'session' | 'saved';
}

export interface Permission extends PathRefusals {
  mode: ApprovalMode;
  decide(request: PermissionRequest): Decision;
  /** The rules that would turn an "ask" for this call into an "allow", narrowest first. */
  offers(request: PermissionRequest): GrantOffer[];
  grant(grant: Grant): void;
  /** Whether a written rule, not a remembered yes, names this host; only then may it be a private one. */
  namesHost(host: string, port: number): boolean;
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
  const remembered = (text: string, source: string): Rule =>
    parseRule({ verdict: 'allow', text, source }, { ...context, compileGlob: literalGlob });
  const state: PermissionState = {
    mode: options.mode,
    rules,
    isProtected: protection(workspace, own),
    show: (path) => inMessage(workspace.show(path)),
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
          const granted = remembered(rule, 'offer');
          return decide({ ...state, rules: [...rules, granted] }, request).decision === 'allow';
        },
      );
    },
    grant({ rule, scope }) {
      rules.push(remembered(rule, scope === 'session' ? 'granted for this session' : 'granted and saved'));
    },
    namesHost(host, port) {
      const effect = { kind: 'network' as const, host, port, url: '' };
      return written.some(
        (rule) => rule.verb === 'Fetch' && rule.verdict === 'allow' && rule.matches({ tool: '', effect }),
      );
    },
    ...pathRefusals(rules, state.show),
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
