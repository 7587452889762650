/** How a list names a host: by itself, or below another name. */
export type HostMatch = 'exact' | 'below' | null;

const usualPorts = [80, 443];

/**
 * Matches a host against `example.org`, `*.example.org` (names below it only), `example.org:8443`, `[::1]:8080`.
 * Without a port the usual web ports are meant.
 */
export function matchHost(hosts: readonly string[], host: string, port: number): HostMatch {
  const name = bare(host);
  let found: HostMatch = null;
  for (const entry of hosts) {
    const [, pattern = '', wanted] = /^(.*?)(?::(\d{1,5}))?$/.exec(withoutBareColons(entry.trim())) ?? [];
    if (wanted === undefined ? !usualPorts.includes(port) : Number(wanted) !== port) continue;
    if (bare(pattern) === name && name !== '') return 'exact';
    const suffix = pattern.startsWith('*.') ? bare(pattern.slice(1)) : null;
    if (suffix !== null && suffix.length > 1 && name.endsWith(suffix) && name.length > suffix.length)
      found = 'below';
  }
  return found;
}

/** Adds brackets to an IPv6 address, whose end would look like a port. */
function withoutBareColons(entry: string): string {
  return entry.startsWith('[') || entry.split(':').length <= 2 ? entry : `[${entry}]`;
}

function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
