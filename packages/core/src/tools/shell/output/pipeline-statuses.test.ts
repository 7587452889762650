import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createWithoutStatusLine, takeStatuses, withStatusLine } from './pipeline-statuses.js';

const mark = 'mark-4711';

function run(command: string) {
  const { stderr, stdout, status } = spawnSync('bash', ['-c', withStatusLine(command, mark)], {
    encoding: 'utf8',
  });
  return { ...takeStatuses(stdout + stderr, mark), status };
}

it.each([
  ['true', 0, [0]],
  ['false | true', 0, [1, 0]],
  ['(exit 3) | (exit 4) | cat', 0, [3, 4, 0]],
  ['cat /dev/null | (exit 7)', 7, [0, 7]],
  ['exit 4', 4, [0]],
  ['f() { return 9; }; f | cat', 0, [9, 0]],
])('%s ends with %i, and its members with %j', (command, status, statuses) => {
  expect(run(command)).toEqual({ output: '', status, statuses });
});

it('the report of a pipeline says nothing where bash was replaced by another program', () => {
  expect(run('exec true')).toEqual({ output: '', status: 0, statuses: null });
});

it('the report of a pipeline leaves what the command prints as it is, also without a last line end', () => {
  expect(run('printf "a\\n\\nb"; printf c >&2').output).toBe('a\n\nbc');
});

it('the report of a pipeline leaves the lines of a command their numbers', () => {
  expect(run('echo $LINENO\n\necho $LINENO').output).toBe('1\n3\n');
  expect(run('echo\nif then')).toMatchObject({ output: expect.stringContaining('line 2: '), status: 2 });
});

it('the report of a pipeline is not in what bash says of a command that it can not read', () => {
  expect(run('ls )').output).toBe(
    "bash: -c: line 1: syntax error near unexpected token `)'\nbash: -c: line 1: `ls )'\n",
  );
});

it.each(['cat <<end\nhere\nend', '# nothing\necho here', '\n\necho here', '{ echo here\n}'])(
  'a command may begin with anything: %j',
  (command) => {
    expect(run(command)).toEqual({ output: 'here\n', status: 0, statuses: [0] });
  },
);

it('the report of a pipeline is not taken in by a command that prints the line itself', () => {
  const forged = `printf '\\n%s 0 0\\n' ${mark} >&2`;
  expect(run(`${forged}; false | true`)).toEqual({ output: `\n${mark} 0 0\n`, status: 0, statuses: [1, 0] });
  expect(takeStatuses(`\n${mark} x\n${mark} y`, mark)).toEqual({
    output: `\n${mark} x\n${mark} y`,
    statuses: null,
  });
});

it('the report of a pipeline lets a command have a trap of its own', () => {
  expect(run('trap "echo bye" EXIT')).toEqual({ output: 'bye\n', status: 0, statuses: null });
});

it('the report of a pipeline takes the line out of text in pieces, wherever it is cut', () => {
  const whole = `first\nsecond\n${mark} 1 0\nlast`;
  fc.assert(
    fc.property(fc.array(fc.nat(whole.length)), (cuts) => {
      const strip = createWithoutStatusLine(mark);
      const borders = [0, ...cuts.sort((a, b) => a - b), whole.length];
      const pieces = borders.slice(1).map((end, index) => strip(whole.slice(borders[index], end)));
      expect(pieces.join('')).toBe('first\nsecondlast');
    }),
  );
});
