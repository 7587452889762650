import { orNull } from '../errors.js';
import { isSecretName, MIN_SECRET_LENGTH, secretName } from './redact.js';

type Names = Readonly<Record<string, string | undefined>>;

/** A scheme before the actual secret, as in `Bearer abc` and `Basic abc`. */
const schemed = /^[A-Za-z][A-Za-z0-9-]{0,30}[ \t]+(\S.*)$/s;
const knownScheme = /^(?:bearer|basic|token|apikey|api-key|negotiate|digest)[ \t]/i;
/** `name=value` and `name="value"`, as in cookies and some authorization headers. */
const pair = /[A-Za-z0-9_.-]+=(?:"([^"]*)"|([^\s;,"]+))/g;
/** Headers that describe a client: their values are ordinary words. */
const publicHeader =
  /^(?:accept(?:-.+)?|cache-control|connection|content-type|host|mcp-protocol-version|origin|pragma|referer|user-agent)$/i;
const queryName = /^(?:key|sig|signature|auth|code|pat|jwt)$/i;

/** The password in a URL, even if the URL as a whole can't be parsed. */
const passwordInAddress = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s/:@]*:([^\s/@]{8,})@/;

/** The values of variables with secret-sounding names, and the secrets inside URLs and headers. */
export function secretsInEnvironment(environment: Names): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined || value.length < MIN_SECRET_LENGTH) return [];
    const inside = value.includes('://') ? secretsInAddress(value) : [];
    if (inside.length > 0) return inside;
    if (isSecretName(name) || name.endsWith('_KEY')) return withParts(value);
    return /[ \t]/.test(value) && knownScheme.test(value) ? withParts(value) : [];
  });
}

/** Header values, each whole and without its scheme, because secrets are also sent, printed and pasted without it. */
export function secretsInHeaders(headers: Names): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || publicHeader.test(name) ? [] : [...withParts(value), ...secretsInAddress(value)],
  );
}

/** User names, passwords and tokens in a URL; nothing when the text is none. */
export function secretsInAddress(text: string): string[] {
  if (!text.includes(':')) return [];
  const [, asWritten = ''] = passwordInAddress.exec(text) ?? [];
  if (!URL.canParse(text)) return asWritten === '' ? [] : [asWritten];
  const { username, password, searchParams } = new URL(text);
  // A user name alone is a token; beside a password it is just a name.
  const credentials = password === '' ? [username] : [asWritten, password];
  const query = [...searchParams].filter(([name]) => secretName.test(name) || queryName.test(name));
  return [...credentials, ...query.map(([, value]) => value)]
    .flatMap((value) => [value, orNull(() => decodeURIComponent(value)) ?? value])
    .filter((value, index, all) => value.length >= MIN_SECRET_LENGTH && all.indexOf(value) === index);
}

/** Secrets in arguments: `--api-key VALUE`, `--token=VALUE`, `NAME=VALUE`, `Authorization: Bearer VALUE`, URLs. */
export function secretsInWords(words: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    const option = /^--?([A-Za-z0-9_-]+)$/.exec(words[index - 1] ?? '')?.[1];
    if (option !== undefined && secretName.test(option) && !word.startsWith('-')) return withParts(word);
    const [, name, value] = /^-{0,2}([A-Za-z0-9_-]+)\s*[=:]\s*(?!\/\/)(\S.*)$/s.exec(word) ?? [];
    if (name !== undefined && value !== undefined) {
      const inside = secretsInEnvironment({ [name]: value });
      if (inside.length > 0) return inside;
    }
    return secretsInAddress(word);
  });
}

function withParts(value: string): string[] {
  const rest = schemed.exec(value)?.[1]?.trim() ?? '';
  const pairs = [...value.matchAll(pair)].map((found) => found[1] ?? found[2] ?? '');
  const basic = /^basic[ \t]/i.test(value) ? [Buffer.from(rest, 'base64').toString()] : [];
  const password = basic.map((text) => text.slice(text.indexOf(':') + 1));
  const parts = [rest, ...pairs, ...basic, ...password].filter((part) => part.length >= MIN_SECRET_LENGTH);
  return [...new Set([value, ...parts])];
}
