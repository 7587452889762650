import type { FileDiff } from '@toolwright/machine/base/content.js';

/** The display of a result: text that is shown as it is, or data that each front end draws in its own way. */
export type Display = string | DisplayData;

/** Plain JSON, so that a terminal, a web page and a later reader of the journal can draw the same. */
export type DisplayData = MarkdownDisplay | FileDiff | TableDisplay | FieldsDisplay;

/** A display that is Markdown. */
export interface MarkdownDisplay {
  kind: 'markdown';
  text: string;
}

/** Rows of values under headings. A column that holds numbers alone stands to the right. */
export interface TableDisplay {
  kind: 'table';
  title?: string | undefined;
  columns: readonly string[];
  /** Each row has one value for each column. */
  rows: readonly (readonly DisplayValue[])[];
  /** Rows that there are beyond these. */
  more?: number | undefined;
}

/** Names with a value each. */
export interface FieldsDisplay {
  kind: 'fields';
  title?: string | undefined;
  fields: readonly (readonly [name: string, value: DisplayValue])[];
  /** Fields that there are beyond these. */
  more?: number | undefined;
}

/** `null` stands for a value that there is none of. */
export type DisplayValue = string | number | boolean | null;

export function valueText(value: DisplayValue): string {
  return value === null ? '' : String(value);
}
