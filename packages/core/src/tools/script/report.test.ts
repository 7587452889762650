import { expect, it } from 'vitest';
import { resultOf } from './report.js';

it('a script that throws is shown with what went wrong first, once, then its calls and its text', () => {
  const { returnDisplay, error } = resultOf(
    'await tools.glob({});\nthrow 1;',
    {
      ending: { kind: 'threw', message: 'Error: no such luck\n    at script.js:2:1' },
      printed: 'so far\n',
      calls: [{ description: 'Find files' }, { description: 'Read a', failure: 'no such file' }],
      made: [],
      changes: null,
      left: [],
    },
    null,
  );
  expect(returnDisplay).toBe(
    [
      error?.message,
      '2 calls, 1 of them failed:\n- Find files\n- Read a: failed: no such file',
      '    await tools.glob({});\n    throw 1;',
    ].join('\n'),
  );
  expect(error?.message).toMatch(
    /^The script threw Error: no such luck\n.*\nIt had printed:\nso far\n\[2 calls/,
  );
});
