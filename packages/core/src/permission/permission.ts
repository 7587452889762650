import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { Staging } from '@toolwright/machine/changes/staged-run/staged-run.js';
import type { RememberedFiles } from '@toolwright/machine/host/plain-files/regular-file.js';
import { realFileSystem } from '@toolwright/machine/host/sandbox/mounts/file-system.js';
import { afterLinks, isInside, type Workspace } from '@toolwright/machine/host/workspace.js';
import type { Route } from '../tools/shell/route.js';
import { type Decision, decide, type PermissionRequest, type PermissionState } from './decide.js';
import { type EarlierGrant, type Grant, openGrants, sourceOf } from './grants.js';
import type { ApprovalMode } from './modes.js';
import { candidateOffers, type GrantOffer, rulesOf } from './offers.js';
import { type GlobCompiler, namedPlace } from './path-pattern.js';
import { type PathRefusals, pathRefusals } from './path-refusals.js';
import { guardPaths, type PathGuard, type ProtectedHere } from './protected-paths.js';
import { type CommandRequest, refusalUnseen, routeOf } from './route.js';
import { type HeldGrant, parseRule, type Rule, type RuleContext, type RuleText } from './rules.js';

export interface Permission extends PathRefusals, PathGuard {
  mode: ApprovalMode;
  /** The rules that hold now: those that were written, then what the user said yes to. */
  readonly rules: readonly RuleInForce[];
  decide(request: PermissionRequest): Decision;
  /** The rules that would turn an "ask" for this call into an "allow", narrowest first. */
  offers(request: PermissionRequest): GrantOffer[];
  /** `savedAs`: the id it is kept under, where it is saved. */
  grant(grant: Grant, savedAs?: string): void;
  /** Takes a remembered yes back, in this process; null when there is none with this id. */
  revoke(id: string): HeldGrant | null;
  /** Counts a call against the grants with a limit that its "allow" stands on. False: one of them is used up. */
  spend(decision: Decision): Promise<boolean>;
  /** Looks anew at what is protected here only, unless a request changes no file. Call it before something is decided. */
  lookAround(request?: PermissionRequest): Promise<void>;
  /** See `route.ts`. */
  routeOf(request: CommandRequest, staging: () => Promise<Staging>): Promise<Route>;
  /** See `route.ts`. */
  refusalUnseen(request: CommandRequest, change: Effect): string | null;
  /** Places that written rules deny reading of, or ask about. */
  readonly unreadable: NarrowedPlaces;
  /** The same for changes. */
  readonly unwritable: NarrowedPlaces;
  /** True when a written rule, not a grant, names this host; only then may it be a private one. */
  namesHost(host: string, port: number): boolean;
}

export interface RuleInForce extends RuleText {
  grant?: HeldGrant | undefined;
}

/** Places that rules deny or ask about, and a flag for patterns besides them. */
export interface NarrowedPlaces {
  places: readonly string[];
  patterns: boolean;
}

export interface PermissionOptions {
  mode: ApprovalMode;
  rules: readonly RuleText[];
  /** Grants that the user saved earlier. */
  grants?: readonly EarlierGrant[];
  /** Counts one use of a saved grant, for every process. False when it no longer holds. */
  useSaved?(id: string): Promise<boolean>;
  /** Milliseconds since 1970. */
  now?(): number;
  workspace: Pick<Workspace, 'directory' | 'rootOf' | 'show'>;
  home?: string;
  /** Files and folders that hold the user's own settings, wherever they lie. */
  ownPaths?: readonly string[];
  alsoProtected?: ProtectedHere;
  /** Files that were denied in this session, to know them again. */
  denied?: Pick<RememberedFiles, 'originalOf'>;
  /** Finds out what that is by now. */
  lookAround?(): Promise<void>;
  /** Other names that a tool is called by: a rule may use them. */
  aliasesOf?(tool: string): readonly string[];
}

