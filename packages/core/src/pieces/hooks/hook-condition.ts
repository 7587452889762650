import { relative, resolve } from 'node:path';
import { coversTool, doneBy, type NamedTool } from './hook-names.js';

/** The arguments that name the subject of a call, for a condition. */
const subjects = ['command', 'file_path', 'absolute_path', 'path', 'url', 'pattern', 'text'] as const;

/**
 * True when a hook with the condition is asked about the call: `Bash(git push *)`, `Edit(*.ts)`, `Bash`. A condition that is not
 * understood is met: a hook can only narrow.
 */
export function meetsCondition(
  condition: string,
  tool: NamedTool & { params: Record<string, unknown> },
  workspace: string,
): boolean {
  const { params } = tool;
  const [, named, written] = /^\s*([\w-]+)\s*(?:\((.*)\)\s*)?$/s.exec(condition) ?? [];
  if (named === undefined) return true;
  const name = doneBy(tool);
  if (!coversTool(named, tool.name) && !coversTool(named, name)) return false;
  if (written === undefined || written === '*') return true;
  // Each of them: a tool takes parameters that it does not know, so one may stand there to hide another.
  const given = subjects.map((key) => params[key]).filter((value) => typeof value === 'string');
  if (given.length === 0) return true;
  const texts = given.flatMap((subject) =>
    name === 'run_shell_command' ? partsOf(subject) : namesOf(subject, workspace),
  );
  return texts.some((text) => fits(written, text));
}

/** `git push:*` and `git push *` mean the command with or without further words. */
function fits(written: string, text: string): boolean {
  const glob = written.replace(/:\*$/, ' *');
  return matchesGlob(glob, text) || (glob.endsWith(' *') && matchesGlob(glob.slice(0, -2), text));
}

/** Stars stand for anything; the time grows with the length of both, never more than with their product. */
function matchesGlob(glob: string, text: string): boolean {
  let [at, read, star, resumed] = [0, 0, -1, 0];
  while (read < text.length) {
    if (glob[at] === '*') [star, resumed, at] = [at, read, at + 1];
    else if (glob[at] === text[read]) [at, read] = [at + 1, read + 1];
    else if (star === -1) return false;
    else [at, resumed, read] = [star + 1, resumed + 1, resumed + 1];
  }
  while (glob[at] === '*') at += 1;
  return at === glob.length;
}

/** The commands of a line, each without the variables before it, and the whole line. */
function partsOf(line: string): string[] {
  const parts = line.split(/&&|\|\||[;|\n&]/).map((part) => part.trim().replace(/^(?:\w+=\S*\s+)+/, ''));
  return [line.trim(), ...parts];
}

/** The path as it is written, whole, and from the workspace on; and its last name. */
function namesOf(path: string, workspace: string): string[] {
  const whole = resolve(workspace, path);
  return [path, whole, relative(workspace, whole), path.slice(path.lastIndexOf('/') + 1)];
}
