import {
  type Display,
  type DisplayValue,
  type FieldsDisplay,
  type TableDisplay,
  valueText,
} from './display.js';

/** A display as Markdown, for files and for front ends that draw nothing. */
export function displayAsMarkdown(display: Display): string {
  if (typeof display === 'string') return display;
  switch (display.kind) {
    case 'markdown':
      return display.text;
    case 'diff':
      return display.files.map(({ unified }) => unified).join('\n');
    case 'table':
      return tableText(display);
    case 'fields':
      return fieldsText(display);
  }
}

function tableText({ title, columns, rows, more }: TableDisplay): string {
  const lines = [columns, columns.map(() => '---'), ...rows].map(
    (row) => `| ${row.map(cellText).join(' | ')} |`,
  );
  return [...titleLines(title), ...lines, ...moreLines(more, 'row')].join('\n');
}

function fieldsText({ title, fields, more }: FieldsDisplay): string {
  const lines = fields.map(([name, value]) => `- ${flat(name)}: ${flat(valueText(value))}`);
  return [...titleLines(title), ...lines, ...moreLines(more, 'field')].join('\n');
}

function titleLines(title: string | undefined): string[] {
  return title ? [`**${flat(title)}**`, ''] : [];
}

function moreLines(more: number | undefined, what: string): string[] {
  return more ? ['', `… ${more} more ${more === 1 ? what : `${what}s`}`] : [];
}

function cellText(value: DisplayValue): string {
  return flat(valueText(value)).replaceAll('|', '\\|');
}

function flat(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ');
}
