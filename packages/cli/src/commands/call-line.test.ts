import { expect, it } from 'vitest';
import { tooLong } from '../base/read-stdin.js';
import { callOfLine } from './call-line.js';

it('a line of a batch is a call, with whatever else stands in it', () => {
  expect(callOfLine('{"name": "edit", "args": {"a": 1}, "permissions": {"deny": []}}')).toEqual({
    call: { id: '', name: 'edit', arguments: { a: 1 } },
    fields: { name: 'edit', args: { a: 1 }, permissions: { deny: [] } },
  });
  expect(callOfLine('{"name": "edit"}')).toEqual({
    call: { id: '', name: 'edit', arguments: {} },
    fields: { name: 'edit' },
  });
});

it.each(['', 'x', '[]', '"a"', '{}', '{"name": null}'])(
  '%j has a problem that says how to write it',
  (line) => {
    expect(callOfLine(line)).toEqual({
      problem: expect.stringMatching(/Write \{"name": "…", "args": \{…\}\}\.$/),
    });
  },
);

it('a line without an end has a problem too', () => {
  expect(callOfLine(tooLong)).toEqual({
    problem: 'This line is larger than 64 MB. Send less in one call.',
  });
});
