import type { Display, Message, Part } from '../base/content.js';
import type { SavedEntry } from './journal.js';

/** A session as Markdown for people: who said what, which calls were made, what they answered. */
export function toMarkdown(entries: readonly SavedEntry[]): string {
  return `${entries.flatMap(sectionOf).join('\n\n')}\n`;
}

function sectionOf(entry: SavedEntry): string[] {
  switch (entry.type) {
    case 'session-start':
      return [
        `# Session ${entry.sessionId}`,
        `Started ${entry.at} in \`${entry.workspace}\`${entry.model ? ` with ${entry.model}` : ''}.`,
      ];
    case 'message':
      return messageSection(entry.message);
    case 'call-end': {
      const { tool, error, display } = entry;
      return [`### ${tool}${error ? ` failed (${error.code})` : ''}`, fenced(displayText(display))];
    }
    case 'call-decision':
      // What the mode allows by itself is not worth a line.
      return entry.decision === 'allow' && entry.winner?.kind !== 'rule'
        ? []
        : [`*${entry.decision}${entry.outcome ? `, answered ${entry.outcome}` : ''}: ${entry.reason}*`];
    case 'history':
      return ['*Earlier messages were summarised here.*'];
    default:
      return [];
  }
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

function displayText(display: Display): string {
  return typeof display === 'string' ? display : display.files.map(({ unified }) => unified).join('\n');
}

/** A fence longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}
