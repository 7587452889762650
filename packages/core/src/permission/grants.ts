import { dirname } from 'node:path';
import { plural } from '@toolwright/machine/base/amounts.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { isOdd } from '@toolwright/machine/base/sentences/foreign-text.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { PermissionRequest } from './decide.js';
import type { GrantsFile } from './grants-file.js';
import { shellRule } from './patterns.js';
import type { HeldGrant, Rule } from './rules.js';
import { describeEffect } from './wording.js';

/** A remembered yes, as data. Whoever wires the program decides where saved ones are kept. */
export interface Grant {
  rule: string;
  scope: 'session' | 'saved';
  /** The number of calls that are left. */
  uses?: number;
  /** The end of the grant, in milliseconds since 1970. */
  untilMs?: number;
}

/** A yes from an earlier session. */
export interface EarlierGrant extends Pick<Grant, 'rule' | 'uses' | 'untilMs'> {
  id: string;
}

interface GrantsOptions {
  now(): number;
  /** Counts one use of a saved grant, for every process. False when it no longer holds. */
  useSaved?: ((id: string) => Promise<boolean>) | undefined;
  earlier: readonly Rule[];
}

/** The grants that hold: those of earlier sessions, and those of this one as they are given. */
export interface Grants {
  rules(): Rule[];
  /** `savedAs`: the id it is kept under, where it is saved. */
  add(rule: Rule, grant: Grant, savedAs?: string): void;
  /** Counts a call against grants with a limit. False: one of them is used up. */
  spend(ids: readonly string[]): Promise<boolean>;
  /** Takes a grant back; null when there is none with this id. */
  revoke(id: string): HeldGrant | null;
}

export function openGrants({ now, useSaved, earlier }: GrantsOptions): Grants {
  let given: Rule[] = [...earlier];
  let count = 0;
  const holds = ({ grant }: Rule): boolean =>
    !grant || ((grant.uses ?? 1) > 0 && (grant.untilMs ?? Number.POSITIVE_INFINITY) > now());

  async function spendOne(id: string): Promise<boolean> {
    const rule = given.find(({ grant }) => grant?.id === id);
    if (!rule?.grant || !holds(rule)) return false;
    const { grant } = rule;
    if (grant.uses === undefined) return true;
    grant.uses -= 1;
    if (grant.scope === 'session' || !useSaved || (await useSaved(id))) return true;
    // Another process took the last use.
    grant.uses = 0;
    return false;
  }

  return {
    rules: () => given.filter(holds),
    add(rule, { uses, untilMs }, savedAs) {
      const scope = savedAs === undefined ? 'session' : 'saved';
      given.push({ ...rule, grant: { id: savedAs ?? `given-${count++}`, scope, uses, untilMs } });
    },
    async spend(ids) {
      for (const id of ids) if (!(await spendOne(id))) return false;
      return true;
    },
    revoke(id) {
      const found = given.find(({ grant }) => grant?.id === id)?.grant;
      given = given.filter(({ grant }) => grant === undefined || grant !== found);
      return found ?? null;
    },
  };
}

/** The source of a granted rule, for the user. */
export function sourceOf({ scope, uses, untilMs }: Omit<Grant, 'rule'>): string {
  const calls = uses === undefined ? '' : ` for ${plural(uses, 'call')}`;
  const until = untilMs === undefined ? '' : ` until ${new Date(untilMs).toISOString().slice(0, 16)}Z`;
  const limits = `${calls}${until}`;
  if (scope === 'saved') return `granted${limits} and saved`;
  return limits === '' ? 'granted for this session' : `granted${limits}`;
}

/** Grants that outlive a session, as one workspace sees them. */
export interface SavedGrants {
  /** The grants that hold now. */
  read(): Promise<EarlierGrant[]>;
  /** Counts one use, for every process. False when the grant no longer holds. */
  use(id: string): Promise<boolean>;
  /** Returns the id the grant is kept under. */
  save(grant: Grant): Promise<{ id: string }>;
  /** Takes a grant out of `permission`, and out of the file if it was saved. False when there is none with this id. */
  revoke(
    id: string,
    permission: { revoke(id: string): HeldGrant | null },
    signal: AbortSignal,
  ): Promise<boolean>;
}

