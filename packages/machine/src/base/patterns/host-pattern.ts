import { orNull, SettingsError } from '../errors.js';

interface HostRule {
  pattern: string;
  /** True for rules that deny or ask: without a port they hold for every port. */
  narrows: boolean;
  source: string;
}

/**
 * Matches `host`, `host:port`, or `*.host` for sub-domains. A rule that allows means the usual ports unless it names
 * one.
 */
export function hostMatcher(
  rule: HostRule,
  written = `Fetch(${rule.pattern})`,
): (host: string, port: number) => boolean {
  const { host, port, isSubdomains } = parsed(rule, written);
  const fitsPort = (actual: number): boolean =>
    port === undefined ? rule.narrows || actual === 443 || actual === 80 : actual === port;
  return (host_, actualPort) => {
    const actual = host_.toLowerCase().replace(/\.$/, '');
    return fitsPort(actualPort) && (isSubdomains ? actual.endsWith(`.${host}`) : actual === host);
  };
}

interface ParsedHost {
  host: string;
  port: number | undefined;
  isSubdomains: boolean;
}

function parsed({ pattern, source }: HostRule, rule: string): ParsedHost {
  const written = pattern.trim();
  const isSubdomains = written.startsWith('*.');
  const url = urlOf(inBrackets(isSubdomains ? written.slice(2) : written));
  if (!url) {
    throw new SettingsError(
      `${source}: the rule ${JSON.stringify(rule)} names no host. Write ${rule.replace(pattern, 'example.com')}, ${rule.replace(pattern, 'example.com:8080')}, or ${rule.replace(pattern, '*.example.com')} for its sub-domains.`,
    );
  }
  const port = /:(\d+)$/.exec(written)?.[1];
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, ''),
    port: port === undefined || inBrackets(written) !== written ? undefined : Number(port),
    isSubdomains,
  };
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
