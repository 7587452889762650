import { terminalSafe } from '@toolwright/machine/base/terminal-safe.js';

/** A value of a front matter: text, a list of texts, or texts by name. Whatever is nested deeper stays text. */
export type FrontValue = string | string[] | Record<string, string>;

export interface FrontMatter {
  fields: Record<string, FrontValue>;
  /** Number of the line that each field begins in. */
  lines: Record<string, number>;
  /** The text after it. */
  body: string;
}

export interface FrontMatterProblem {
  line: number;
  problem: string;
}

/**
 * The front matter of a Markdown file: the part of YAML that such files use, read without a YAML library. A text on one line
 * counts as it stands, colons included, because the files that people have are written that way.
 */
export function readFrontMatter(text: string): FrontMatter | FrontMatterProblem {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---') return { fields: {}, lines: {}, body: lines.join('\n') };
  const end = lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  if (end < 0)
    return { line: 1, problem: 'the front matter begins here and never ends: a line with --- is missing' };
  const found: FrontMatter = {
    fields: Object.create(null),
    lines: {},
    body: lines.slice(end + 1).join('\n'),
  };
  const problem = readFields({ lines: lines.slice(0, end), at: 1 }, found);
  return problem ?? { ...found, fields: { ...found.fields } };
}

/** A place in the lines; readers move it on. */
interface Cursor {
  lines: readonly string[];
  at: number;
}

const FIELD = /^([A-Za-z_][\w.-]*)\s*:(?:\s+(.*))?$/;

function readFields(cursor: Cursor, found: FrontMatter): FrontMatterProblem | null {
  for (; cursor.at < cursor.lines.length; ) {
    const line = cursor.lines[cursor.at]!;
    const number = cursor.at + 1;
    cursor.at += 1;
    if (isBlank(line)) continue;
    const [, name, written = ''] = FIELD.exec(line) ?? [];
    if (name === undefined)
      return { line: number, problem: `expected "name: value", found ${JSON.stringify(line.slice(0, 60))}` };
    if (name in found.fields)
      return {
        line: number,
        problem: `${name} appears here a second time; the first is in line ${found.lines[name]}`,
      };
    const value = readValue(written.trim(), cursor);
    if (value === null)
      return { line: number, problem: `the value of ${name} has a quote or a bracket that is never closed` };
    found.fields[name] = value;
    found.lines[name] = number;
  }
  return null;
}