const LIMIT_MS = 30_000;

export function openSavedGrants(file: GrantsFile, workspace: string): SavedGrants {
  return {
    async read() {
      const saved = await file.readGrants(workspace);
      return saved.map(({ id, rule, uses, expiresAt }) => ({ id, rule, uses, untilMs: expiresAt }));
    },
    use: (id) => file.useGrant(id, deadlineIn(LIMIT_MS)),
    save: ({ rule, uses, untilMs }) =>
      file.saveGrant({ rule, workspace, uses, expiresAt: untilMs }, deadlineIn(LIMIT_MS)),
    async revoke(id, permission, signal) {
      const revoked = permission.revoke(id);
      if (revoked?.scope === 'saved') await file.removeGrant(id, signal);
      return revoked !== null;
    },
  };
}

/** A rule that the answer "always" would add, with the words it is offered in. */
export interface GrantOffer {
  /** The rule as it is shown; where it takes several rules, all of them. */
  rule: string;
  /** The rules one by one, where it takes several. */
  rules?: readonly string[];
  /** For the user: what it will allow. */
  allows: string;
}

export function rulesOf({ rule, rules }: GrantOffer): readonly string[] {
  return rules ?? [rule];
}

interface OfferContext {
  show(path: string): string;
  /** The rules that hold already. */
  rules: readonly Rule[];
}

/** A call with more effects gets no offer for a single one: a rule for it would not cover the others. */
const MOST_EFFECTS = 12;

/** Rules that would cover a call, narrowest first. Whether one really does is for `decide` to say. */
export function candidateOffers(request: PermissionRequest, { show, rules }: OfferContext): GrantOffer[] {
  const effects = (request.effects ?? []).filter((effect) => effect.kind !== 'write' || !effect.ignored);
  const commands = effects.filter((effect) => effect.kind === 'execute');
  const forCommands = commands.flatMap((command) =>
    withOutside(shellOffer(command, rules), effects, { rules, tool: request.tool }),
  );
  // A wider rule is no substitute for one that can't be shown as it is.
  const odd = effects.filter(isNamedOddly);
  if (odd.length > 0)
    return odd.some(({ kind }) => kind === 'execute' || kind === 'outside') ? [] : forCommands;
  const offers = effects.length > MOST_EFFECTS ? [] : effects.flatMap((effect) => offersFor(effect, show));
  // Every command there is would be more than anybody means by a yes to one; a tool of a server is named already.
  const isNamed = effects.some(({ kind }) => kind === 'execute' || kind === 'mcp');
  const everything = isNamed ? [] : [{ rule: request.tool, allows: `every call of ${request.tool}` }];
  const files = isBareProgram(commands) ? [...offers, ...forCommands] : [...forCommands, ...offers];
  const all = [...files, ...commonFolder(effects, show), ...everything];
  return [...new Map(all.map((offer) => [offer.rule, offer])).values()];
}

/**
 * A rule such as `Shell(rm)` says nothing of what it is to be done to: the files that were changed are narrower. A script
 * that is named by its path, `Shell(./make.sh)`, is what is to be done.
 */
function isBareProgram(commands: readonly (Effect & { kind: 'execute' })[]): boolean {
  return commands.some(({ offers = [] }) =>
    offers.some((words) => words.length === 1 && !words[0]!.includes('/')),
  );
}

/** The longest rule that anybody reads to its end. */
const LONGEST_NAME = 300;

/** A name with a line break or the like, or without an end, could make the question read as another one. */
function isNamedOddly(effect: Effect): boolean {
  return namesOf(effect).some((name) => name.length > LONGEST_NAME || isOdd(name));
}

function namesOf(effect: Effect): readonly string[] {
  switch (effect.kind) {
    case 'execute':
      return (effect.offers ?? []).flat();
    case 'network':
      return [effect.host];
    case 'mcp':
      return [effect.server, effect.tool];
    case 'outside':
      return effect.access === 'host' ? [effect.host] : 'path' in effect ? [effect.path] : [];
    default:
      return [effect.path];
  }
}

