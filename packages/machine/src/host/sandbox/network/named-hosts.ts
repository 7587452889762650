import { fitsHost, parseHostPattern } from '../../../base/patterns/host-pattern.js';

/** The match of a host in a list: by its own name, or below another name. */
export type HostMatch = 'exact' | 'below' | null;

/** Matches a host against the patterns of a list, which are written as in rules. */
export function matchHost(hosts: readonly string[], host: string, port: number): HostMatch {
  const fitting = hosts
    .map(parseHostPattern)
    .filter((pattern) => pattern !== null && fitsHost(pattern, { host, port }));
  if (fitting.length === 0) return null;
  return fitting.every((pattern) => pattern?.isSubdomains) ? 'below' : 'exact';
}
