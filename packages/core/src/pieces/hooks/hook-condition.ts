import { coversTool, isRename } from './hook-names.js';

/** The arguments that name the subject of a call, for a condition. */
const subjects = ['command', 'file_path', 'absolute_path', 'path', 'url', 'pattern'] as const;

/**
 * True when a hook with the condition is asked about the call: `Bash(git push *)`, `Edit(*.ts)`, `Bash`. A condition that is not
 * understood is met: a hook can only narrow.
 */
export function meetsCondition(
  condition: string,
  { name, params }: { name: string; params: Record<string, unknown> },
): boolean {
  const [, tool, written] = /^\s*([\w-]+)\s*(?:\((.*)\)\s*)?$/s.exec(condition) ?? [];
  if (tool === undefined) return true;
  if (!coversTool(tool, name) && !(isRename({ name, params }) && coversTool(tool, 'apply_patch')))
    return false;
  if (written === undefined || written === '*') return true;
  const subject = subjects.map((key) => params[key]).find((value) => typeof value === 'string');
  if (typeof subject !== 'string') return true;
  return (name === 'run_shell_command' ? partsOf(subject) : namesOf(subject)).some(fits(written));
}

/** `git push:*` and `git push *` mean the command with or without further words. */
function fits(written: string): (text: string) => boolean {
  const pattern = written
    .replace(/:\*$/, ' *')
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/ \*$/, '(?: .*)?')
    .replace(/(?<![)?.])\*+/g, '.*');
  const test = new RegExp(`^${pattern}$`, 's');
  return (text) => test.test(text);
}

/** The commands of a line, each without the variables before it, and the whole line. */
function partsOf(line: string): string[] {
  const parts = line.split(/&&|\|\||[;|\n&]/).map((part) => part.trim().replace(/^(?:\w+=\S*\s+)+/, ''));
  return [line.trim(), ...parts];
}

/** The path, and its last name. */
function namesOf(path: string): string[] {
  return [path, path.slice(path.lastIndexOf('/') + 1)];
}
