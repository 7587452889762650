import { orNull } from '../errors.js';
import { isJsonObject } from '../json.js';

/** Replaces a secret. */
export const REDACTED = '[redacted]';

export interface Redactor {
  text(text: string): string;
  /** Takes out the exact values only: what merely looks like a key may be source code that someone works on. */
  known(text: string): string;
  /** Takes secrets out of every string, and removes the values of fields such as `apiKey` whole. */
  data(value: unknown): unknown;
  /** Takes out these values too, from now on. */
  learn(secrets: readonly string[]): void;
}

/** Shorter values are too likely to be ordinary words. */
export const MIN_SECRET_LENGTH = 8;
const MAX_DEPTH = 64;

const secretWord =
  'api[_-]?key|access[_-]?key|private[_-]?key|passw(?:or)?d|passphrase|secret|token|credentials?';

/** Matches names such as GITHUB_TOKEN or clientSecret, but not tokenCount or PASSWORD_FILE. */
export const secretName = new RegExp(`(?:^|[a-z_.-])(?:${secretWord}|authorization|cookie)$`, 'i');

/** The ends of the names that `secretName` matches: what ends otherwise needs no pattern. */
const secretEnds = [
  'key',
  'token',
  'secret',
  'password',
  'passwd',
  'passphrase',
  'credential',
  'credentials',
];
const secretHeaders = ['authorization', 'cookie'];

/** The same as `secretName`, for the many names of an environment: a start need not compile the pattern for them. */
export function isSecretName(name: string): boolean {
  const lower = name.toLowerCase();
  const endsSo = (end: string): boolean => lower.endsWith(end);
  return (secretEnds.some(endsSo) || secretHeaders.some(endsSo)) && secretName.test(name);
}

/**
 * The look of a kind of secret. A text without the `needs` can't match: they are tested first, because most texts hold
 * no secret. A need begins with the rarest character there is, which is what makes its search fast.
 */
interface Shape {
  needs: readonly (string | RegExp)[];
  pattern: RegExp;
}

