import type { TextEdit } from '@toolwright/machine/base/text-codec.js';
import { escapeFact, factKey, unescapeFact } from './fact-text.js';
import { codeRanges } from './markdown-code.js';

export const FACTS_HEADING = '## Facts to remember';

/** A remembered fact and its line in the file. */
export interface Fact {
  fact: string;
  start: number;
  end: number;
}

interface Section {
  /** Start of the heading line. */
  start: number;
  /** Start of the first line after the heading. */
  body: number;
  end: number;
  facts: Fact[];
}

interface TextLine {
  start: number;
  end: number;
  text: string;
}

/** The facts in the section of their own that a context file may have. */
export function factsIn(text: string): Fact[] {
  return findSection(text)?.facts ?? [];
}

/** The edit that adds a clean fact to a text; null when the fact is there already. */
export function editToAdd(text: string, fact: string): TextEdit | null {
  const newline = /\r?\n/.exec(text)?.[0] ?? '\n';
  const line = `- ${escapeFact(fact)}${newline}`;
  const section = findSection(text);
  if (!section) {
    const gap = text === '' ? '' : text.endsWith('\n') ? newline : newline + newline;
    return insertion(text.length, `${gap}${FACTS_HEADING}${newline}${newline}${line}`);
  }
  if (section.facts.some((known) => factKey(known.fact) === factKey(fact))) return null;
  const last = section.facts.at(-1);
  const at = last?.end ?? section.body;
  const gap = at > 0 && text[at - 1] !== '\n' ? newline : '';
  return insertion(at, last ? `${gap}${line}` : `${gap}${newline}${line}`);
}

/** The edit that takes a fact out of a text, and its section with the last one; null when the fact is not there. */
export function editToRemove(text: string, fact: string): TextEdit | null {
  const section = findSection(text);
  const found =
    section?.facts.find((known) => known.fact === fact) ??
    section?.facts.find((known) => factKey(known.fact) === factKey(fact));
  if (!section || !found) return null;
  const rest = text.slice(section.body, found.start) + text.slice(found.end, section.end);
  if (rest.trim() !== '') return { start: found.start, end: found.end, text: '' };
  const before = text.slice(0, section.start);
  const gap = section.end < text.length ? '' : (/(?<=\n)\r?\n$/.exec(before)?.[0] ?? '');
  return { start: section.start - gap.length, end: section.end, text: '' };
}

function insertion(at: number, text: string): TextEdit {
  return { start: at, end: at, text };
}

function findSection(text: string): Section | null {
  // A fence that nothing closes would hide a section that was appended to the file after it.
  const ranges = codeRanges(text).filter(({ kind, closed }) => kind !== 'span' && closed);
  const isCode = ({ start }: TextLine): boolean =>
    ranges.some((range) => range.start <= start && start < range.end);
  const lines = linesOf(text).filter((line) => !isCode(line));
  const heading = lines.findIndex((line) => line.text.trimEnd() === FACTS_HEADING);
  if (heading === -1) return null;
  const { start, end: body } = lines[heading]!;
  const next = lines.slice(heading + 1).find((line) => /^ {0,3}#{1,2}(?:\s|$)/.test(line.text));
  const end = next?.start ?? text.length;
  return {
    start,
    body,
    end,
    facts: factsOf(lines.filter((line) => line.start >= body && line.start < end)),
  };
}

/** Items of the list; someone may have written one over several lines. */
function factsOf(lines: readonly TextLine[]): Fact[] {
  const facts: Fact[] = [];
  let open: Fact | undefined;
  for (const { start, end, text } of lines) {
    const item = /^[-*+] +(.*\S)\s*$/.exec(text);
    if (item) {
      facts.push((open = { fact: unescapeFact(item[1]!), start, end }));
    } else if (open && /^\s+\S/.test(text)) {
      open.fact += ` ${unescapeFact(text.trim())}`;
      open.end = end;
    } else {
      open = undefined;
    }
  }
  return facts;
}

function linesOf(text: string): TextLine[] {
  const lines: TextLine[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline + 1;
    lines.push({ start, end, text: text.slice(start, newline === -1 ? end : newline) });
    start = end;
  }
  return lines;
}
