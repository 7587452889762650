import { type OtherCode, terminalSafeLine } from '@toolwright/core';
import { safe, safeLine } from '../../app/safe-text.js';
import type { Front } from '../../ui/front.js';

const MOST_SHOWN = 20;

/** Asks whether a server may start although what it runs is not what the person agreed to. */
export async function askAboutCode(
  { server, changes }: OtherCode,
  ask: Front['ask'],
  signal: AbortSignal,
): Promise<boolean> {
  const reply = await ask(
    {
      title: safeLine(`Start the MCP server ${server}? What it runs has changed since you agreed to it.`),
      facts: codeLines(changes).map(safe),
      choices: [
        { key: 'y', label: safe('yes, start it, and remember what it runs now') },
        { key: 'n', label: safe('no, it stays off') },
      ],
      refusal: 'n',
    },
    signal,
  );
  return reply?.key === 'y';
}

/** One line for each file that is not what it was. */
export function codeLines(changes: OtherCode['changes']): string[] {
  const lines = changes
    .slice(0, MOST_SHOWN)
    .map(({ path, change }) => terminalSafeLine(`${change}: ${path}`));
  return changes.length > lines.length ? [...lines, `and ${changes.length - lines.length} more`] : lines;
}

/** The same in a run that is not a conversation. */
export async function askAboutCodeOnTerminal(other: OtherCode, signal: AbortSignal): Promise<boolean> {
  const { withTerminal } = await import('../ask-on-terminal.js');
  return withTerminal((front) => askAboutCode(other, front.ask, signal));
}
