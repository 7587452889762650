import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type DiffRow, wordsOf } from './diff-rows.js';
import type { piecesOf } from './highlight.js';

/** Colours are loaded with the first diff that is shown. */
const colours = signal<typeof piecesOf | null>(null);

export function loadColours(): void {
  if (!colours.value)
    void import('./highlight.js').then(
      (loaded) => (colours.value = loaded.piecesOf),
      () => undefined,
    );
}

interface Decoration {
  parts: ComponentChildren;
  isColoured: boolean;
}

/** Words and colours of the rows that have been in sight. */
const decorations = new WeakMap<DiffRow, Decoration>();

/** The text of a row: plain until its words and colours are known. */
export function textOf(row: DiffRow): ComponentChildren {
  return decorations.get(row)?.parts ?? row.text;
}

/** Comparing words and finding colours takes longer than a frame has: this much is done at once. */
const SLICE_MS = 8;

/** Decorates these rows, some at a time, and draws again after each slice. */
export function useDecoration(rows: readonly DiffRow[], language: string, isResting: boolean): void {
  const [, redraw] = useState(0);
  const find = colours.value;
  useEffect(() => {
    const open = isResting ? rows.filter((row) => !isDone(row, find !== null)) : [];
    if (open.length === 0) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    const slice = (): void => {
      const end = performance.now() + SLICE_MS;
      do decorate(open.shift()!, language, find);
      while (open.length > 0 && performance.now() < end);
      redraw((count) => count + 1);
      if (open.length > 0) timer = setTimeout(slice, 0);
    };
    timer = setTimeout(slice, 0);
    return () => clearTimeout(timer);
  }, [rows, language, isResting, find]);
}

function isDone(row: DiffRow, withColours: boolean): boolean {
  if (row.kind === 'hunk' || row.kind === 'note') return true;
  const known = decorations.get(row);
  return known !== undefined && (known.isColoured || !withColours);
}

function decorate(row: DiffRow, language: string, find: typeof piecesOf | null): void {
  decorations.set(row, { parts: partsOf(row, language, find), isColoured: find !== null });
}

function partsOf(row: DiffRow, language: string, find: typeof piecesOf | null): ComponentChildren {
  const parts = wordsOf(row.text, row.pair);
  if (parts.some(({ isOther }) => isOther)) {
    const Mark = row.kind === 'added' ? 'ins' : 'del';
    return parts.map(({ text, isOther }) => (isOther ? <Mark>{text}</Mark> : text));
  }
  const pieces = find?.(row.text, language);
  return pieces
    ? pieces.map(({ text, scope }) => (scope === '' ? text : <span class={`c-${scope}`}>{text}</span>))
    : row.text;
}
