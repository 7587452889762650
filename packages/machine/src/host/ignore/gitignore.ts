import { compileWildcard } from '../../base/patterns/wildcard.js';

/** A line of an ignore file. Paths and patterns are byte strings (one character per byte), as git compares them. */
export interface IgnoreRule {
  /** A rule with `!`: takes back what an earlier one ignored. */
  negated: boolean;
  directoriesOnly: boolean;
  /** Counted from 1. */
  line: number;
  /** The line as written, as a byte string. */
  text: string;
  /** `path` is relative to the folder of the ignore file. */
  fits(path: string): boolean;
}

/** Further rules of a file are not read. */
const MAX_RULES = 20_000;
const MAX_RULE_LENGTH = 4096;
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';
const git = { caseSensitive: true, brokenSet: 'nothing' } as const;

/** UTF-8 bytes as one character each. */
export function toByteString(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** The rules of an ignore file, first line first. */
export function parseIgnoreFile(bytes: string): IgnoreRule[] {
  const text = bytes.startsWith(BYTE_ORDER_MARK) ? bytes.slice(BYTE_ORDER_MARK.length) : bytes;
  const rules: IgnoreRule[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.length > MAX_RULE_LENGTH || rules.length === MAX_RULES) continue;
    const rule = parseLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (rule) rules.push({ ...rule, line: index + 1 });
  }
  return rules;
}

/** The verdict of the last fitting rule: true for ignored, false for taken back, undefined when none fits. */
export function judge(rules: readonly IgnoreRule[], path: string, isDirectory: boolean): boolean | undefined {
  const rule = decidingRule(rules, path, isDirectory);
  return rule && !rule.negated;
}

export function decidingRule(
  rules: readonly IgnoreRule[],
  path: string,
  isDirectory: boolean,
): IgnoreRule | undefined {
  for (let index = rules.length - 1; index >= 0; index--) {
    const rule = rules[index]!;
    if ((isDirectory || !rule.directoriesOnly) && rule.fits(path)) return rule;
  }
  return undefined;
}

function parseLine(line: string): Omit<IgnoreRule, 'line'> | null {
  if (line.startsWith('#')) return null;
  const trimmed = withoutTrailingBlanks(line);
  const negated = trimmed.startsWith('!');
  let pattern = negated ? trimmed.slice(1) : trimmed;
  const directoriesOnly = pattern.endsWith('/');
  if (directoriesOnly) pattern = pattern.slice(0, -1);
  if (pattern === '') return null;
  const fits = pattern.includes('/') ? fitsPath(pattern) : fitsName(pattern);
  return { negated, directoriesOnly, text: trimmed, fits };
}

/** Trailing blanks count only behind a backslash. */
function withoutTrailingBlanks(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '\\') end = Math.min((at += 1) + 1, line.length);
    else if (line[at] !== ' ') end = at + 1;
  }
  return line.slice(0, end);
}

/** A rule without a slash matches the last name only, at any depth. */
function fitsName(pattern: string): (path: string) => boolean {
  const wildcard = compileWildcard(pattern, git);
  return (path) => wildcard.fits(path.slice(path.lastIndexOf('/') + 1));
}

/**
 * A rule with a slash starts at the ignore file's folder. Git compares the plain beginning first and matches the rest
 * as a separate pattern, so stars right behind that beginning count as behind a slash.
 */
function fitsPath(pattern: string): (path: string) => boolean {
  const anchored = pattern.startsWith('/') ? pattern.slice(1) : pattern;
  const plain = /^[^*?[\\]*/.exec(anchored)![0];
  if (plain === anchored) return (path) => path === plain;
  const rest = compileWildcard(anchored.slice(plain.length), git);
  return (path) => path.startsWith(plain) && rest.fits(path.slice(plain.length));
}
