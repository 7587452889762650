import { signal, useSignal } from '@preact/signals';
import type { FileDiff, FileDiffEntry } from '@toolwright/core';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type DiffRow, rowsOf, sidesOf, wordsOf } from './diff-rows.js';
import type { piecesOf } from './highlight.js';
import { safeText } from './safe-text.js';

/** One choice for all diffs of the page. */
const isSideBySide = signal(localStorage.getItem('toolwright-diff') === 'sides');
/** Colours are loaded with the first diff that is shown. */
const colours = signal<typeof piecesOf | null>(null);

function loadColours(): void {
  if (!colours.value)
    void import('./highlight.js').then(
      (loaded) => (colours.value = loaded.piecesOf),
      () => undefined,
    );
}

export function DiffChoice() {
  const choose = (sides: boolean): void => {
    isSideBySide.value = sides;
    localStorage.setItem('toolwright-diff', sides ? 'sides' : 'unified');
  };
  return (
    <div class="choice" role="group" aria-label="Layout of diffs">
      <button type="button" aria-pressed={!isSideBySide.value} onClick={() => choose(false)}>
        Unified
      </button>
      <button type="button" aria-pressed={isSideBySide.value} onClick={() => choose(true)}>
        Side by side
      </button>
    </div>
  );
}

interface DiffProps {
  diff: FileDiff;
  /** Something to stand under a file's name, such as pictures. */
  beside?(file: FileDiffEntry): ComponentChildren;
}

export function Diff({ diff, beside }: DiffProps) {
  useEffect(loadColours, []);
  return (
    <div class="diff">
      {diff.files.map((file) => (
        <DiffFile key={file.path} file={file}>
          {beside?.(file)}
        </DiffFile>
      ))}
    </div>
  );
}

const words: Record<FileDiffEntry['change'], string> = {
  create: 'new',
  modify: 'changed',
  delete: 'deleted',
  symlink: 'link',
  mode: 'mode',
};

export function DiffFile({ file, children }: { file: FileDiffEntry; children?: ComponentChildren }) {
  const isOpen = useSignal(true);
  const rows = useMemo(() => rowsOf(safeText(file.unified)), [file.unified]);
  const name = safeText(file.path);
  return (
    <article class="file" aria-label={name}>
      <h2 class="name">
        <button
          type="button"
          class="plain"
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          <span class={`tag ${file.change}`}>{words[file.change]}</span> <span class="path">{name}</span>
        </button>
        <span class="counts">
          <ins>+{file.added}</ins> <del>−{file.removed}</del>
        </span>
      </h2>
      {isOpen.value && children}
      {isOpen.value && rows.length > 0 && <Rows rows={rows} name={name} />}
    </article>
  );
}

const ROW_HEIGHT = 20;
/** Fewer rows are simply there; more are drawn as they come into sight. */
const ALL_AT_ONCE = 300;
/** Colours wait until the reader stops scrolling: they take longer than a frame. */
const REST_MS = 100;
const ABOVE = 20;
const DRAWN = 90;

function Rows({ rows, name }: { rows: DiffRow[]; name: string }) {
  const sides = isSideBySide.value;
  const shown = useMemo(
    () => (sides ? sidesOf(rows) : rows.map((row) => ({ left: row, right: row }))),
    [rows, sides],
  );
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const isVirtual = shown.length > ALL_AT_ONCE;
  const language = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const from = isVirtual ? Math.max(0, Math.floor(top.value / ROW_HEIGHT) - ABOVE) : 0;
  const to = isVirtual ? Math.min(shown.length, from + DRAWN) : shown.length;
  const isResting = useSignal(true);
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const look = (): void => {
    const next = box.current?.scrollTop ?? 0;
    isResting.value = false;
    clearTimeout(resting.current);
    resting.current = setTimeout(() => (isResting.value = true), REST_MS);
    if (Math.abs(next - top.value) >= ROW_HEIGHT * 8) top.value = next;
  };
  return (
    <div
      class={`rows${sides ? ' sides' : ''}${isVirtual ? ' tall' : ''}`}
      ref={box}
      tabIndex={0}
      role="region"
      aria-label={`Changes in ${name}, ${shown.length} rows`}
      onScroll={isVirtual ? look : undefined}
    >
      <div class="sheet" style={isVirtual ? { height: `${shown.length * ROW_HEIGHT}px` } : undefined}>
        <div
          class="moved"
          style={isVirtual ? { transform: `translateY(${from * ROW_HEIGHT}px)` } : undefined}
        >
          {shown.slice(from, to).map(({ left, right }, index) =>
            sides ? (
              <div class="pair" key={from + index}>
                <Cell row={left} side="before" language={isResting.value ? language : null} />
                <Cell row={right} side="after" language={isResting.value ? language : null} />
              </div>
            ) : (
              <Line key={from + index} row={right!} language={isResting.value ? language : null} />
            ),
          )}
        </div>
      </div>
    </div>
  );
}

const signs = { same: ' ', added: '+', removed: '−', hunk: ' ', note: ' ' };

function Line({ row, language }: { row: DiffRow; language: string | null }) {
  return (
    <div class={`row ${row.kind}`}>
      <span class="number">{row.before ?? ''}</span>
      <span class="number">{row.after ?? ''}</span>
      <span class="sign">{signs[row.kind]}</span>
      <span class="text">{textOf(row, language)}</span>
    </div>
  );
}

function Cell({
  row,
  side,
  language,
}: {
  row: DiffRow | null;
  side: 'before' | 'after';
  language: string | null;
}) {
  if (!row) return <div class="row none" />;
  return (
    <div class={`row ${row.kind}`}>
      <span class="number">{row[side] ?? ''}</span>
      <span class="sign">{signs[row.kind]}</span>
      <span class="text">{textOf(row, language)}</span>
    </div>
  );
}

/** Rows that were drawn, with and without colours: scrolling must not look at each word again. */
const drawn = new WeakMap<DiffRow, { isColoured: boolean; parts: ComponentChildren }>();

function textOf(row: DiffRow, language: string | null): ComponentChildren {
  if (row.kind === 'hunk' || row.kind === 'note') return row.text;
  const isColoured = colours.value !== null && language !== null;
  const known = drawn.get(row);
  if (known && (known.isColoured || !isColoured)) return known.parts;
  const parts = partsOf(row, language);
  drawn.set(row, { isColoured, parts });
  return parts;
}

function partsOf(row: DiffRow, language: string | null): ComponentChildren {
  const parts = wordsOf(row.text, row.pair);
  if (parts.some(({ isOther }) => isOther)) {
    const Mark = row.kind === 'added' ? 'ins' : 'del';
    return parts.map(({ text, isOther }) => (isOther ? <Mark>{text}</Mark> : text));
  }
  const pieces = language === null ? null : colours.value?.(row.text, language);
  return pieces
    ? pieces.map(({ text, scope }) => (scope === '' ? text : <span class={`c-${scope}`}>{text}</span>))
    : row.text;
}
