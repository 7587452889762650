/** Only for so many calls, or only for so long. */
export type GrantLimit = { uses: number } | { forMs: number };

const MINUTE_MS = 60_000;
const units: Readonly<Record<string, number>> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: 24 * 60 * MINUTE_MS };

/** What follows the key of an "always"; null for what is no limit. */
export function grantLimit(text: string): GrantLimit | null {
  const [, digits, unit] = /^([1-9]\d{0,2})([mhd]?)$/i.exec(text) ?? [];
  if (digits === undefined || unit === undefined) return null;
  const count = Number(digits);
  return unit === '' ? { uses: count } : { forMs: count * (units[unit.toLowerCase()] ?? 0) };
}

export const limitForms = 'a number of calls (10) or a time (30m, 1h, 7d)';
