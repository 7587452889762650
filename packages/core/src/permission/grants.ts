import type { GrantLimit, Rule } from './rules.js';

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
  add(rule: Rule, grant: Grant & { savedAs?: string | undefined }): void;
  /** Counts a call against grants with a limit. False: one of them is used up. */
  spend(ids: readonly string[]): Promise<boolean>;
}

export function openGrants({ now, useSaved, earlier }: GrantsOptions): Grants {
  const given: Rule[] = [...earlier];
  const saved = new Set(earlier.flatMap(({ limit }) => limit?.id ?? []));
  const holds = ({ limit }: Rule): boolean =>
    !limit || ((limit.uses ?? 1) > 0 && (limit.untilMs ?? Number.POSITIVE_INFINITY) > now());

  async function spendOne(id: string): Promise<boolean> {
    const rule = given.find(({ limit }) => limit?.id === id);
    if (!rule?.limit || !holds(rule)) return false;
    if (rule.limit.uses === undefined) return true;
    rule.limit.uses -= 1;
    if (!saved.has(id) || !useSaved || (await useSaved(id))) return true;
    // Another process took the last one.
    rule.limit.uses = 0;
    return false;
  }

  return {
    rules: () => given.filter(holds),
    add(rule, { savedAs, ...grant }) {
      if (savedAs !== undefined) saved.add(savedAs);
      given.push({ ...rule, limit: limitOf({ ...grant, id: savedAs ?? `given-${given.length}` }) });
    },
    async spend(ids) {
      for (const id of ids) if (!(await spendOne(id))) return false;
      return true;
    },
  };
}

export function limitOf({ id, uses, untilMs }: EarlierGrant): GrantLimit | undefined {
  if (uses === undefined && untilMs === undefined) return undefined;
  return { id, ...(uses === undefined ? {} : { uses }), ...(untilMs === undefined ? {} : { untilMs }) };
}

/** Where a granted rule comes from, for a person. */
export function sourceOf({ scope, uses, untilMs }: Omit<Grant, 'rule'>): string {
  const calls = uses === undefined ? '' : ` for ${uses} ${uses === 1 ? 'call' : 'calls'}`;
  const until = untilMs === undefined ? '' : ` until ${new Date(untilMs).toISOString().slice(0, 16)}Z`;
  const limits = `${calls}${until}`;
  if (scope === 'saved') return `granted${limits} and saved`;
  return limits === '' ? 'granted for this session' : `granted${limits}`;
}
