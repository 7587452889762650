import type { InputLine } from '../input-line.js';
import type { SafeText } from '../safe-text.js';

/** A way to go on with what was typed. */
export interface MenuItem {
  /** Takes the place of what was typed, from `from` on. */
  insert: string;
  label: SafeText;
  detail?: SafeText;
  /** Typing goes on right behind it: a folder, a server. */
  isOpen?: boolean;
}

/** Suggestions under the line, for the text before the cursor. */
export interface Menu {
  kind: 'command' | 'file';
  /** The line they were made for. */
  input: InputLine;
  /** The start of the text that an item replaces. */
  from: number;
  items: readonly MenuItem[];
  selected: number;
  /** True while more is still being looked for. */
  isLooking: boolean;
  /** True if the typed text is complete: Enter sends it. */
  isWhole: boolean;
}

/** The line with the chosen item in it; a blank follows unless typing goes on there. */
export function accepted({ input, from, items, selected }: Menu): InputLine {
  const item = items[selected];
  if (!item) return input;
  const rest = input.text.slice(input.cursor);
  const gap = item.isOpen || rest.startsWith(' ') ? '' : ' ';
  const before = input.text.slice(0, from) + item.insert + gap;
  return { text: before + rest, cursor: before.length };
}

export function movedIn(menu: Menu, step: number): Menu {
  const count = menu.items.length;
  return { ...menu, selected: (menu.selected + step + count) % Math.max(1, count) };
}
