import { expect, it } from 'vitest';
import type { Display } from './display.js';
import { displayAsMarkdown } from './display-as-markdown.js';

const file = { path: 'a.txt', change: 'modify' as const, unified: '-a\n+b', added: 1, removed: 1 };

it.each<[string, Display, string]>([
  ['text', 'as it is', 'as it is'],
  ['Markdown', { kind: 'markdown', text: '**x**' }, '**x**'],
  ['a diff', { kind: 'diff', files: [file] }, '-a\n+b'],
  [
    'a table',
    {
      kind: 'table',
      title: 'Sizes',
      columns: ['name', 'size'],
      rows: [
        ['a|b\nc', 1],
        [null, true],
      ],
      more: 1,
    },
    '**Sizes**\n\n| name | size |\n| --- | --- |\n| a\\|b c | 1 |\n|  | true |\n\n… 1 more row',
  ],
  [
    'fields',
    {
      kind: 'fields',
      fields: [
        ['Host', 'a.example'],
        ['Port\n# 1', 22],
      ],
      more: 2,
    },
    '- Host: a.example\n- Port # 1: 22\n\n… 2 more fields',
  ],
])('%s is written as Markdown', (_what, display, text) => {
  expect(displayAsMarkdown(display)).toBe(text);
});
