import type { HeldGrant, Rule } from './rules.js';

/** A remembered yes, as data. Whoever wires the program decides where saved ones are kept. */
export interface Grant {
  rule: string;
  scope: 'session' | 'saved';
  /** Only for so many more calls. */
  uses?: number;
  /** Only until then, in milliseconds since 1970. */
  untilMs?: number;
}

/** A yes from an earlier session. */
export interface EarlierGrant extends Pick<Grant, 'rule' | 'uses' | 'untilMs'> {
  id: string;
}

export interface GrantsOptions {
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
    // Another process took the last one.
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
  const calls = uses === undefined ? '' : ` for ${uses} ${uses === 1 ? 'call' : 'calls'}`;
  const until = untilMs === undefined ? '' : ` until ${new Date(untilMs).toISOString().slice(0, 16)}Z`;
  const limits = `${calls}${until}`;
  if (scope === 'saved') return `granted${limits} and saved`;
  return limits === '' ? 'granted for this session' : `granted${limits}`;
}
