import { signal, useSignal } from '@preact/signals';
import type { FileDiff, FileDiffEntry } from '@toolwright/core';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { rowsOf } from './diff-rows.js';
import { DiffSheet } from './diff-sheet.js';
import { loadColours } from './row-decoration.js';
import { safeText } from './safe-text.js';

/** The choice counts for all diffs of the page. */
const isSideBySide = signal(localStorage.getItem('toolwright-diff') === 'sides');

/** Two columns need room. */
const room = matchMedia('(min-width: 44rem)');
const isWide = signal(room.matches);
room.addEventListener('change', ({ matches }) => (isWide.value = matches));

export function DiffChoice() {
  if (!isWide.value) return null;
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
      {isOpen.value && rows.length > 0 && (
        <DiffSheet rows={rows} name={name} isSideBySide={isSideBySide.value && isWide.value} />
      )}
    </article>
  );
}
