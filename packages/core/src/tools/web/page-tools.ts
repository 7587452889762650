import { plural } from '@toolwright/machine/base/amounts.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import { head } from '@toolwright/machine/base/truncate.js';
import { markedAsData, PART, type PageText } from './page-text.js';

/** A tool for a model that reads one page; it reaches nothing but the text of that page. */
export interface PageTool {
  name: string;
  description: string;
  inputSchema: JsonObject;
  run(input: JsonObject): string;
}

export interface PageTools {
  /** The first part of the page, with a word on how to go on. */
  beginning: string;
  list: PageTool[];
}

const MOST_FOUND = 40;
const LONGEST_LINE = 300;

export function pageTools(page: PageText, secret: string): PageTools {
  const lines = page.text.split('\n');
  const mark = (text: string, note: string): string =>
    markedAsData({ url: page.url, title: '', text, note }, secret);
  const partFrom = (first: number): string => {
    const { text } = head(lines.slice(first - 1).join('\n'), PART);
    const last = first + text.split('\n').length - 1;
    return mark(text, `Lines ${first} to ${last} of ${lines.length}.`);
  };
  return {
    beginning: `${partFrom(1)}\nread_page reads on from a line, find_in_page finds lines.`,
    list: [
      {
        name: 'read_page',
        description: `Reads the page on from a line (1 to ${lines.length}).`,
        inputSchema: {
          type: 'object',
          properties: { line: { type: 'integer', minimum: 1, maximum: lines.length } },
          required: ['line'],
        },
        run: ({ line }) =>
          isLineOf(lines, line) ? partFrom(line) : `Give a line from 1 to ${lines.length}.`,
      },
      {
        name: 'find_in_page',
        description: 'Finds the lines that hold a text, in upper or lower case.',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        run({ text }) {
          if (typeof text !== 'string' || text === '') return 'Give the text to look for.';
          const found = linesWith(text, lines);
          const shown = found.slice(0, MOST_FOUND).join('\n');
          return mark(shown, `${plural(found.length, 'line')} found, at most ${MOST_FOUND} shown.`);
        },
      },
    ],
  };
}

function isLineOf(lines: readonly string[], line: unknown): line is number {
  return Number.isInteger(line) && (line as number) >= 1 && (line as number) <= lines.length;
}

/** Each line with its number, cut to the surroundings of the text. */
function linesWith(text: string, lines: readonly string[]): string[] {
  const wanted = text.toLowerCase();
  return lines.flatMap((line, index) => {
    const at = line.toLowerCase().indexOf(wanted);
    const from = Math.max(0, at - LONGEST_LINE / 2);
    return at < 0 ? [] : [`${index + 1}: ${line.slice(from, from + LONGEST_LINE)}`];
  });
}
