/** How a host is named: by itself, or as one of the names below another. */
export type HostMatch = 'exact' | 'below' | null;

const usualPorts = [80, 443];

/**
 * Whether a list names this host: `example.org`, `*.example.org` (names below it only), `example.org:8443`,
 * `[::1]:8080`. Without a port the usual ones of the web are meant.
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

/** An IPv6 address without brackets ends in what looks like a port. */
function withoutBareColons(entry: string): string {
  return entry.startsWith('[') || entry.split(':').length <= 2 ? entry : `[${entry}]`;
}

function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
