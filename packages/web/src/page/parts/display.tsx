import { useSignal } from '@preact/signals';
import type { Display, DisplayValue } from '@toolwright/core';
import type { ComponentChildren } from 'preact';
import { Diff } from './diff.js';
import { Markdown } from './markdown.js';
import { safeText } from './safe-text.js';

/** The result of a call, as its tool shows it. */
export function DisplayView({ display }: { display: Display }) {
  if (typeof display === 'string') return <Output text={display} label="Output" />;
  switch (display.kind) {
    case 'markdown':
      return <Markdown text={display.text} />;
    case 'diff':
      return <Diff diff={display} />;
    case 'table':
      return <Table title={display.title} columns={display.columns} rows={display.rows} />;
    case 'fields':
      return <Table title={display.title} columns={['Name', 'Value']} rows={display.fields} />;
  }
}

/** Text of a program or a file, never more than fits. */
export function Output({ text, label }: { text: string; label: string }) {
  if (text.trim() === '') return null;
  return (
    <pre class="output" tabIndex={0} role="group" aria-label={label}>
      {safeText(text)}
    </pre>
  );
}

interface FoldableProps {
  label: string;
  head: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}

/** A card whose head opens and closes the rest. */
export function Foldable({ label, head, class: kind = 'call', children }: FoldableProps) {
  const isOpen = useSignal(false);
  return (
    <article class={kind} aria-label={safeText(label)}>
      <button
        type="button"
        class="plain head"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {head}
      </button>
      {isOpen.value && <div class="opened">{children}</div>}
    </article>
  );
}

interface TableProps {
  title?: string | undefined;
  columns: readonly string[];
  rows: readonly (readonly DisplayValue[])[];
}

export function Table({ title, columns, rows }: TableProps) {
  const isNumber = columns.map((_, column) => rows.every((row) => typeof row[column] === 'number'));
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={safeText(title ?? columns.join(', '))}>
      <table>
        {title !== undefined && <caption>{safeText(title)}</caption>}
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th scope="col" class={isNumber[index] ? 'number' : ''}>
                {safeText(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((value, index) => (
                <td class={isNumber[index] ? 'number' : ''}>
                  {value === null ? '' : safeText(String(value))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
