import { expect, test } from 'vitest';
import { toMarkdown } from './export.js';
import type { SavedEntry } from './journal.js';

const at = { v: 1 as const, at: '2026-01-31T12:00:00.000Z' };

test('a session as Markdown has every call with what was asked and answered, interrupted ones too', () => {
  const start = (callId: string, command: string): SavedEntry => ({
    ...at,
    type: 'call-start',
    callId,
    tool: 'run_shell_command',
    args: { command },
    effects: null,
  });
  const table = { kind: 'table' as const, columns: ['n'], rows: [[1]] };
  const entries: SavedEntry[] = [
    { ...at, type: 'message', message: { role: 'user', parts: [{ text: 'Do it.' }] } },
    start('1', 'echo ```'),
    { ...at, type: 'call-end', callId: '1', tool: 'run_shell_command', response: {}, display: 'hi\n' },
    { ...at, type: 'call-end', callId: '3', tool: 'sizes', response: {}, display: table },
    start('2', 'x'.repeat(600)),
  ];
  expect(toMarkdown(entries)).toBe(
    [
      '## You',
      'Do it.',
      '### run_shell_command',
      '````\n{"command":"echo ```"}\n````',
      '```\nhi\n```',
      '### sizes',
      '| n |\n| --- |\n| 1 |',
      '### run_shell_command was interrupted',
      `\`\`\`\n{"command":"${'x'.repeat(488)}…\n\`\`\`\n`,
    ].join('\n\n'),
  );
});
