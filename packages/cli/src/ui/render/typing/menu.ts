import type { Menu } from '../../../app/typing/menu.js';
import { type Appearance, clipped, line, type StyledLine, widthOf } from '../line.js';

const MOST_ROWS = 8;

/** Suggestions under the typed line. */
export function renderMenu(
  menu: Menu,
  { width, room, appearance }: { width: number; room: number; appearance: Appearance },
): StyledLine[] {
  const { items, selected, isLooking } = menu;
  const rows = Math.min(MOST_ROWS, room, items.length);
  if (rows <= 0) return isLooking && room > 0 ? [line('  looking ...', { dim: true })] : [];
  const first = Math.max(0, Math.min(selected - Math.floor(rows / 2), items.length - rows));
  const visible = items.slice(first, first + rows);
  const column = Math.min(Math.max(...visible.map(({ label }) => widthOf(label))), Math.floor(width * 0.6));
  return visible.map(({ label, detail = '' }, index) => {
    const isSelected = first + index === selected;
    const gap = ' '.repeat(Math.max(0, column - widthOf(label)) + 2);
    const style = isSelected ? { bold: true, color: 'cyan' as const } : {};
    const pointer = isSelected ? (appearance.unicode ? '❯ ' : '> ') : '  ';
    const name = menu.kind === 'file' ? fromEnd(label, width - 3, appearance) : label;
    return clipped(
      [
        { text: pointer, style },
        { text: name, style },
        { text: gap + detail, style: { dim: true } },
      ],
      width,
      appearance,
    );
  });
}

/** Shortens a long path from its beginning: the end tells more. */
function fromEnd(path: string, width: number, { unicode }: Appearance): string {
  if (widthOf(path) <= width) return path;
  const mark = unicode ? '…' : '...';
  let cut = path.slice(-(width - mark.length));
  while (widthOf(cut) > width - mark.length) cut = cut.slice(1);
  return mark + cut;
}
