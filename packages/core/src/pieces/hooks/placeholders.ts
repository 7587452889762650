import type { Hook } from './hook.js';

/** The command as the shell can run it: the separators of Gemini CLI are no variables of the shell. */
export function withSeparators(command: string): string {
  return command.replace(/\$\{(?:\/|pathSeparator)\}/g, '/');
}

const UNFILLED = /\$(?:(?:CLAUDE_)?PLUGIN_DATA\b|\{(?:(?:CLAUDE_)?PLUGIN_DATA|user_config\.[\w.-]+)\})/;

/** A place or value of an extension that its hooks do not get here: with nothing in its stead the program would be another. */
export function unfilledPlaceholder({ command, from }: Pick<Hook, 'command' | 'from'>): string | null {
  return from.root === undefined ? null : (UNFILLED.exec(command)?.[0] ?? null);
}
