import type { Node } from 'jsonc-parser';
import { SettingsError } from '../errors.js';
import { isJsonObject } from '../json.js';

type Scanner = { setPosition(offset: number): void; scan(): number; getPosition(): number };

/** Token numbers of the scanner; its enum exists only while compiling. */
const COMMA = 5;
const LINE_BREAK = 14;
const END = 17;

interface Layout {
  unit: string;
  eol: string;
}

interface Document {
  text: string;
  layout: Layout;
  scannerAt(offset: number): Scanner;
}

/**
 * Sets or, with `undefined`, removes one value in JSON with comments. Everything outside the value stays as it
 * is, comments of its neighbours included. The text must be valid and hold an object, or nothing yet.
 */
export async function editJsonc(text: string, path: readonly string[], value: unknown): Promise<string> {
  const { createScanner, parseTree } = await import('./jsonc-parser.js');
  const options = { allowTrailingComma: true, allowEmptyContent: true };
  const started = parseTree(text, [], options) ? text : startedFrom(text);
  const root = parseTree(started, [], options) as Node;
  const document: Document = {
    text: started,
    layout: layoutOf(started),
    scannerAt(offset) {
      const scanner = createScanner(started, false);
      scanner.setPosition(offset);
      return scanner;
    },
  };
  const { parent, property, rest } = locate(root, path);
  if (value === undefined)
    return property && rest.length === 0 ? removeProperty(document, parent, property) : text;
  const content = rest.slice(1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  if (property) return replaceValue(document, property, value);
  return insertEntry(document, parent, { name: rest[0] as string, value: content });
}

/** Adds an empty object to a text that holds nothing but comments. */
function startedFrom(text: string): string {
  const comments = text.trimEnd();
  return comments === '' ? '{}\n' : `${comments}\n{}\n`;
}

function layoutOf(text: string): Layout {
  return { unit: /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ', eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** Finds the innermost object on the path, the property if it exists, and the names that don't. */
function locate(
  root: Node,
  path: readonly string[],
): { parent: Node; property?: Node; rest: readonly string[] } {
  let parent = root;
  for (const [index, name] of path.entries()) {
    if (parent.type !== 'object')
      throw new SettingsError(`${path.slice(0, index).join('.') || 'the text'} is not an object.`);
    const property = parent.children?.find((child) => child.children?.[0]?.value === name);
    const value = property?.children?.[1];
    if (!property || !value) return { parent, rest: path.slice(index) };
    if (index === path.length - 1) return { parent, property, rest: [] };
    parent = value;
  }
  throw new Error('an empty path leads to no setting');
}

function replaceValue({ text, layout }: Document, property: Node, value: unknown): string {
  const { offset, length } = property.children![1]!;
  return (
    text.slice(0, offset) +
    formatValue(value, layout, indentAt(text, property.offset)) +
    text.slice(offset + length)
  );
}

function insertEntry(document: Document, parent: Node, entry: { name: string; value: unknown }): string {
  const { text, layout } = document;
  const last = parent.children?.at(-1);
  const key = `${JSON.stringify(entry.name)}: `;
  if (!last) {
    const [open, close] = [parent.offset + 1, parent.offset + parent.length - 1];
    const outer = indentAt(text, parent.offset);
    const line = `${layout.eol}${outer}${layout.unit}${key}${formatValue(entry.value, layout, outer + layout.unit)}${layout.eol}${outer}`;
    return text.slice(0, open) + text.slice(open, close).trimEnd() + line + text.slice(close);
  }
  const end = last.offset + last.length;
  const comma = commaAfter(document, end);
  const head = `${text.slice(0, end)},${text.slice(end, comma?.start ?? end)}`;
  const rest = comma?.end ?? end;
  const indent = indentAt(text, last.offset);
  const startsLine = text.slice(lineStart(text, last.offset), last.offset) === indent;
  const lineEnd = startsLine ? lineEndBefore(document, rest, parent.offset + parent.length) : null;
  if (lineEnd === null) return `${head} ${key}${inline(entry.value)}${text.slice(rest)}`;
  const line = `${layout.eol}${indent}${key}${formatValue(entry.value, layout, indent)}${comma ? ',' : ''}`;
  return head + text.slice(rest, lineEnd) + line + text.slice(lineEnd);
}

function removeProperty(document: Document, parent: Node, property: Node): string {
  const { text } = document;
  const end = property.offset + property.length;
  const comma = commaAfter(document, end);
  const siblings = parent.children ?? [];
  const before = siblings[siblings.indexOf(property) - 1];
  const isLast = siblings.at(-1) === property;
  // The comma before the removed property, which would be left at the end.
  const orphan = isLast && !comma && before ? commaAfter(document, before.offset + before.length) : null;
  const gap = comma ? text.slice(end, comma.start) : '';
  const after = comma?.end ?? end;
  const start = lineStart(text, property.offset);
  const blankBefore = text.slice(start, property.offset).trim() === '';
  const blankAfter = /^[ \t]*(?:\r\n|\n|\r)/.exec(text.slice(after))?.[0];
  const wholeLines = blankBefore && blankAfter !== undefined && gap.trim() === '';
  const from = wholeLines ? start : property.offset;
  const to = wholeLines
    ? after + blankAfter.length
    : after + (/^ */.exec(text.slice(after))?.[0].length ?? 0);
  const kept = gap.trim() === '' ? '' : gap;
  const head = orphan ? text.slice(0, orphan.start) + text.slice(orphan.end, from) : text.slice(0, from);
  return head + kept + text.slice(to);
}

function commaAfter({ scannerAt }: Document, offset: number): { start: number; end: number } | null {
  const scanner = scannerAt(offset);
  for (let token = scanner.scan(); token !== END; token = scanner.scan()) {
    if (token === COMMA) return { start: scanner.getPosition() - 1, end: scanner.getPosition() };
    if (token < 12) return null;
  }
  return null;
}

/** The first line break after the offset that is not inside a comment, or null when the object closes before it. */
function lineEndBefore({ scannerAt }: Document, offset: number, limit: number): number | null {
  const scanner = scannerAt(offset);
  for (let start = offset; start < limit; start = scanner.getPosition()) {
    const token = scanner.scan();
    if (token === LINE_BREAK) return start;
    if (token < 12 || token === END) return null;
  }
  return null;
}

function lineStart(text: string, offset: number): number {
  return Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';
}

function formatValue(value: unknown, { unit, eol }: Layout, indent: string): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${inline(item)}`);
  return `{${entries.join(', ')}}`;
}
