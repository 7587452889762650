import type { Message, Part } from '@toolwright/machine/base/content.js';
import type { Display } from '../tools/display/display.js';
import { displayAsMarkdown } from '../tools/display/display-as-markdown.js';
import type { SavedEntry } from './journal.js';

/** A session as Markdown for people: who said what, which calls were made, what they answered. */
export function toMarkdown(entries: readonly SavedEntry[]): string {
  const ended = new Set(entries.flatMap((entry) => (entry.type === 'call-end' ? entry.callId : [])));
  const args = new Map(
    entries.flatMap((entry) => (entry.type === 'call-start' ? [[entry.callId, entry.args] as const] : [])),
  );
  return `${entries.flatMap((entry) => sectionOf(entry, { ended, args })).join('\n\n')}\n`;
}

interface Calls {
  ended: ReadonlySet<string>;
  args: ReadonlyMap<string, object>;
}

function sectionOf(entry: SavedEntry, { ended, args }: Calls): string[] {
  switch (entry.type) {
    case 'session-start':
      return [
        `# Session ${entry.sessionId}`,
        `Started ${entry.at} in \`${entry.workspace}\`${entry.model ? ` with ${entry.model}` : ''}.`,
      ];
    case 'message':
      return messageSection(entry.message);
    case 'call-start':
      return ended.has(entry.callId) ? [] : [`### ${entry.tool} was interrupted`, ...asked(entry.args)];
    case 'call-end': {
      const { callId, tool, error, display } = entry;
      const headline = `### ${tool}${error ? ` failed (${error.code})` : ''}`;
      return [headline, ...asked(args.get(callId)), displaySection(display)];
    }
    case 'call-decision':
      // A call that the mode allows by itself is not worth a line.
      return entry.decision === 'allow' && entry.winner?.kind !== 'rule'
        ? []
        : [`*${entry.decision}${entry.outcome ? `, answered ${entry.outcome}` : ''}: ${entry.reason}*`];
    case 'call-hook':
      return entry.decision === 'none' && !entry.input
        ? []
        : [`*hook ${entry.hook}: ${entry.input ? 'changed the arguments' : entry.decision}*`];
    case 'hook':
      return entry.decision === 'none' ? [] : [`*hook ${entry.hook}, ${entry.event}: ${entry.decision}*`];
    case 'history':
      return ['*Earlier messages were summarised here.*'];
    default:
      return [];
  }
}

const MOST_SHOWN = 500;

function asked(args: object = {}): string[] {
  const text = JSON.stringify(args);
  if (text === '{}') return [];
  return [fenced(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text)];
}

function messageSection({ role, parts }: Message): string[] {
  const text = parts
    .map(partText)
    .filter((piece) => piece !== '')
    .join('\n\n');
  return text === '' ? [] : [role === 'user' ? '## You' : '## Toolwright', text];
}

function partText(part: Part): string {
  if (part.thought || part.functionCall || part.functionResponse) return '';
  if (part.inlineData) return `*(${part.inlineData.mimeType ?? 'data'})*`;
  return part.text ?? '';
}

/** Tables and fields are lines of ours; other text could pass for headings of the session. */
function displaySection(display: Display): string {
  const text = displayAsMarkdown(display);
  const isOurs = typeof display !== 'string' && (display.kind === 'table' || display.kind === 'fields');
  return isOurs ? text : fenced(text);
}

/** A fence longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}
