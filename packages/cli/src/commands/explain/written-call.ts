import type { RawCall, Toolbox } from '@toolwright/core';
import { jsonIn, messageOf } from '@toolwright/core/front-end';
import { UsageError } from '../../base/exit-codes.js';
import { callFrom } from '../call-line.js';

const SHELL_TOOL = 'run_shell_command';

/**
 * The call that the user wrote: `name {json}`, `{"name": …, "args": …}`, or a command line. A first word that is no tool makes
 * a command line, unless an object follows.
 */
export function writtenCall(words: readonly string[], isTool: (name: string) => boolean): RawCall {
  const text = textOf(words).trim();
  if (text === '') throw new UsageError("explain needs a call, in quotes: toolwright explain 'npm test'.");
  // `{ ls; }` is a command line; `{"` begins nothing that bash could read.
  if (/^\{\s*"/.test(text)) return callOf(text);
  const [, name = '', rest = ''] = /^([A-Za-z0-9_-]+)(?:\s+(.*))?$/s.exec(text) ?? [];
  if (rest.startsWith('{')) {
    const args = isTool(name)
      ? objectIn(rest, `The arguments of ${name}`)
      : ((jsonIn(rest) as Record<string, unknown> | undefined) ?? null);
    if (args) return { id: '', name, arguments: args as RawCall['arguments'] };
  }
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

function callOf(text: string): RawCall {
  const call = callFrom(objectIn(text, 'This call'));
  if ('problem' in call) throw new UsageError(call.problem);
  return call;
}

/** Calls of a model are repaired; a user who writes one by hand wants to know where it is wrong. */
function objectIn(text: string, what: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(
      `${what} can't be read as JSON: ${messageOf(error)}. Example: toolwright explain 'read_file {"absolute_path": "notes.txt"}'`,
    );
  }
}

/** Loads the user's own tools only for a call that needs one, because loading runs their code. */
export async function loadOwnTool(
  { name }: RawCall,
  { registry, ownTools }: Toolbox,
  signal: AbortSignal,
): Promise<void> {
  if (!registry.getTool(name)) await ownTools?.refresh(signal);
}
