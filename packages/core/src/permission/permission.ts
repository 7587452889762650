import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { asSentence, foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { Staging } from '@toolwright/machine/changes/staged-run/staged-run.js';
import {
  createDeniedPaths,
  namedRule,
  type PathAccess,
  type PathDenial,
  type PathPolicy,
} from '@toolwright/machine/host/files/denied-paths.js';
import type { RememberedFiles } from '@toolwright/machine/host/plain-files/regular-file.js';
import { realFileSystem } from '@toolwright/machine/host/sandbox/mounts/file-system.js';
import { afterLinks, isInside, type Workspace } from '@toolwright/machine/host/workspace.js';
import type { Route } from '../tools/shell/call.js';
import {
  type Decision,
  decide,
  type PermissionRequest,
  type PermissionState,
  reasonToAskAboutChanges,
} from './decide.js';
import {
  candidateOffers,
  type EarlierGrant,
  type Grant,
  type GrantOffer,
  openGrants,
  rulesOf,
  sourceOf,
} from './grants.js';
import type { ApprovalMode } from './modes.js';
import { guardPaths, type PathGuard, type ProtectedHere } from './protected-paths.js';
import { type CommandRequest, refusalOfUnseenChange, routeOf } from './route.js';
import {
  type GlobCompiler,
  type HeldGrant,
  namedPlace,
  parseRule,
  type Rule,
  type RuleContext,
  type RuleText,
} from './rules.js';
import { doing } from './wording.js';

export interface Permission extends PathRefusals, PathGuard {
  mode: ApprovalMode;
  /** The rules that hold now: those that were written, then what the user said yes to. */
  readonly rules: readonly RuleInForce[];
  decide(request: PermissionRequest): Decision;
  /** The reason for a question about what a command changed, before and after it has run on a copy. */
  reasonToAskAboutChanges(request: PermissionRequest): string;
  /** The rules that would turn an "ask" for this call into an "allow", narrowest first. */
  offers(request: PermissionRequest): GrantOffer[];
  /** `savedAs`: the id it is kept under, where it is saved. */
  grant(grant: Grant, savedAs?: string): void;
  /** Takes a remembered yes back, in this process; null when there is none with this id. */
  revoke(id: string): HeldGrant | null;
  /** Counts a call against the grants with a limit that its "allow" stands on. False: one of them is used up. */
  spend(decision: Decision): Promise<boolean>;
  /** Finds out which files servers and tools run by now, unless a request changes no file. Call it before something is decided. */
  refreshCodeInUse(request?: PermissionRequest): Promise<void>;
  /** See `route.ts`. */
  routeOf(request: CommandRequest, staging: () => Promise<Staging>): Promise<Route>;
  /** See `route.ts`. */
  refusalOfUnseenChange(request: CommandRequest, change: Effect): string | null;
  /** Places that written rules deny reading of, or ask about. */
  readonly unreadable: NarrowedPlaces;
  /** The same for changes. */
  readonly unwritable: NarrowedPlaces;
  /** True when a written rule, not a grant, names this host; only then may it be a private one. */
  namesHost(host: string, port: number): boolean;
}

interface RuleInForce extends RuleText {
  grant?: HeldGrant | undefined;
}

/** Places that rules deny or ask about, and a flag for patterns besides them. */
interface NarrowedPlaces {
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
  alsoProtected?: readonly ProtectedHere[];
  /** Files that were denied in this session, to know them again. */
  denied?: Pick<RememberedFiles, 'originalOf'>;
  /** Looks anew for the files among them that servers and tools run. */
  refreshCodeInUse?(): Promise<void>;
  /** Other names that a tool is called by: a rule may use them. */
  aliasesOf?(tool: string): readonly string[];
}

export async function createPermission(options: PermissionOptions): Promise<Permission> {
  const { state, grants, context, written } = await openRules(options);
  const { guard } = state;
  const asGrant = (text: string, source: string): Rule =>
    parseRule({ verdict: 'allow', text, source }, { ...context, compileGlob: literalGlob });
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
    reasonToAskAboutChanges: (request) => reasonToAskAboutChanges(state, request),
    offers(request) {
      const { rules } = state;
      return candidateOffers(request, { show: options.workspace.show, rules }).filter((offer) => {
        const granted = rulesOf(offer).map((rule) => asGrant(rule, 'offer'));
        return decide({ ...state, rules: [...rules, ...granted] }, request).decision === 'allow';
      });
    },
    grant: (grant, savedAs) => grants.add(asGrant(grant.rule, sourceOf(grant)), grant, savedAs),
    revoke: (id) => grants.revoke(id),
    spend: ({ spends = [] }) => grants.spend(spends),
    async refreshCodeInUse(request) {
      if (!request || request.effects?.some(mayChangeFiles)) await options.refreshCodeInUse?.();
    },
    routeOf: (request, staging) => routeOf({ ...state }, request, staging),
    refusalOfUnseenChange: (request, change) => refusalOfUnseenChange({ ...state }, request, change),
    namesHost: (host, port) => namesHost(written, { kind: 'network', host, port, url: '' }),
    unreadable: narrowedPlaces('Read', written, context),
    unwritable: narrowedPlaces('Edit', written, context),
    ...guard,
    refusal: state.denied.refusal,
    ...unaskedRefusals(written, state),
  };
}

/** Rules, grants and protected paths, read once; which grants hold is asked anew for each decision. */
async function openRules(options: PermissionOptions) {
  const { workspace, grants: earlier = [] } = options;
  const show = (path: string): string => foreignText(workspace.show(path));
  const own = (options.ownPaths ?? []).map(afterLinks);
  const compileGlob = await loadGlobCompiler([...options.rules, ...earlier.map(earlierText)]);
  const context = ruleContext(options, own, compileGlob);
  const written = options.rules.map((rule) => parseRule(rule, context));
  const grants = openGrants({
    now: options.now ?? Date.now,
    useSaved: options.useSaved,
    earlier: earlier.map((grant) => ({
      ...parseRule(earlierText(grant), context),
      grant: { id: grant.id, scope: 'saved', uses: grant.uses, untilMs: grant.untilMs },
    })),
  });
  const home = afterLinks(resolve('/', options.home ?? homedir()));
  const state: PermissionState = {
    mode: options.mode,
    get rules() {
      return [...written, ...grants.rules()];
    },
    guard: guardPaths({ workspace, own, home, alsoProtected: options.alsoProtected }),
    denied: createDeniedPaths({
      rules: written.filter(({ verdict }) => verdict === 'deny').map(asDenial),
      remembered: options.denied,
      show,
    }),
    show,
  };
  return { state, grants, context, written };
}

function ruleContext(
  { workspace, home, aliasesOf }: PermissionOptions,
  own: readonly string[],
  compileGlob: GlobCompiler,
): RuleContext {
  return {
    workspace: workspace.directory,
    compileGlob,
    home,
    aliasesOf,
    realPath: afterLinks,
    isFolder,
    rootOf(path) {
      const root = workspace.rootOf(path)?.path;
      // Long output is kept in a root of ours, where rules about the user's files mean nothing.
      return root !== undefined && own.some((each) => isInside(root, each)) ? undefined : root;
    },
  };
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

/** Refusals of the rules by real path, whoever asks; a text is the reason. */
interface PathRefusals {
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
  { show, denied, guard: { secretReason } }: PermissionState,
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
