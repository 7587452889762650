import { isJsonObject, messageOf, type RawCall } from '@toolwright/core';
import { UsageError } from '../../exit-codes.js';

const SHELL_TOOL = 'run_shell_command';

/**
 * The call a person wrote: `name {json}`, `{"name": …, "args": …}`, or a command line. A first word that is no tool makes
 * a command line, unless an object follows.
 */
export function writtenCall(words: readonly string[], isTool: (name: string) => boolean): RawCall {
  const text = textOf(words).trim();
  if (text === '') throw new UsageError("explain needs a call, in quotes: toolwright explain 'npm test'.");
  if (text.startsWith('{')) {
    const call = callOf(text);
    if (call) return call;
  }
  const [, name = '', rest = ''] = /^([A-Za-z0-9_-]+)(?:\s+(.*))?$/s.exec(text) ?? [];
  if (rest.startsWith('{') && (isTool(name) || parsed(rest))) return { id: '', name, arguments: rest };
  if (rest === '' && isTool(name)) return { id: '', name, arguments: {} };
  return { id: '', name: SHELL_TOOL, arguments: { command: text } };
}

/** Several words came without quotes around them all: each is one word of the command. */
function textOf(words: readonly string[]): string {
  if (words.length <= 1 || (words.length === 2 && words[1]?.startsWith('{'))) return words.join(' ');
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}

function callOf(text: string): RawCall | null {
  const value = parsed(text);
  if (!value) return null;
  const call = callFrom(value);
  if ('problem' in call) throw new UsageError(call.problem);
  return call;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** A line of `--batch`, or what is wrong with it. */
export function callOfLine(line: string): { call: RawCall; permissions: unknown } | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return { problem: `This line is not JSON: ${messageOf(error)}. Write {"name": "…", "args": {…}}.` };
  }
  if (!isJsonObject(value))
    return { problem: 'This line is not an object. Write {"name": "…", "args": {…}}.' };
  const call = callFrom(value);
  return 'problem' in call ? call : { call, permissions: value['permissions'] };
}

function callFrom({ name, args = {} }: Record<string, unknown>): RawCall | { problem: string } {
  if (typeof name !== 'string')
    return { problem: 'The name of the tool must be a string. Write {"name": "…", "args": {…}}.' };
  return { id: '', name, arguments: args as RawCall['arguments'] };
}