/** A place outside takes a rule of its own beside the rules for the command. They are offered together: one without the other allows nothing. */
function withOutside(
  shell: readonly GrantOffer[],
  effects: readonly Effect[],
  { rules, tool }: { rules: readonly Rule[]; tool: string },
): GrantOffer[] {
  const missing = effects
    .filter((effect) => effect.kind === 'outside')
    .filter(
      (effect) =>
        !rules.some(
          ({ verb, verdict, matches }) =>
            verb === 'Outside' && verdict === 'allow' && matches({ tool, effect }),
        ),
    );
  if (missing.length === 0) return [...shell];
  const outside = missing.map(outsideRule);
  const [command] = shell;
  const all = [...(command ? rulesOf(command) : []), ...outside];
  const reached = missing.map((effect) => describeEffect(effect)).join(', ');
  const allows = command ? `${command.allows}, each to ${reached}` : `such commands to ${reached}`;
  return [
    all.length === 1 ? { rule: outside[0] ?? '', allows } : { rule: all.join(' and '), rules: all, allows },
  ];
}

function outsideRule(effect: Effect & { kind: 'outside' }): string {
  if (effect.access === 'ssh-agent') return 'Outside(ssh-agent)';
  return effect.access === 'host'
    ? `Outside(host ${effect.host})`
    : `Outside(${effect.access} ${escapeGlob(effect.path)})`;
}

/** Offers a rule for each command that no rule covers yet: program and sub-command, as the analysis proposes them. */
function shellOffer({ offers = [] }: Effect & { kind: 'execute' }, rules: readonly Rule[]): GrantOffer[] {
  const missing = offers.filter((words) => !rules.some(({ covers }) => covers?.(words)));
  const texts = [...new Set(missing.map(shellRule))];
  const [first, ...others] = texts;
  if (first === undefined) return [];
  const named = [...new Set(missing.map((words) => words.join(' ')))].join(' and ');
  const allows = `the commands that begin with ${named}`;
  return [
    others.length === 0 ? { rule: first, allows } : { rule: texts.join(' and '), rules: texts, allows },
  ];
}

function offersFor(effect: Effect, show: (path: string) => string): GrantOffer[] {
  switch (effect.kind) {
    case 'read':
      return [{ rule: `Read(${escapeGlob(show(effect.path))})`, allows: `reading ${show(effect.path)}` }];
    case 'write':
    case 'delete':
    case 'memory':
      return [{ rule: `Edit(${escapeGlob(show(effect.path))})`, allows: `changes to ${show(effect.path)}` }];
    case 'network': {
      const usual = effect.port === 443 || effect.port === 80;
      const name = effect.host.includes(':') ? `[${effect.host}]` : effect.host;
      const host = usual ? name : `${name}:${effect.port}`;
      return [{ rule: `Fetch(${host})`, allows: `fetching from ${host}, no other host` }];
    }
    case 'mcp':
      return [
        {
          rule: `Mcp(${effect.server}/${effect.tool})`,
          allows: `${effect.tool} of the MCP server ${effect.server}`,
        },
        { rule: `Mcp(${effect.server})`, allows: `every tool of the MCP server ${effect.server}` },
      ];
    case 'execute':
    case 'outside':
      return [];
  }
}

function commonFolder(effects: readonly Effect[], show: (path: string) => string): GrantOffer[] {
  const folders = effects.flatMap((effect) =>
    effect.kind === 'write' || effect.kind === 'delete' ? [dirname(show(effect.path))] : [],
  );
  const folder = folders[0];
  if (folder === undefined || folder === '.' || folder === '/') return [];
  if (!folders.every((other) => other === folder || other.startsWith(`${folder}/`))) return [];
  return [{ rule: `Edit(${escapeGlob(folder)}/**)`, allows: `changes to any file in ${folder}` }];
}

/** A file name taken literally by the pattern language. */
function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{}()!+@|^$]/g, '\\$&');
}
