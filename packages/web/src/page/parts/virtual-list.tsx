import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface VirtualListProps<Item> {
  items: readonly Item[];
  /** The same for an item however often the list changes. */
  keyOf(item: Item, index: number): string;
  estimate(item: Item): number;
  draw(item: Item, index: number): ComponentChildren;
  /** Scrolled into sight when it changes. */
  target?: number | undefined;
  label: string;
}

const BEYOND = 800;

/** A long list of items of any height: only those near the window are in the document. */
export function VirtualList<Item>({ items, keyOf, estimate, draw, target, label }: VirtualListProps<Item>) {
  const box = useRef<HTMLOListElement>(null);
  const view = useView(box);
  const heights = useHeights(box);
  const heightAt = (index: number): number =>
    heights.get(keyOf(items[index]!, index)) ?? estimate(items[index]!);
  const { first, last, above, below } = itemsInView(items.length, heightAt, view);
  useLayoutEffect(() => {
    if (target === undefined || target < 0) return;
    let top = 0;
    for (let index = 0; index < target && index < items.length; index++) top += heightAt(index);
    const place = (box.current?.getBoundingClientRect().top ?? 0) + scrollY + top;
    scrollTo({ top: Math.max(0, place - 120) });
  }, [target]);
  return (
    <ol class="virtual" ref={box} aria-label={label}>
      <li class="space" aria-hidden="true" style={{ height: `${above}px` }} />
      {items.slice(first, last).map((item, offset) => (
        <li
          key={keyOf(item, first + offset)}
          data-key={keyOf(item, first + offset)}
          aria-setsize={items.length}
          aria-posinset={first + offset + 1}
        >
          {draw(item, first + offset)}
        </li>
      ))}
      <li class="space" aria-hidden="true" style={{ height: `${below}px` }} />
    </ol>
  );
}

type List = { readonly current: HTMLElement | null };

interface Extent {
  top: number;
  bottom: number;
}

/** The window and its surroundings, measured from the top of the list. */
function useView(list: List): Extent {
  const [view, setView] = useState({ top: 0, bottom: 2_000 });
  useLayoutEffect(() => {
    const look = (): void => {
      const top = -(list.current?.getBoundingClientRect().top ?? 0);
      const next = { top: top - BEYOND, bottom: top + innerHeight + BEYOND };
      setView((old) =>
        Math.abs(old.top - next.top) < 200 && Math.abs(old.bottom - next.bottom) < 200 ? old : next,
      );
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, []);
  return view;
}

/** The heights of the items drawn so far, by their keys; the list is drawn anew when one has changed. */
function useHeights(list: List): ReadonlyMap<string, number> {
  const heights = useRef(new Map<string, number>()).current;
  const [, redraw] = useState(0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver((entries) => {
      let hasChanged = false;
      for (const { target: element, borderBoxSize } of entries) {
        const key = (element as HTMLElement).dataset['key'] ?? '';
        const height = borderBoxSize[0]?.blockSize ?? 0;
        if (height > 0 && heights.get(key) !== height) {
          heights.set(key, height);
          hasChanged = true;
        }
      }
      if (hasChanged) redraw((count) => count + 1);
    });
    for (const element of list.current?.children ?? [])
      if ((element as HTMLElement).dataset['key'] !== undefined) observer.observe(element);
    return () => observer.disconnect();
  });
  return heights;
}

/** The first item that is drawn, the one after the last, and the room of those before and after them. */
function itemsInView(count: number, heightAt: (index: number) => number, view: Extent) {
  let first = 0;
  let above = 0;
  while (first < count && above + heightAt(first) < view.top) above += heightAt(first++);
  let last = first;
  let reached = above;
  while (last < count && reached < view.bottom) reached += heightAt(last++);
  let below = 0;
  for (let index = last; index < count; index++) below += heightAt(index);
  return { first, last, above, below };
}
