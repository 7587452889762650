import type { SafeText } from '../../../app/safe-text.js';
import { type OpenPicker, type PickerItem, selectedItem } from '../../../app/typing/picker.js';
import { renderDiff } from '../diff.js';
import { type Appearance, clipped, indented, line, type StyledLine, widthOf, wrap } from '../line.js';
import { type LaidOutInput, layoutInput } from './input.js';

interface Room {
  width: number;
  /** Rows that may be used. */
  room: number;
  appearance: Appearance;
}

const MOST_ROWS = 12;
const FEWEST_ROWS = 3;
const PREVIEW_ROWS = 10;
const MOST_FOOT_ROWS = 2;

/** A list to choose from, or a text to type, in the place of the prompt. */
export function renderPicker(picker: OpenPicker, { width, room, appearance }: Room): LaidOutInput {
  const { spec } = picker;
  const top = [
    ...wrap(line(spec.title, { bold: true, color: 'cyan' }), width),
    ...(spec.about ? spec.about.split('\n').flatMap((row) => wrap(line(row, { dim: true }), width)) : []),
  ];
  const typed = layoutInput(shownInput(picker), { width, mark: markOf(picker), maxRows: 2 });
  const foot = wrap(line(keysText(picker, appearance), { dim: true }), width).slice(0, MOST_FOOT_ROWS);
  const left = room - typed.lines.length - foot.length;
  const head = top.slice(0, Math.max(1, left - FEWEST_ROWS));
  const wanted = previewLines(picker, width);
  const preview = wanted.slice(0, Math.max(0, Math.min(PREVIEW_ROWS, left - head.length - FEWEST_ROWS - 1)));
  const rest = preview.length < wanted.length && preview.length > 0 ? cutMark(preview, appearance) : preview;
  const list = listLines(picker, { width, room: left - head.length - rest.length, appearance });
  return {
    lines: [...head, ...typed.lines, ...list, ...rest, ...foot],
    cursor: { ...typed.cursor, row: typed.cursor.row + head.length },
  };
}

function cutMark(lines: readonly StyledLine[], { unicode }: Appearance): StyledLine[] {
  return [...lines.slice(0, -1), line(unicode ? '    …' : '    ...', { dim: true })];
}

function markOf({ spec }: OpenPicker): string {
  return spec.typed === 'filter' ? '/ ' : '= ';
}

/** A secret is shown as stars. */
function shownInput({ typed, spec }: OpenPicker): OpenPicker['typed'] {
  if (spec.typed !== 'secret') return typed;
  return { text: '*'.repeat(typed.text.length), cursor: typed.cursor };
}

function listLines(picker: OpenPicker, { width, room, appearance }: Room): StyledLine[] {
  const { spec, matches, selected } = picker;
  if (spec.typed !== 'filter' && spec.items.length === 0) return [];
  if (matches.length === 0)
    return [
      line(`  ${spec.items.length === 0 ? (spec.empty ?? 'Nothing here.') : 'Nothing matches.'}`, {
        dim: true,
      }),
    ];
  const rows = Math.max(1, Math.min(MOST_ROWS, room, matches.length));
  const isCut = rows < matches.length;
  const shown = isCut ? Math.max(1, rows - 1) : rows;
  const first = Math.max(0, Math.min(selected - Math.floor(shown / 2), matches.length - shown));
  const visible = matches.slice(first, first + shown).map((index) => spec.items[index]!);
  const column = columnOf(visible, width);
  const lines = visible.map((item, index) =>
    itemLine(item, { isSelected: first + index === selected, column, width, appearance }),
  );
  const place = `  ${selected + 1} of ${matches.length}`;
  return isCut ? [...lines, clipped(line(place, { dim: true }), width, appearance)] : lines;
}

/** Labels stand in a column where there is room for details beside them. */
function columnOf(items: readonly PickerItem[], width: number): number {
  const widest = Math.max(0, ...items.map(({ label, isCurrent }) => widthOf(label) + (isCurrent ? 2 : 0)));
  const hasDetails = items.some(({ detail }) => detail);
  return hasDetails ? Math.min(widest, Math.floor(width * 0.6)) : width - 4;
}

interface ItemPlace {
  isSelected: boolean;
  column: number;
  width: number;
  appearance: Appearance;
}