export async function createPermission(options: PermissionOptions): Promise<Permission> {
  const { workspace } = options;
  const grants = options.grants ?? [];
  const texts = [...options.rules, ...grants.map(earlierText)];
  const compileGlob = await loadGlobCompiler(texts);
  const own = (options.ownPaths ?? []).map(afterLinks);
  const context: RuleContext = {
    workspace: workspace.directory,
    compileGlob,
    home: options.home,
    aliasesOf: options.aliasesOf,
    realPath: afterLinks,
    isFolder,
    rootOf(path) {
      const root = workspace.rootOf(path)?.path;
      // Long output is kept in a root of ours, where rules about the user's files mean nothing.
      return root !== undefined && own.some((each) => isInside(root, each)) ? undefined : root;
    },
  };
  const guard = guardPaths({
    workspace,
    own,
    home: afterLinks(resolve('/', options.home ?? homedir())),
    alsoProtected: options.alsoProtected,
  });
  const written = options.rules.map((rule) => parseRule(rule, context));
  const remembered = openGrants({
    now: options.now ?? Date.now,
    useSaved: options.useSaved,
    earlier: grants.map((grant) => ({
      ...parseRule(earlierText(grant), context),
      grant: { id: grant.id, scope: 'saved', uses: grant.uses, untilMs: grant.untilMs },
    })),
  });
  const asGrant = (text: string, source: string): Rule =>
    parseRule({ verdict: 'allow', text, source }, { ...context, compileGlob: literalGlob });
  const state: PermissionState = {
    mode: options.mode,
    get rules() {
      return [...written, ...remembered.rules()];
    },
    guard,
    deniedBefore: (path) => options.denied?.originalOf(path) ?? null,
    show: (path) => foreignText(workspace.show(path)),
  };
  const { originalOf } = options.denied ?? {};
  const refusals = pathRefusals(written, { show: state.show, secretReason: guard.secretReason, originalOf });
  return {
    get mode() {
      return state.mode;
    },
    set mode(mode) {
      state.mode = mode;
    },
    get rules() {
      return state.rules.map(({ verdict, text, source, grant }) => ({ verdict, text, source, grant }));
    },
    // The spread asks once which grants still hold.
    decide: (request) => decide({ ...state }, request),
    offers(request) {
      const { rules } = state;
      const show = (path: string): string => workspace.show(path);
      return candidateOffers(request, { show, rules }).filter((offer) => {
        const granted = rulesOf(offer).map((rule) => asGrant(rule, 'offer'));
        return decide({ ...state, rules: [...rules, ...granted] }, request).decision === 'allow';
      });
    },
    grant(grant, savedAs) {
      remembered.add(asGrant(grant.rule, sourceOf(grant)), grant, savedAs);
    },
    revoke: (id) => remembered.revoke(id),
    spend: ({ spends = [] }) => remembered.spend(spends),
    async lookAround(request) {
      if (!request || request.effects?.some(mayChangeFiles)) await options.lookAround?.();
    },
    routeOf: (request, staging) => routeOf({ ...state }, request, staging),
    refusalUnseen: (request, change) => refusalUnseen({ ...state }, request, change),
    namesHost(host, port) {
      const effect = { kind: 'network' as const, host, port, url: '' };
      return written.some(
        (rule) => rule.verb === 'Fetch' && rule.verdict === 'allow' && rule.matches({ tool: '', effect }),
      );
    },
    unreadable: narrowedPlaces('Read', written, context),
    unwritable: narrowedPlaces('Edit', written, context),
    ...guard,
    ...refusals,
  };
}

/** To look takes as long as ten calls that only read. */
function mayChangeFiles(effect: Effect): boolean {
  if (effect.kind === 'execute') return !effect.readOnly;
  return effect.kind === 'write' || effect.kind === 'delete' || effect.kind === 'memory';
}

function isFolder(path: string): boolean {
  const real = realFileSystem.realPath(path);
  return real !== null && realFileSystem.kindOf(real) === 'folder';
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

function earlierText(grant: EarlierGrant): RuleText {
  return { verdict: 'allow', text: grant.rule, source: sourceOf({ ...grant, scope: 'saved' }) };
}

/** The pattern library is loaded only when a rule needs it. */
async function loadGlobCompiler(rules: readonly RuleText[]): Promise<GlobCompiler> {
  if (!rules.some(({ text }) => /^(Read|Edit|Outside)\(/.test(text))) return literalGlob;
  const { default: picomatch } = await import('picomatch');
  return (pattern) => {
    const matches = picomatch(pattern, { dot: true, nonegate: true });
    // A second argument would make it return an object, which is always true.
    return (path) => matches(path);
  };
}

/** Compiles the patterns of offered rules: an escaped path, or an escaped folder followed by `/**`. */
function literalGlob(pattern: string): (path: string) => boolean {
  const folder = pattern.endsWith('/**') ? pattern.slice(0, -3) : null;
  const literal = (folder ?? pattern).replace(/\\(.)/g, '$1');
  return folder === null ? (path) => path === literal : (path) => path.startsWith(`${literal}/`);
}
