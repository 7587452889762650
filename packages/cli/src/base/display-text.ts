import {
  type AgentResult,
  type Display,
  displayAsMarkdown,
  type FileDiff,
  terminalSafe,
  terminalSafeLine,
} from '@toolwright/core';

/** A display as plain text for a terminal or a pipe. */
export function displayText(display: Display): string {
  const isDiff = typeof display !== 'string' && display.kind === 'diff';
  return terminalSafe(isDiff ? diffText(display) : displayAsMarkdown(display));
}

function diffText({ files }: FileDiff): string {
  if (files.length === 0) return 'Nothing changed.';
  return files
    .map(({ path, change, unified, added, removed }) =>
      `${change} ${terminalSafeLine(path)} (+${added} -${removed})\n${unified}`.trimEnd(),
    )
    .join('\n');
}

/** Display of a failed call without its error message: a command's output until it was stopped, for example. */
export function shownBeside(message: string, display: Display): string {
  if (typeof display !== 'string') return displayText(display);
  const others = display.split('\n').filter((line) => line !== `[${message}]`);
  return others.join('\n').replace(message, '').trim();
}

/** Failures that may be over the next time: the session is whole, and what was done is in it. */
const passing = new Set(['network', 'overload', 'rate-limit', 'protocol', 'empty']);

export function mayGoOn({ reason, error }: Pick<AgentResult, 'reason' | 'error'>): boolean {
  return reason === 'failed' && passing.has(error?.kind ?? '');
}
