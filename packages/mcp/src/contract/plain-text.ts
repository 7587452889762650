import type { JsonObject } from '@toolwright/machine/base/json.js';
import { terminalSafe } from '@toolwright/machine/base/terminal-safe.js';

/** Removes invisible characters, which can't be meant for the reader: control, zero-width, bidirectional and tag characters. */
export function plainText(text: string): string {
  if (terminalSafe(text) === text) return text;
  return [...text].filter((character) => terminalSafe(character) === character).join('');
}

/** The text under a key, without what is hidden; empty when there is none. */
export function textAt(source: JsonObject, key: string, limit: number): string {
  const value = source[key];
  if (typeof value !== 'string') return '';
  const text = plainText(value);
  return text.length <= limit ? text : `${text.slice(0, limit)}…`;
}

/** A name stands inside sentences of ours: on one line, with nothing in it that nobody sees. */
export function isUsableName(name: unknown, limit: number): name is string {
  return (
    typeof name === 'string' &&
    name.trim() !== '' &&
    name.length <= limit &&
    !/[\n\t]/.test(name) &&
    plainText(name) === name
  );
}
