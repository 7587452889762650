import { orNull } from '../errors.js';
import { MIN_SECRET_LENGTH, secretName } from './redact.js';

type Names = Readonly<Record<string, string | undefined>>;

/** A word before the secret proper, as in `Bearer abc` and `Basic abc`. */
const schemed = /^[A-Za-z][A-Za-z0-9-]{0,30}[ \t]+(\S.*)$/s;
const knownScheme = /^(?:bearer|basic|token|apikey|api-key|negotiate|digest)[ \t]/i;
/** `name=value` and `name="value"`, as cookies and some forms of authorization have them. */
const pair = /[A-Za-z0-9_.-]+=(?:"([^"]*)"|([^\s;,"]+))/g;
/** Headers that tell what a client is and takes: their values are ordinary words. */
const publicHeader =
  /^(?:accept(?:-.+)?|cache-control|connection|content-type|host|mcp-protocol-version|origin|pragma|referer|user-agent)$/i;
const queryName = /^(?:key|sig|signature|auth|code|pat|jwt)$/i;

/** Also where the address as a whole is not one that can be read. */
const passwordInAddress = /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:([^\s/@]{8,})@/i;

/** The values of variables whose names say that they are secret, and what is secret inside addresses and headers. */
export function secretsInEnvironment(environment: Names): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined || value.length < MIN_SECRET_LENGTH) return [];
    const inside = value.includes('://') ? secretsInAddress(value) : [];
    if (inside.length > 0) return inside;
    if (secretName.test(name) || name.endsWith('_KEY')) return withParts(value);
    return knownScheme.test(value) ? withParts(value) : [];
  });
}

/** Header values: each whole, and the secret in it by itself, because it is also sent, printed and pasted without its scheme. */
export function secretsInHeaders(headers: Names): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || publicHeader.test(name) ? [] : [...withParts(value), ...secretsInAddress(value)],
  );
}

/** Names, passwords and tokens in an address; nothing when the text is none. */
export function secretsInAddress(text: string): string[] {
  const [, asWritten = ''] = passwordInAddress.exec(text) ?? [];
  if (!URL.canParse(text)) return asWritten === '' ? [] : [asWritten];
  const { username, password, searchParams } = new URL(text);
  // A name alone is a token; a name beside a password is a name.
  const credentials = password === '' ? [username] : [asWritten, password];
  const query = [...searchParams].filter(([name]) => secretName.test(name) || queryName.test(name));
  return [...credentials, ...query.map(([, value]) => value)]
    .flatMap((value) => [value, orNull(() => decodeURIComponent(value)) ?? value])
    .filter((value, index, all) => value.length >= MIN_SECRET_LENGTH && all.indexOf(value) === index);
}

/** The arguments of a program: `--api-key VALUE`, `--token=VALUE`, `NAME=VALUE`, `Authorization: Bearer VALUE`, addresses. */
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