/** Each pattern starts with a literal and is bounded, so that hostile text can't make the search slow. */
const shapes: readonly Shape[] = [
  {
    needs: ['-----BEGIN '],
    pattern:
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END )[\s\S]){0,20000}(?:-----END [A-Z ]{0,40}-----)?/g,
  },
  { needs: ['k-', 'sk-'], pattern: /(?<![A-Za-z0-9])sk-(?=[A-Za-z_-]{0,200}\d)[A-Za-z0-9_-]{16,400}/g },
  { needs: ['AIza'], pattern: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{30,60}/g },
  { needs: ['_', 'gh'], pattern: /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{20,255}/g },
  { needs: ['_pat_'], pattern: /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{20,255}/g },
  { needs: ['-', 'glpat-'], pattern: /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{16,100}/g },
  { needs: ['_', 'npm_'], pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,100}/g },
  { needs: ['xox'], pattern: /(?<![A-Za-z0-9])xox[a-z]-[A-Za-z0-9-]{10,255}/g },
  { needs: ['AKIA'], pattern: /(?<![A-Za-z0-9])AKIA[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  { needs: ['ASIA'], pattern: /(?<![A-Za-z0-9])ASIA[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  {
    needs: ['.eyJ'],
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,16000}\.[A-Za-z0-9_-]{0,4000}/g,
  },
];

const already = '(?!\\[redacted\\])';
/** Characters that end a value on a command line or in a file of assignments. */
const delimiters = '\\s\'"`;&|()<>';

const anySecretWord = /key|passw|passphrase|secret|token|credential/i;

/**
 * The first group of each pattern is preserved; what follows it is the secret. What must stand before a sign such as `=` is
 * asked for behind it: a search that begins with names would try them at every word of a text.
 */
const prefixed: readonly Shape[] = [
  {
    needs: [/bearer\s/i],
    pattern: /((?<![A-Za-z0-9])Bearer\s{1,4})(?=[A-Za-z._~+/-]{0,200}\d)[A-Za-z0-9._~+/-]{12,4000}={0,2}/gi,
  },
  {
    needs: ['Basic'],
    pattern:
      /((?<![A-Za-z0-9])Basic\s{1,4})(?=[A-Za-z0-9+/]{0,200}[\d=])[A-Za-z0-9+/]{12,4000}={0,2}(?![A-Za-z0-9])/g,
  },
  // user:password@ in a URL
  {
    needs: ['://', '@'],
    pattern: new RegExp(
      `(://(?<=(?<![A-Za-z0-9])[a-z][a-z0-9+.-]{1,20}://)[^\\s/:@'"]{0,200}:)${already}[^\\s/@'"]{1,400}(?=@)`,
      'gi',
    ),
  },
  // ?access_token= in a URL
  {
    needs: ['=', /[?&]/, anySecretWord],
    pattern: new RegExp(
      `([?&](?:[a-z0-9]{1,30}[_-]){0,3}(?:${secretWord})=)${already}[^\\s&#;'"]{1,4000}`,
      'gi',
    ),
  },
  // GITHUB_TOKEN=value
  {
    needs: ['=', anySecretWord],
    pattern: new RegExp(
      `(=(?<=(?<![A-Za-z0-9_])(?:[A-Z0-9]{1,40}_){0,6}(?:${shout(secretWord)})=)["']?)${already}(?!\\$)[^${delimiters}]{1,4000}`,
      'g',
    ),
  },
  // password=value at the start of a word; a value of letters and dots alone is more likely a name in source code
  {
    needs: ['=', anySecretWord],
    pattern: new RegExp(
      `(=(?<=(?:^|[\\s;])(?:[a-z0-9]{1,40}_){0,6}(?:${secretWord})=)["']?)(?=[A-Za-z_.]{0,200}[^A-Za-z_.,[\\]{}$${delimiters}])[^,[\\]{}$${delimiters}]{4,4000}(?=["']?(?:$|[\\s;]))`,
      'gim',
    ),
  },
  // --api-key value
  {
    needs: ['--', anySecretWord],
    pattern: new RegExp(
      `(--(?:[a-z0-9]{1,40}-){0,4}(?:${secretWord})(?:=|\\s{1,4})["']?)${already}(?![$-])[^${delimiters}]{4,4000}`,
      'g',
    ),
  },
];

/** Length of the shortest text that any pattern changes: `TOKEN=x`. */
const SHORTEST = 7;

/** The words in the spelling of environment names: upper case, with `_` as the only separator. */
function shout(words: string): string {
  return words.toUpperCase().replaceAll('[_-]?', '_?');
}

/** Takes secrets out of texts: the given values, and whatever has the look of a key. */
export function createRedactor(secrets: readonly string[] = []): Redactor {
  let learnt = secrets;
  let values = exactValues(secrets);
  const known = (text: string): string => (values ? text.replace(values, REDACTED) : text);
  const redactText = (text: string): string => {
    if (text.length < SHORTEST) return text;
    return replaceShapes(replaceShapes(known(text), shapes, REDACTED), prefixed, `$1${REDACTED}`);
  };
  return {
    text: redactText,
    known,
    data: (value) => redactData(value, redactText, MAX_DEPTH),
    learn(more) {
      learnt = [...new Set([...learnt, ...more])];
      values = exactValues(learnt);
    },
  };
}

/** Counts instead of iterating, as `mayHold` does: each text of a journal comes here, and iterators would fill the memory of a start. */
function replaceShapes(text: string, list: readonly Shape[], by: string): string {
  let result = text;
  for (let index = 0; index < list.length; index++) {
    const shape = list[index]!;
    if (mayHold(result, shape)) result = result.replace(shape.pattern, by);
  }
  return result;
}

function mayHold(text: string, { needs }: Shape): boolean {
  for (let index = 0; index < needs.length; index++) {
    const need = needs[index]!;
    if (!(typeof need === 'string' ? text.includes(need) : need.test(text))) return false;
  }
  return true;
}

/** A single pattern for all values, longest first, also in the forms they take inside JSON and URLs. */
function exactValues(secrets: readonly string[]): RegExp | undefined {
  const spellings = secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .flatMap((secret) => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      orNull(() => encodeURIComponent(secret)) ?? secret,
    ]);
  const unique = [...new Set(spellings)].sort((left, right) => right.length - left.length);
  if (unique.length === 0) return undefined;
  return new RegExp(unique.map((value) => value.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
}

function redactData(value: unknown, redactText: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '[nested too deeply]';
  if (Array.isArray(value)) return value.map((item) => redactData(item, redactText, depth - 1));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redactText(key),
      typeof item === 'string' && item !== '' && secretName.test(key)
        ? REDACTED
        : redactData(item, redactText, depth - 1),
    ]),
  );
}