function isBlank(line: string): boolean {
  return /^\s*(?:#.*)?$/.test(line);
}

/** Null for a quote or a bracket that is never closed. */
function readValue(written: string, cursor: Cursor): FrontValue | null {
  if (/^[|>][+-]?\d?[+-]?(?:\s+#.*)?$/.test(written)) return blockText(written.startsWith('>'), cursor);
  if (written === '' || written.startsWith('#')) return nested(cursor);
  if (written.startsWith('[')) return flowList(written, cursor);
  if (/^["']/.test(written)) return quoted([written, ...furtherLines(cursor)].join(' '));
  return [plain(written), ...furtherLines(cursor).map(plain)].join(' ').trim();
}

function plain(text: string): string {
  return text.replace(/\s+#.*$/, '').trim();
}

/** The lines after this one that are set in from the margin. */
function furtherLines(cursor: Cursor): string[] {
  const found: string[] = [];
  for (
    let line = cursor.lines[cursor.at];
    line !== undefined && /^[ \t]+\S/.test(line);
    line = cursor.lines[cursor.at]
  ) {
    found.push(line.trim());
    cursor.at += 1;
  }
  return found;
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', '0': '\0' };

function quoted(written: string): string | null {
  const match = /^"((?:\\.|[^"\\])*)"\s*(?:#.*)?$/s.exec(written);
  if (match)
    return match[1]!.replace(
      /\\(?:u([0-9a-fA-F]{4})|(.))/gs,
      (_all, code: string | undefined, mark: string) =>
        code === undefined ? (ESCAPES[mark] ?? mark) : String.fromCharCode(Number.parseInt(code, 16)),
    );
  const single = /^'((?:''|[^'])*)'\s*(?:#.*)?$/s.exec(written);
  return single ? single[1]!.replaceAll("''", "'") : null;
}

function flowList(written: string, cursor: Cursor): string[] | null {
  const text = [written, ...furtherLines(cursor)].join(' ').replace(/\s+#[^\]]*$/, '');
  const inner = /^\[(.*)\]$/s.exec(text.trim())?.[1];
  if (inner === undefined) return null;
  const items: string[] = [];
  for (const [item] of inner.matchAll(/(?:"(?:\\.|[^"\\])*"|'(?:''|[^'])*'|\([^)]*\)|[^,"'(])+/g)) {
    if (item.trim() !== '') items.push(unquoted(item.trim()));
  }
  return items;
}

function unquoted(item: string): string {
  return (/^["']/.test(item) ? quoted(item) : null) ?? plain(item);
}

/** Reads what stands below a name without a value: a list, names with values, or text. */
function nested(cursor: Cursor): FrontValue {
  const lines: string[] = [];
  for (
    let line = cursor.lines[cursor.at];
    line !== undefined && /^(?:[ \t]|- |-$)/.test(line + (line === '' ? ' ' : ''));
    line = cursor.lines[cursor.at]
  ) {
    lines.push(line);
    cursor.at += 1;
  }
  const written = lines.filter((line) => !isBlank(line));
  const [first = ''] = written;
  if (/^\s*-(?:\s|$)/.test(first)) return listItems(written);
  const fields = mapFields(written);
  return fields ?? written.map((line) => line.trim()).join(' ');
}

function listItems(lines: readonly string[]): string[] {
  const items: string[] = [];
  const depth = indentOf(lines[0]!);
  for (const line of lines) {
    const item = indentOf(line) <= depth ? /^\s*-\s*(.*)$/.exec(line)?.[1] : undefined;
    if (item !== undefined) items.push(unquoted(item.trim()));
    else if (items.length > 0) items.push(`${items.pop()} ${line.trim()}`.trim());
  }
  return items;
}

function mapFields(lines: readonly string[]): Record<string, string> | null {
  const fields: Record<string, string> = Object.create(null);
  const depth = indentOf(lines[0] ?? '');
  let last: string | null = null;
  for (const line of lines) {
    const [, name, value = ''] =
      indentOf(line) === depth ? (/^\s*([\w.-]+)\s*:(?:\s+(.*))?$/.exec(line) ?? []) : [];
    if (name !== undefined) {
      fields[name] = unquoted(value.trim());
      last = name;
    } else if (last === null) return null;
    else fields[last] = `${fields[last]}\n${line.slice(depth)}`.trim();
  }
  return last === null ? null : { ...fields };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The lines of a text that `|` or `>` begins, without what they are set in. */
function blockText(isFolded: boolean, cursor: Cursor): string {
  const lines: string[] = [];
  for (
    let line = cursor.lines[cursor.at];
    line !== undefined && (/^[ \t]/.test(line) || line.trim() === '');
    line = cursor.lines[cursor.at]
  ) {
    lines.push(line);
    cursor.at += 1;
  }
  const depth = Math.min(...lines.filter((line) => line.trim() !== '').map(indentOf));
  const text = lines
    .map((line) => line.slice(depth))
    .join('\n')
    .trim();
  return isFolded ? text.replace(/([^\n])\n(?=[^\n ])/g, '$1 ') : text;
}

/** Gives a line of text, hidden characters made visible. */
export function textOfField(value: FrontValue): string {
  const text =
    typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : JSON.stringify(value);
  return terminalSafe(text).replace(/\s+/g, ' ').trim();
}

/** A list, or words separated by commas or blanks; a rule such as `Bash(git add:*)` is one word. */
export function listOfField(value: FrontValue): string[] {
  if (Array.isArray(value)) return value.map((each) => textOfField(each));
  return textOfField(value).match(/(?:\([^)]*\)|[^\s,(])+/g) ?? [];
}
