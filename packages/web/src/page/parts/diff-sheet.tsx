import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { type DiffRow, sidesOf } from './diff-rows.js';
import { textOf, useDecoration } from './row-decoration.js';

const ROW_HEIGHT = 20;
/** Fewer rows are simply there; more are drawn as they come into sight. */
const ALL_AT_ONCE = 300;
/** Words and colours wait until the reader stops scrolling. */
const REST_MS = 100;
const ABOVE = 20;
const DRAWN = 90;

interface DiffSheetProps {
  rows: DiffRow[];
  /** The file's name; its ending says the language. */
  name: string;
  isSideBySide: boolean;
}

/** The rows of one file. */
export function DiffSheet({ rows, name, isSideBySide }: DiffSheetProps) {
  const all = useMemo(
    () => (isSideBySide ? sidesOf(rows) : rows.map((row) => ({ left: row, right: row }))),
    [rows, isSideBySide],
  );
  const box = useRef<HTMLDivElement>(null);
  const { top, isResting, onScroll } = useScrolling(box);
  const isVirtual = all.length > ALL_AT_ONCE;
  const from = isVirtual ? Math.max(0, Math.floor(top / ROW_HEIGHT) - ABOVE) : 0;
  const shown = useMemo(() => all.slice(from, isVirtual ? from + DRAWN : all.length), [all, from, isVirtual]);
  const inSight = useMemo(
    () => [...new Set(shown.flatMap(({ left, right }) => [left, right]))].filter((row) => row !== null),
    [shown],
  );
  useDecoration(inSight, name.slice(name.lastIndexOf('.') + 1).toLowerCase(), isResting);
  return (
    <div
      class={`rows${isSideBySide ? ' sides' : ''}${isVirtual ? ' tall' : ''}`}
      ref={box}
      tabIndex={0}
      role="group"
      aria-label={`Changes in ${name}, ${all.length} rows`}
      onScroll={isVirtual ? onScroll : undefined}
    >
      <div class="sheet" style={isVirtual ? { height: `${all.length * ROW_HEIGHT}px` } : undefined}>
        <div
          class="moved"
          style={isVirtual ? { transform: `translateY(${from * ROW_HEIGHT}px)` } : undefined}
        >
          {shown.map(({ left, right }, index) =>
            isSideBySide ? (
              <div class="pair" key={from + index}>
                <Cell row={left} side="before" />
                <Cell row={right} side="after" />
              </div>
            ) : (
              <Line key={from + index} row={right!} />
            ),
          )}
        </div>
      </div>
    </div>
  );
}

/** The place to which a box is scrolled, in steps of some rows, and whether the reader has stopped. */
function useScrolling(box: { readonly current: HTMLElement | null }) {
  const top = useSignal(0);
  const isResting = useSignal(true);
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onScroll = (): void => {
    const next = box.current?.scrollTop ?? 0;
    isResting.value = false;
    clearTimeout(resting.current);
    resting.current = setTimeout(() => (isResting.value = true), REST_MS);
    if (Math.abs(next - top.value) >= ROW_HEIGHT * 8) top.value = next;
  };
  return { top: top.value, isResting: isResting.value, onScroll };
}

const signs = { same: ' ', added: '+', removed: '−', hunk: ' ', note: ' ' };

function Line({ row }: { row: DiffRow }) {
  return (
    <div class={`row ${row.kind}`}>
      <span class="number">{row.before ?? ''}</span>
      <span class="number">{row.after ?? ''}</span>
      <span class="sign">{signs[row.kind]}</span>
      <span class="text">{textOf(row)}</span>
    </div>
  );
}

function Cell({ row, side }: { row: DiffRow | null; side: 'before' | 'after' }) {
  if (!row) return <div class="row none" />;
  return (
    <div class={`row ${row.kind}`}>
      <span class="number">{row[side] ?? ''}</span>
      <span class="sign">{signs[row.kind]}</span>
      <span class="text">{textOf(row)}</span>
    </div>
  );
}
