import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { Staging } from '@toolwright/machine/changes/staged-run/staged-run.js';
import { createDeniedInForce } from '@toolwright/machine/host/files/denied-paths.js';
import {
  guardPaths,
  type PathGuard,
  type ProtectedHere,
  warningAbout,
} from '@toolwright/machine/host/places/path-guard.js';
import { here } from '@toolwright/machine/host/plain-files/place.js';
import type { RememberedFiles } from '@toolwright/machine/host/plain-files/regular-file.js';
import { type FileSystem, fileSystemIn } from '@toolwright/machine/host/sandbox/mounts/file-system.js';
import { afterLinks, isInside, type Workspace } from '@toolwright/machine/host/workspace.js';
import type { Route } from '../tools/shell/call.js';
import { flaggedFirst, warningsOf } from '../tools/shell/path-warnings.js';
import type { ConfirmationDetails } from '../tools/tools.js';
import {
  type Decision,
  decide,
  type PermissionRequest,
  type PermissionState,
  questionAboutChanges,
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
import { type CommandRequest, refusalOfUnseenChange, routeOf } from './route.js';
import {
  type GlobCompiler,
  type HeldGrant,
  parseRule,
  type Rule,
  type RuleContext,
  type RuleText,
} from './rules.js';
import { type PathRefusals, readRules, type WrittenRules } from './written-rules.js';

/** The rules in force, and the verdicts that follow from them. */
export interface Permission extends PathRefusals, PathGuard, Readonly<Pick<WrittenRules, NamedByRules>> {
  mode: ApprovalMode;
  /** The rules that hold now: those that were written, then what the user said yes to. */
  readonly rules: readonly RuleInForce[];
  decide(request: PermissionRequest): Decision;
  /** True for a question that a session apart would not ask. */
  isSparedApart(request: PermissionRequest): boolean;
  /** The reason and the winner of a question about what a command changed, before and after it has run on a copy. */
  questionAboutChanges(request: PermissionRequest): Pick<Decision, 'reason' | 'winner'>;
  /** The rules that would turn an "ask" for this call into an "allow", narrowest first. */
  offers(request: PermissionRequest): GrantOffer[];
  /** The narrowest rule that would turn an "ask" for this call into a "deny"; null where none says just that. */
  neverOffer(request: PermissionRequest): GrantOffer | null;
  /** Adds the warnings that a question about an edit begins with: what is protected, and what runs later. */
  withWarnings(details: ConfirmationDetails): ConfirmationDetails;
  /** Adds a deny rule that holds in this process until it ends, also under other written rules. */
  deny(rule: string): Promise<void>;
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
  /** Reads rules that are not in force. Throws when one can't be understood. */
  parse(rules: readonly RuleText[]): Promise<readonly Rule[]>;
  /** Puts other written rules in the place of those before; grants stay. Throws, and changes nothing, when one can't be understood. */
  setRules(rules: readonly RuleText[]): Promise<void>;
}

type NamedByRules = 'unreadable' | 'unwritable' | 'namesHost';

interface RuleInForce extends RuleText {
  grant?: HeldGrant | undefined;
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
  workspace: Pick<Workspace, 'directory' | 'rootOf' | 'show'> & Partial<Pick<Workspace, 'place'>>;
  home?: string;
  /** Files and folders that hold the user's own settings, wherever they lie. */
  ownPaths?: readonly string[];
  alsoProtected?: ProtectedHere;
  /** Files that were denied in this session, to know them again. */
  denied?: Pick<RememberedFiles, 'originalOf'>;
  /** See `PermissionState`. */
  originOf?: PermissionState['originOf'];
  /** The view that the session works on, once there is one. */
  whereabouts?: { readonly view: object | null; readonly gathers?: boolean };
  /** Judges calls as a session apart would, without a view. */
  asIfApart?: boolean;
  /** Finds out anew which files of the workspace servers and tools run; `alsoProtected.codeInUse` then names them. */
  refreshCodeInUse?(): Promise<void>;
  /** Other names that a tool is called by: a rule may use them. */
  aliasesOf?(tool: string): readonly string[];
}

export async function createPermission(options: PermissionOptions): Promise<Permission> {
  const rules = await openRules(options);
  const { state, grants } = rules;
  return {
    get mode() {
      return state.mode;
    },
    set mode(mode) {
      state.mode = mode;
    },
    get rules() {
      return state.now().rules.map(({ verdict, text, source, grant }) => ({ verdict, text, source, grant }));
    },
    setRules: rules.replace,
    parse: rules.parse,
    decide: (request) => decide(state.now(), request),
    isSparedApart: (request) =>
      (request.effects?.some(mayChangeFiles) ?? false) &&
      decide({ ...state.now(), apart: true }, request).decision === 'allow',
    questionAboutChanges: (request) => questionAboutChanges(state.now(), request),
    ...offersBy(rules, options.workspace.show),
    withWarnings: (details) => withWarnings(details, { guard: rules.guard, show: options.workspace.show }),
    deny: rules.deny,
    grant: (grant, savedAs) => grants.add(rules.asGrant(grant.rule, sourceOf(grant)), grant, savedAs),
    revoke: (id) => grants.revoke(id),
    spend: ({ spends = [] }) => grants.spend(spends),
    async refreshCodeInUse(request) {
      if (!request || request.effects?.some(mayChangeFiles)) await options.refreshCodeInUse?.();
    },
    routeOf: (request, staging) => routeOf(state.now(), request, staging),
    refusalOfUnseenChange: (request, change) => refusalOfUnseenChange(state.now(), request, change),
    ...rules.guard,
    get unreadable() {
      return rules.written().unreadable;
    },
    get unwritable() {
      return rules.written().unwritable;
    },
    namesHost: (host, port) => rules.written().namesHost(host, port),
    refusal: rules.deniedInForce.refusal,
    refusalWithoutAsking: (access, path) => rules.written().refusalWithoutAsking(access, path),
    hides: (path, folder) => rules.written().hides(path, folder),
  };
}

/** An offer is tried: only one that decides the call is made. */
function offersBy(
  { state, asGrant, asDenial }: OpenRules,
  show: (path: string) => string,
): Pick<Permission, 'offers' | 'neverOffer'> {
  return {
    offers(request) {
      const present = state.now();
      const known = present.rules;
      return candidateOffers(request, { show, rules: known }).filter((offer) => {
        const granted = rulesOf(offer).map((rule) => asGrant(rule, 'offer'));
        return decide({ ...present, rules: [...known, ...granted] }, request).decision === 'allow';
      });
    },
    neverOffer(request) {
      const present = state.now();
      const denies = ({ rule, rules: several }: GrantOffer): boolean =>
        several === undefined &&
        decide({ ...present, rules: [...present.rules, asDenial(rule)] }, request).decision === 'deny';
      return candidateOffers(request, { show, rules: [] }).find(denies) ?? null;
    },
  };
}

function denialOf(text: string): RuleText {
  return { verdict: 'deny', text, source: 'your no for this session' };
}

type OpenRules = Awaited<ReturnType<typeof openRules>>;

/** Rules, grants and protected paths; which grants hold is asked anew for each decision. */
async function openRules(options: PermissionOptions) {
  const { workspace, denied: remembered } = options;
  const show = (path: string): string => foreignText(workspace.show(path));
  const own = (options.ownPaths ?? []).map(afterLinks);
  const home = afterLinks(resolve('/', options.home ?? homedir()));
  const guard = guardPaths({ workspace, own, home, alsoProtected: options.alsoProtected });
  const texts = (options.grants ?? []).map(earlierText);
  const context = ruleContext(options, own, await loadGlobCompiler([...options.rules, ...texts]));
  const offered: RuleContext = { ...context, compileGlob: literalGlob };
  let current = options.rules;
  const denials: RuleText[] = [];
  let written = readRules(options.rules, { context, guard, remembered, show });
  const deniedInForce = createDeniedInForce(written.denied);
  const grants = grantsOf(options, context);
  const inForce = { written: () => written, grants };
  const state = changingState(options, { ...inForce, guard, show });
  const replace = async (rules: readonly RuleText[]): Promise<void> => {
    const all = [...rules, ...denials];
    const compileGlob = await loadGlobCompiler(all);
    written = readRules(all, { context: { ...context, compileGlob }, guard, remembered, show });
    deniedInForce.replace(written.denied);
    current = rules;
  };
  return {
    ...inForce,
    guard,
    state,
    deniedInForce,
    replace,
    async parse(texts: readonly RuleText[]) {
      const compileGlob = await loadGlobCompiler(texts);
      return texts.map((each) => parseRule(each, { ...context, compileGlob }));
    },
    asGrant: (text: string, source: string) => parseRule({ verdict: 'allow', text, source }, offered),
    asDenial: (text: string) => parseRule(denialOf(text), offered),
    async deny(text: string): Promise<void> {
      if (!denials.some((known) => known.text === text)) denials.push(denialOf(text));
      await replace(current);
    },
  };
}

/** The mode, which may change, and the state that a decision is made in: what is in force at that moment. */
function changingState(
  { mode, asIfApart, whereabouts, originOf }: PermissionOptions,
  {
    written,
    grants,
    guard,
    show,
  }: Pick<PermissionState, 'guard' | 'show'> & {
    written(): WrittenRules;
    grants: ReturnType<typeof openGrants>;
  },
) {
  return {
    mode,
    now(): PermissionState {
      return {
        mode: this.mode,
        apart: asIfApart === true || (whereabouts?.view ?? null) !== null,
        gathers: whereabouts?.gathers ?? false,
        originOf,
        rules: [...written().rules, ...grants.rules()],
        denied: written().denied,
        guard,
        show,
      };
    },
  };
}

function grantsOf({ now = Date.now, useSaved, grants = [] }: PermissionOptions, context: RuleContext) {
  return openGrants({
    now,
    useSaved,
    earlier: grants.map((grant) => ({
      ...parseRule(earlierText(grant), context),
      grant: { id: grant.id, scope: 'saved', uses: grant.uses, untilMs: grant.untilMs },
    })),
  });
}

function ruleContext(
  { workspace, home, aliasesOf }: PermissionOptions,
  own: readonly string[],
  compileGlob: GlobCompiler,
): RuleContext {
  const { place = here } = workspace;
  return {
    workspace: workspace.directory,
    compileGlob,
    home,
    aliasesOf,
    realPath: place.afterLinks,
    isFolder: (path) => isFolder(path, fileSystemIn(place)),
    rootOf(path) {
      const root = workspace.rootOf(path)?.path;
      // Long output is kept in a root of ours, where rules about the user's files mean nothing.
      return root !== undefined && own.some((each) => isInside(root, each)) ? undefined : root;
    },
  };
}

/** True if an effect may change files: only then is the look worth its time, which is that of ten calls that only read. */
function mayChangeFiles(effect: Effect): boolean {
  if (effect.kind === 'execute') return !effect.readOnly;
  return effect.kind === 'write' || effect.kind === 'delete' || effect.kind === 'memory';
}

function isFolder(path: string, { realPath, kindOf }: FileSystem): boolean {
  const real = realPath(path);
  return real !== null && kindOf(real) === 'folder';
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

/** Adds to an edit the warnings about files that are protected or run later, and puts those files first; a command brings its own. */
function withWarnings(
  details: ConfirmationDetails,
  { guard, show }: { guard: Pick<PathGuard, 'protectedReason'>; show(path: string): string },
): ConfirmationDetails {
  if (details.kind !== 'edit') return details;
  const paths = details.effects.flatMap((effect) =>
    effect.kind === 'write' || effect.kind === 'delete' ? [effect.path] : [],
  );
  const flags = [...new Set(paths)].flatMap((path) => {
    const why = warningAbout(path, guard);
    return why === null ? [] : [{ path, why }];
  });
  if (flags.length === 0) return details;
  const diff = { ...details.diff, files: flaggedFirst(details.diff.files, flags, show) };
  return { ...details, diff, warnings: [...(details.warnings ?? []), ...warningsOf(flags, show)] };
}
