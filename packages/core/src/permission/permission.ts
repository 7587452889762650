import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { Staging } from '@toolwright/machine/changes/staged-run/staged-run.js';
import type { RememberedFiles } from '@toolwright/machine/host/plain-files/regular-file.js';
import { realFileSystem } from '@toolwright/machine/host/sandbox/mounts/file-system.js';
import { afterLinks, isInside, type Workspace } from '@toolwright/machine/host/workspace.js';
import type { Route } from '../tools/shell/route.js';
import {
  type Decision,
  decide,
  judgeEffects,
  type PermissionRequest,
  type PermissionState,
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
import { type GlobCompiler, namedPlace } from './patterns.js';
import { guardPaths, type PathGuard, type ProtectedHere } from './protected-paths.js';
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

type Access = 'read' | 'write';

/** Refusals of the rules by real path, whoever asks; a text is the reason. */
interface PathRefusals {
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

interface PathRefusalNeeds extends Pick<PathGuard, 'secretReason'> {
  show(path: string): string;
  /** The path under which a file was denied that this one is or is a copy of. */
  originalOf?: ((path: string) => string | null) | undefined;
}

function pathRefusals(
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

interface CommandRequest {
  tool: string;
  /** Effects of the call, as they were found without running it; one at least is a command. */
  effects: readonly Effect[];
}

type Command = Effect & { kind: 'execute' };

/** Decides how a command runs. `staging` is asked only where the answer matters, because the first time takes a trial. */
async function routeOf(
  state: PermissionState,
  request: CommandRequest,
  staging: () => Promise<Staging>,
): Promise<Route> {
  const commands = request.effects.filter((effect) => effect.kind === 'execute');
  if (commands.some(({ background }) => background)) return { kind: 'job' };
  if (!isAskedFirst(state, request, commands)) {
    if (commands.every(({ readOnly }) => readOnly)) return { kind: 'direct' };
    const isConfined = commands.every(({ unconfined }) => unconfined === undefined);
    if (isConfined && state.mode === 'plan') return { kind: 'read-only' };
    if (isConfined && (await staging()).possible) return { kind: 'staged' };
  }
  if (commands.every(({ readOnly, onlyReads }) => readOnly || onlyReads))
    return { kind: 'ask-first', runs: 'read-only' };
  const answer = await staging();
  return answer.possible
    ? { kind: 'ask-first', runs: 'staged' }
    : { kind: 'ask-first', runs: 'in-workspace', why: answer.why };
}

/** A command that leaves the sandbox is asked about before it runs, and so is one that a rule or a secret asks about. */
function isAskedFirst(
  state: PermissionState,
  request: CommandRequest,
  commands: readonly Command[],
): boolean {
  if (request.effects.some(({ kind }) => kind === 'outside')) return true;
  if (commands.some(({ network }) => network)) return true;
  return judgeEffects(state, request).some(
    ({ verdict, winner }) => verdict === 'ask' && (winner.kind === 'rule' || winner.class === 'secret'),
  );
}

/**
 * Why a change of a command that was agreed to before anybody knew its changes is not kept, or null: that yes covers
 * what a mode asks about, but neither protected paths nor what a rule asks about or denies.
 */
function refusalUnseen(
  state: PermissionState,
  { tool, effects }: CommandRequest,
  change: Effect,
): string | null {
  const commands = effects.flatMap((effect): Effect[] =>
    effect.kind === 'execute' ? [{ ...effect, network: false, background: false, staged: true }] : [],
  );
  const decision = decide(state, { tool, effects: [...commands, change] });
  return decision.decision === 'allow' || isCoveredByYes(decision) ? null : decision.reason;
}

function isCoveredByYes({ decision, winner }: Decision): boolean {
  return decision === 'ask' && winner.kind === 'mode' && winner.class !== 'protected';
}
