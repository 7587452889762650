import { type ReportItem, textItem } from '../../actions/report.js';
import { safe, safeLine } from '../../app/safe-text.js';
import type { SlashContext } from '../slash-context.js';

/** Something to type, and what it does. */
export type HelpRow = [what: string, help: string];

/** `/help`, `/help WORDS`: everything that can be typed; a command that is chosen stands in the line afterwards. */
export async function help(
  { front, signal }: SlashContext,
  rest: string,
  rows: readonly HelpRow[],
): Promise<ReportItem[]> {
  const words = rest.toLowerCase().split(/\s+/).filter(Boolean);
  if (front.isLinear || words.length > 0) return [textItem(found(rows, words))];
  const picked = await front.pick(
    {
      title: safe('What you can type here'),
      items: rows.map(([what, text], index) => ({
        id: String(index),
        label: safeLine(what),
        detail: safeLine(text),
      })),
      typed: 'filter',
      verb: safe('inserts it'),
    },
    { signal, preview: async (id) => ({ lines: [safeLine(rows[Number(id)]?.[1] ?? '')] }) },
  );
  const chosen = picked ? (rows[Number(picked.id)]?.[0] ?? '') : '';
  const typed = /^[/@!#]\S*/.exec(chosen)?.[0];
  if (typed) {
    const text = chosen === typed ? typed : `${typed} `;
    front.dispatch({ type: 'line-replaced', input: { text, cursor: text.length } });
  }
  return [];
}

function found(rows: readonly HelpRow[], words: readonly string[]): string {
  const fitting = rows.filter(([what, text]) => {
    const row = `${what} ${text}`.toLowerCase();
    return words.every((word) => row.includes(word));
  });
  if (fitting.length === 0) return `Nothing matches ${words.join(' ')}. /help shows everything.`;
  return fitting.map(([what, text]) => `  ${what.padEnd(24)}${text}`).join('\n');
}
