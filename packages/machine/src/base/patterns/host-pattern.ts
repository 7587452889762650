import { orNull, SettingsError } from '../errors.js';

/** `host`, `host:port`, or `*.host` for its sub-domains. */
export interface HostPattern {
  host: string;
  port: number | undefined;
  isSubdomains: boolean;
}

interface HostRule {
  pattern: string;
  /** True for rules that deny or ask: without a port they hold for every port. */
  narrows: boolean;
  source: string;
}

const USUAL_PORTS = [80, 443];

/** Compiles the pattern of a rule; `written` is the whole rule, for the message about a mistake in it. */
export function hostMatcher(
  { pattern, narrows, source }: HostRule,
  written = `Fetch(${pattern})`,
): (host: string, port: number) => boolean {
  const parsed = parseHostPattern(pattern);
  if (parsed === null) {
    const example = (host: string): string => written.replace(pattern, host);
    throw new SettingsError(
      `${source}: the rule ${JSON.stringify(written)} names no host. Write ${example('example.com')}, ${example('example.com:8080')}, or ${example('*.example.com')} for its sub-domains.`,
    );
  }
  return (host, port) => fitsHost(parsed, { host, port }, { anyPort: narrows });
}

/** Null when the text names no host. */
export function parseHostPattern(text: string): HostPattern | null {
  const written = text.trim();
  const isSubdomains = written.startsWith('*.');
  const url = urlOf(inBrackets(isSubdomains ? written.slice(2) : written));
  if (!url) return null;
  const port = inBrackets(written) === written ? /:(\d+)$/.exec(written)?.[1] : undefined;
  return { host: bareName(url.hostname), port: port === undefined ? undefined : Number(port), isSubdomains };
}

/** True if the pattern names this host and port. Without a port it means the usual ones of the web, or any if `anyPort`. */
export function fitsHost(
  pattern: HostPattern,
  { host, port }: { host: string; port: number },
  { anyPort = false } = {},
): boolean {
  const name = bareName(host.toLowerCase());
  const fitsName = pattern.isSubdomains ? name.endsWith(`.${pattern.host}`) : name === pattern.host;
  if (!fitsName) return false;
  return pattern.port === undefined ? anyPort || USUAL_PORTS.includes(port) : port === pattern.port;
}

/** The name without the brackets of an IPv6 address and without a final dot. */
function bareName(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** An IPv6 address without a port may be written without brackets. */
function inBrackets(host: string): string {
  return /^[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*$/i.test(host) ? `[${host}]` : host;
}

/** Parsed as a URL, so that capitals, international names and odd spellings of numbers become what is requested. */
function urlOf(host: string): URL | null {
  if (/[/\\?#@*\s]/.test(host)) return null;
  return orNull(() => new URL(`http://${host}`));
}