function itemLine(
  { label, detail, isCurrent }: PickerItem,
  { isSelected, column, width, appearance }: ItemPlace,
): StyledLine {
  const pointer = appearance.unicode ? '❯ ' : '> ';
  const mark = isSelected ? pointer : '  ';
  const style = isSelected ? { bold: true, color: 'cyan' as const } : {};
  const current: StyledLine = isCurrent ? [{ text: ' *', style: { color: 'green' } }] : [];
  const cut = clipped(line(label, style), Math.max(4, column - 2 * current.length), appearance);
  const used = [...cut, ...current].reduce((sum, { text }) => sum + widthOf(text), 0);
  const gap = ' '.repeat(Math.max(0, Math.min(column, width) - used) + 2);
  const spans: StyledLine = [
    { text: mark, style },
    ...cut,
    ...current,
    ...(detail ? [{ text: gap }, { text: detail, style: { dim: true } }] : []),
  ];
  return clipped(spans, width, appearance);
}

function previewLines(picker: OpenPicker, width: number): StyledLine[] {
  const preview = picker.preview?.id === selectedItem(picker)?.id ? picker.preview : null;
  const said = preview?.lines ?? [];
  const cut = cutDetail(picker, width);
  const lines = [...(cut === null || said.includes(cut) ? [] : [cut]), ...said];
  const diff = preview?.diff ? renderDiff(preview.diff, width - 4) : [];
  const rows = lines.flatMap((row) => wrap(line(row, { dim: true }), width - 4));
  return indented([...rows, ...diff], { text: '    ' });
}

/** The detail of the item that is reached, where its line is too short for it. */
function cutDetail(picker: OpenPicker, width: number): SafeText | null {
  const { detail } = selectedItem(picker) ?? {};
  if (!detail) return null;
  const { items } = picker.spec;
  const column = columnOf(
    picker.matches.map((index) => items[index]!),
    width,
  );
  return column + 4 + widthOf(detail) > width ? detail : null;
}

function keysText({ spec, dial }: OpenPicker, { unicode }: Appearance): string {
  const dot = unicode ? ' · ' : ', ';
  const arrows = unicode ? '←→' : 'Left/Right';
  // Cut at a narrow screen from the end: the way out stands early.
  return [
    `Enter ${spec.verb ?? (spec.typed === 'filter' ? 'chooses' : 'continues')}`,
    'Esc closes',
    ...(spec.dial ? [`${arrows} ${spec.dial.name}: ${dial}`] : []),
    ...(spec.typed === 'filter' && spec.items.length > 1 ? ['type to narrow'] : []),
  ].join(dot);
}

/** The list as lines that are never redrawn: numbered, the narrowed ones only. */
export function numberedLines({ spec, matches, dial }: OpenPicker): string[] {
  const rows = matches.slice(0, MOST_NUMBERED).map((index, at) => {
    const { label, detail, isCurrent } = spec.items[index]!;
    return `  ${at + 1}  ${label}${isCurrent ? ' (in use)' : ''}${detail ? `: ${detail}` : ''}`;
  });
  const more = matches.length - rows.length;
  if (spec.typed !== 'filter')
    return [...(spec.about?.split('\n') ?? []), 'Type it, then Enter. Esc closes.'];
  return [
    ...(spec.about?.split('\n') ?? []),
    ...(matches.length === 0
      ? [`  ${spec.items.length === 0 ? (spec.empty ?? 'Nothing here.') : 'Nothing matches.'}`]
      : rows),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(spec.dial ? [`${spec.dial.name}: ${dial}. Left and Right change it.`] : []),
    ...(matches.length > 0 ? ['Type a number and Enter, or words and Enter to narrow the list.'] : []),
    ...(matches.length > 0 && spec.hasPreview ? ['? and a number says more about it.'] : []),
    'Esc closes.',
  ];
}

/** Draws more about an item, as lines that are never redrawn. */
export function previewedLines({ preview }: OpenPicker, width: number): StyledLine[] {
  const lines = (preview?.lines ?? []).map((row) => line(`  ${row}`));
  const diff = preview?.diff ? renderDiff(preview.diff, width) : [];
  return lines.length + diff.length === 0 ? [line('  There is nothing more to show.')] : [...lines, ...diff];
}

const MOST_NUMBERED = 20;
