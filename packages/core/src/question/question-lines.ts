import { terminalSafe, terminalSafeLine } from '@toolwright/machine/base/terminal-safe.js';
import type { QuestionPart } from './question.js';

/** Every character that a reader may take for the end of a line. */
const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/**
 * A part of a question as escaped lines of plain text. Each line of a command, a message or output bears a mark, so
 * that none passes for a heading or a sentence of ours.
 */
export function questionLines(part: Exclude<QuestionPart, { kind: 'diff' }>): string[] {
  switch (part.kind) {
    case 'command':
      return marked(part.untrusted, '$ ', '> ').map(terminalSafeLine);
    case 'message':
      return marked(part.untrusted, '', '> ').map(terminalSafeLine);
    case 'addresses':
      return part.untrusted.map(terminalSafeLine);
    case 'arguments':
      // Laid out as JSON, which has no other line ends outside its strings.
      return `${part.heading} ${part.untrusted}`.split('\n').map(terminalSafeLine);
    case 'output':
      // Tabs stay: output is often a table.
      return [part.heading, ...(part.untrusted === '' ? [] : marked(part.untrusted, '  ', '  '))].map(
        terminalSafe,
      );
  }
}

function marked(text: string, first: string, others: string): string[] {
  return text.split(lineBreak).map((line, index) => `${index === 0 ? first : others}${line}`);
}
