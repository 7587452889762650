import { shortHash } from '@toolwright/machine/base/digest/sha256.js';

/** Names as a provider takes them. The same name always gives the same wire name. */

const MAX_LENGTH = 64;

/** Keeps a name that fits `allowed`; else the characters that fit, and a hash so that no two names meet. */
export function fittedName(name: string, allowed: RegExp, maxLength = MAX_LENGTH): string {
  if (allowed.test(name)) return name;
  const hash = shortHash(name).slice(0, 6);
  const kept = name
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .replace(/^[^A-Za-z_]+/, '')
    .slice(0, maxLength - hash.length - 1);
  return `${kept === '' ? 'field' : kept}_${hash}`;
}

const toolNamePattern = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

export function wireToolName(name: string): string {
  return fittedName(name, toolNamePattern);
}
