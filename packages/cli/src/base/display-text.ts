import { type AgentResult, type Display, displayAsMarkdown, type FileDiff } from '@toolwright/core';
import { messageForUser, terminalSafe, terminalSafeLine } from '@toolwright/core/front-end';

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

interface CallError {
  code: string;
  message: string;
}

/** Display of a failed call without its error: a command's output until it was stopped, for example. */
export function shownBeside(error: CallError, display: Display): string {
  if (typeof display !== 'string') return displayText(display);
  if (hasOwnSentence(error, display)) return display.split('\n').slice(1).join('\n').trim();
  const said = messageForUser(error.message);
  const others = display.split('\n').filter((line) => line !== `[${said.replace(/\.$/, '')}]`);
  return others.join('\n').replace(error.message, '').replace(said, '').trim();
}

/** Text for the user of a call that failed: the sentence about it first, then what it printed. */
export function failureText(error: CallError, display: Display): string {
  const said = messageForUser(error.message);
  if (typeof display === 'string' && (hasOwnSentence(error, display) || display.startsWith(said)))
    return display;
  return `${said}\n${shownBeside(error, display)}`.trimEnd();
}

/** What happened to a call that failed: of one that was refused or cancelled the sentence for the user. */
export function failureSentence(error: CallError, display: Display): string {
  const isOwn = typeof display === 'string' && hasOwnSentence(error, display);
  return isOwn ? display.split('\n', 1)[0]! : error.message;
}

/** The display of a call that was refused or cancelled begins with a sentence for the user. */
function hasOwnSentence({ code }: CallError, display: string): boolean {
  return code === 'denied' || /^Cancelled\.(?:\s|$)/.test(display);
}

/** Failures that may be over the next time: the session is whole, and what was done is in it. */
const passing = new Set(['network', 'overload', 'rate-limit', 'protocol', 'empty']);

export function mayGoOn({ reason, error }: Pick<AgentResult, 'reason' | 'error'>): boolean {
  return reason === 'failed' && passing.has(error?.kind ?? '');
}

const limits: Partial<Record<AgentResult['reason'], { sentence: string; flag?: string }>> = {
  'turn-limit': { sentence: 'Stopped at the turn limit', flag: '--max-turns' },
  'call-limit': { sentence: 'Stopped at the limit of tool calls' },
  'token-limit': { sentence: 'Stopped at the token limit', flag: '--max-tokens' },
  'time-limit': { sentence: 'Stopped at the time limit', flag: '--max-minutes' },
  'cost-limit': { sentence: 'Stopped at the spending limit', flag: '--max-cost' },
};

/** The limit at which a prompt ended; null where it ended otherwise. */
export function limitSentence(
  reason: AgentResult['reason'],
  { namesFlag = false }: { namesFlag?: boolean } = {},
): string | null {
  const limit = limits[reason];
  if (!limit) return null;
  return `${limit.sentence}${namesFlag && limit.flag ? ` (${limit.flag})` : ''}.`;
}
