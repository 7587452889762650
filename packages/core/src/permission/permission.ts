import { relative } from 'node:path';
import type { Workspace } from '../host/workspace.js';
import { type Decision, decide, type PermissionRequest, type PermissionState } from './decide.js';
import type { ApprovalMode } from './modes.js';
import { candidateOffers, type GrantOffer } from './offers.js';
import { protectedReason } from './protected-paths.js';
import { type GlobCompiler, parseRule, type Rule, type RuleText } from './rules.js';

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
}

export interface PermissionOptions {
  mode: ApprovalMode;
  rules: readonly RuleText[];
  /** What the person said yes to earlier and had saved. */
  grants?: readonly RuleText[];
  workspace: Pick<Workspace, 'directory' | 'rootOf' | 'show'>;
  home?: string;
}

export async function createPermission(options: PermissionOptions): Promise<Permission> {
  const { workspace } = options;
  const texts = [...options.rules, ...(options.grants ?? [])];
  const compileGlob = await loadGlobCompiler(texts);
  const context = { workspace: workspace.directory, compileGlob, home: options.home };
  const rules: Rule[] = texts.map((rule) => parseRule(rule, context));
  const written = rules.slice(0, options.rules.length);
  const state: PermissionState = {
    mode: options.mode,
    rules,
    isProtected: (path) => protectedReason(relative(workspace.rootOf(path)?.path ?? '/', path)) !== null,
    show: (path) => workspace.show(path),
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
      return candidateOffers(request.tool, request.effects, state.show).filter(({ rule }) => {
        const granted = parseRule(
          { verdict: 'allow', text: rule, source: 'offer' },
          { ...context, compileGlob: literalGlob },
        );
        return decide({ ...state, rules: [...rules, granted] }, request).decision === 'allow';
      });
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
    refusal(access, path) {
      const kind = access === 'read' ? 'read' : 'write';
      const deny = rules.find(
        (rule) => rule.verdict === 'deny' && rule.matches({ tool: '', effect: { kind, path } }),
      );
      return deny
        ? `The rule ${deny.text} (${deny.source}) forbids to ${kind} ${workspace.show(path)}.`
        : null;
    },
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
