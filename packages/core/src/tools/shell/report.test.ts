import type { Ended } from '@toolwright/machine/host/processes/processes.js';
import { describe, expect, it } from 'vitest';
import { beginningAndEnd, type ReportInput, readOutput, reportOf } from './report.js';

const captured = (head: string, tail = '', omittedBytes = 0) => ({
  head,
  tail,
  omittedBytes,
  totalBytes: head.length + tail.length + omittedBytes,
  isBinary: false,
  encoding: 'utf-8' as const,
});

describe('the output of a command', () => {
  it('has a line in place of what was not kept, and both parts as plain text', () => {
    const output = captured('\x1b[1mfirst\x1b[0m\n10 %\r20 %\n', 'last\r\n\nmark 0\n', 2048);
    expect(readOutput(output, 'mark')).toEqual({
      output: 'first\n20 %\n\n[2 kB between were not kept]\nlast\n',
      statuses: [0],
    });
  });

  it('has the statuses of the pipeline taken out, wherever the parts meet', () => {
    expect(readOutput(captured('one\n\nmark 1', ' 0\n'), 'mark')).toEqual({
      output: 'one\n',
      statuses: [1, 0],
    });
  });
});

describe('what is told of a command', () => {
  const told = (
    stdout: Ended['stdout'],
    which: 'llmContent' | 'returnDisplay' = 'llmContent',
    notes: readonly string[] = [],
  ): string => {
    const ended = {
      exitCode: 0,
      signal: null,
      stopped: null,
      stdout,
      survivors: [],
      left: 0,
    } as unknown as Ended;
    const facts = { analysis: { background: false }, sandbox: { confined: true } };
    const call = { params: { command: 'x' }, facts } as unknown as ReportInput['call'];
    return reportOf({ ended, call, mark: 'mark', notes })[which] as string;
  };

  it('says in its end how much it printed in all where not all of it was kept', () => {
    expect(
      told(captured('a\n', 'b\n', 95 * 1024 * 1024))
        .split('\n')
        .slice(-3),
    ).toEqual(['b', '[exit code 0]', '[it printed 95 MB; 95 MB in the middle were not kept]']);
    expect(told(captured('a\n'))).toBe('a\n[exit code 0]');
  });

  it('reads for the user without the exit code of success and without advice to the model', () => {
    expect(told(captured('a\n'), 'returnDisplay')).toBe('a');
    const notes = ['it could not reach the network. If it must, call again with network: true'];
    expect(told(captured('a\n'), 'returnDisplay', notes)).toBe('a\n[it could not reach the network]');
    expect(told(captured('a\n'), 'llmContent', notes)).toBe(`a\n[exit code 0]\n[${notes[0]}]`);
  });
});

it('a command that was stopped at its time limit is said to have waited where it ended in a question', () => {
  const told = (output: string): string => {
    const stopped = { kind: 'timeout' };
    const ended = {
      stopped,
      exitCode: null,
      signal: 'SIGTERM',
      stdout: captured(output),
      survivors: [],
      left: 0,
    };
    const facts = { analysis: { background: false }, sandbox: { confined: true } };
    const call = { params: { command: 'read -p "Name? " n', timeout: 3_000 }, facts };
    return reportOf({ ended, call, mark: 'mark', notes: [] } as unknown as ReportInput).llmContent as string;
  };
  expect(told('Overwrite the file? [y/N] ')).toBe(
    'Overwrite the file? [y/N] \n[stopped at the time limit of 3 s, with everything it had started]\n[it asked "Overwrite the file? [y/N]" and nobody could answer: a command in the foreground has nothing to read. Run it with an option that answers (such as --yes), pipe the answer into it, or run it with is_background and answer with the tool jobs]',
  );
  expect(told('12 %\n')).toContain('The same command would hit the same limit');
});

describe('the beginning and the end', () => {
  it('of a short output are the whole output', () => {
    const little = captured('abcd', 'efgh');
    expect(beginningAndEnd(little, 4)).toBe(little);
  });

  it.each([
    ['one part', captured('a'.repeat(10) + 'é'.repeat(90)), 'aaaa', 'éééé', 6 + 86 * 2],
    ['two parts', captured('a'.repeat(10), 'b'.repeat(10), 5), 'aaaa', 'bbbb', 5 + 12],
    ['a short end', captured('a'.repeat(10), 'b', 5), 'aaaa', 'aaab', 5 + 3],
  ])('of %s leave out the middle and count it', (_, output, head, tail, omittedBytes) => {
    expect(beginningAndEnd(output, 4)).toMatchObject({ head, tail, omittedBytes });
  });
});
