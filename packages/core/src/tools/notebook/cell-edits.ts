import { plural } from '@toolwright/machine/base/amounts.js';
import { parseTree } from '@toolwright/machine/base/configuration/jsonc-parser.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { isJsonObject, jsonObjectIn } from '@toolwright/machine/base/json.js';
import type { TextEdit } from '@toolwright/machine/base/text-codec.js';

/** A change of one cell. Cells are numbered from 1, as they are shown. */
export type CellChange =
  | { action: 'insert'; cell: number; source: string; type: 'code' | 'markdown' | 'raw'; id: string }
  | { action: 'replace'; cell: number; source: string }
  | { action: 'delete'; cell: number };

type JsonNode = NonNullable<ReturnType<typeof parseTree>>;

/** The edits of the notebook's text that make the change; every other byte stays. Null for a text that is not a notebook of format 4. */
export function cellEdits(text: string, change: CellChange): TextEdit[] | null {
  const root = parseTree(text);
  const cells = root && member(root, 'cells');
  if (!root || !cells || cells.type !== 'array') return null;
  const all = cells.children ?? [];
  const last = change.action === 'insert' ? all.length + 1 : all.length;
  if (change.cell < 1 || change.cell > last)
    throw new ToolError(
      'invalid_params',
      `There is no cell ${change.cell}: the notebook has ${plural(all.length, 'cell')}. Nothing was changed.`,
    );
  switch (change.action) {
    case 'insert':
      return [insertion(text, { root, cells, all }, change)];
    case 'replace':
      return replacement(text, all[change.cell - 1]!, change.source);
    case 'delete':
      return [deletion(cells, all, change.cell - 1)];
  }
}

/** The source of a cell; empty where there is no such cell. */
export function cellSource(text: string, cell: number): string {
  const cells = jsonObjectIn(text)?.['cells'];
  const found: unknown = Array.isArray(cells) ? cells[cell - 1] : null;
  const source = isJsonObject(found) ? found['source'] : '';
  return Array.isArray(source) ? source.join('') : String(source ?? '');
}

function member(node: JsonNode, name: string): JsonNode | undefined {
  return node.children?.find(({ children }) => children?.[0]?.value === name)?.children?.[1];
}

const endOf = ({ offset, length }: JsonNode): number => offset + length;

/** White space from the start of the line to a place; null where something else stands on that line. */
function indentAt(text: string, offset: number): string | null {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const before = text.slice(start, offset);
  return start > 0 && /^[ \t]*$/.test(before) ? before : null;
}

/** Lines as a notebook keeps them: a list, each with its line end but the last. */
function sourceLines(source: string): string[] {
  return source === '' ? [] : source.split(/(?<=\n)/);
}

/** JSON in the manner of the text around it: on one line, or indented below a member. */
function written(value: unknown, indent: string | null, unit: string, lineEnd: string): string {
  if (indent === null) return JSON.stringify(value);
  return JSON.stringify(value, null, unit).replaceAll('\n', `${lineEnd}${indent}`);
}

/** Gives a level of indentation: the difference between the list and the cells in it. */
function unitOf(text: string, root: JsonNode): string {
  const first = root.children?.[0];
  return (first && indentAt(text, first.offset)) || ' ';
}

const lineEndOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

function replacement(text: string, cell: JsonNode, source: string): TextEdit[] {
  const old = member(cell, 'source');
  if (!old) throw new ToolError('failed', 'This cell has no source, so it was not changed.');
  // Some programs keep the source as one text.
  const wanted = old.type === 'string' ? source : sourceLines(source);
  const put = (name: string, value: unknown): TextEdit[] => {
    const node = member(cell, name);
    if (!node) return [];
    const indent = indentAt(text, node.parent?.offset ?? node.offset);
    const unit = (indent ?? '').slice((indentAt(text, cell.offset) ?? '').length) || ' ';
    return [{ start: node.offset, end: endOf(node), text: written(value, indent, unit, lineEndOf(text)) }];
  };
  // The outputs of the earlier source go with it.
  const edits = [...put('source', wanted), ...put('outputs', []), ...put('execution_count', null)];
  return edits.sort((one, other) => one.start - other.start);
}

interface NotebookTree {
  root: JsonNode;
  cells: JsonNode;
  all: readonly JsonNode[];
}

function insertion(
  text: string,
  { root, cells, all }: NotebookTree,
  { cell, source, type, id }: Extract<CellChange, { action: 'insert' }>,
): TextEdit {
  const unit = unitOf(text, root);
  const neighbour = all[Math.min(cell, all.length) - 1];
  const list = indentAt(text, cells.parent?.offset ?? cells.offset);
  const indent = neighbour ? indentAt(text, neighbour.offset) : list === null ? null : list + unit;
  const lineEnd = lineEndOf(text);
  const made = {
    cell_type: type,
    execution_count: type === 'code' ? null : undefined,
    id: hasIds(root) ? id : undefined,
    metadata: {},
    outputs: type === 'code' ? [] : undefined,
    source: sourceLines(source),
  };
  const body = written(made, indent, unit, lineEnd);
  const gap = indent === null ? ' ' : `${lineEnd}${indent}`;
  const next = all[cell - 1];
  if (next) return { start: next.offset, end: next.offset, text: `${body},${gap}` };
  const before = all.at(-1);
  if (before) return { start: endOf(before), end: endOf(before), text: `,${gap}${body}` };
  const closing = indent === null ? '' : `${lineEnd}${list ?? ''}`;
  return { start: cells.offset, end: endOf(cells), text: `[${indent === null ? '' : gap}${body}${closing}]` };
}

/** Cells have ids since version 4.5. */
function hasIds(root: JsonNode): boolean {
  const [major, minor] = [member(root, 'nbformat')?.value, member(root, 'nbformat_minor')?.value];
  return Number(major) > 4 || (Number(major) === 4 && Number(minor) >= 5);
}

function deletion(cells: JsonNode, all: readonly JsonNode[], index: number): TextEdit {
  const [cell, next, before] = [all[index]!, all[index + 1], all[index - 1]];
  if (next) return { start: cell.offset, end: next.offset, text: '' };
  if (before) return { start: endOf(before), end: endOf(cell), text: '' };
  return { start: cells.offset, end: endOf(cells), text: '[]' };
}
