import { expect, it } from 'vitest';
import { safe } from '../../../app/safe-text.js';
import type { FinishedCall } from '../../../app/state.js';
import { textOfLine } from '../line.js';
import { renderLooks } from './looks.js';

const call = (description: string, line: string): FinishedCall => ({
  description: safe(description),
  end: { lines: [safe(line)], more: 0, last: [], failed: false },
});

it('several calls that look at something are one line, each verb said once', () => {
  const calls = [
    call('Read a.ts', 'Read a.ts: 12 lines'),
    call('Read b.ts', 'Read b.ts: 1 line'),
    call('Search for x', 'Found 2 matches in 1 file.'),
    call('Read 2 files', 'Read 2 files (26 bytes)'),
    call('Read c.ts, 2000 lines', 'Read c.ts: lines 1-1,750 of 2,000'),
    call('Find files that match *.ts', 'Found 5 files (newest first)'),
    call('Count words', 'about as many words as stand in this line, and none is left out'),
  ];
  const appearance = { color: false, unicode: true, linear: false };
  expect(renderLooks(calls, 400, appearance).map(textOfLine)).toEqual([
    '● Read a.ts (12 lines), b.ts (1 line); Search for x (2 matches in 1 file); Read 2 files (2 files, 26 bytes), c.ts, 2000 lines (lines 1-1,750 of 2,000); Find files that match *.ts (5 files); Count words (about as many words as stand in this line, and none is left out)',
  ]);
});
