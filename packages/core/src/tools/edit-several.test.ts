import { textOf } from '@toolwright/machine/base/content.js';
import { describe, expect, test } from 'vitest';
import type { EditParams } from './edit.js';
import { openTextTools, type TextTools } from './text-change/fixtures/text-tools.js';

const never = new AbortController().signal;
type Edits = NonNullable<EditParams['edits']>;

async function runEdits({ edit }: TextTools, file_path: string, edits: Edits, more: object = {}) {
  const { llmContent, error } = await edit.execute({ file_path, edits, ...more }, never);
  return error ? `${error.code}: ${error.message}` : textOf(llmContent);
}

const lines = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n';

describe('several edits in one call', () => {
  test('are made one after the other, each in the text that the others leave', async () => {
    const tools = openTextTools({ 'a.txt': lines });
    const told = await runEdits(tools, 'a.txt', [
      { old_string: 'two', new_string: 'TWO' },
      { old_string: 'TWO\nthree', new_string: 'both' },
      { old_string: 'eleven', new_string: 'ELEVEN' },
    ]);
    expect(told).toMatch(/^Edited a\.txt: 2 replacements at lines 2, 10\.\nLines 1-5 now:\none\nboth\nfour/);
    expect(tools.read('a.txt')).toBe(lines.replace('two\nthree', 'both').replace('eleven', 'ELEVEN'));
    expect(tools.recorded).toHaveLength(1);
  });

  test('change nothing when one of them is not found, and the answer names it', async () => {
    const tools = openTextTools({ 'a.txt': lines });
    const told = await runEdits(tools, 'a.txt', [
      { old_string: 'two', new_string: 'TWO' },
      { old_string: 'fourteen', new_string: 'x' },
    ]);
    expect(told).toMatch(
      /^not_found: Edit 2 of 2: old_string was not found in a\.txt.*None of the edits was made\.$/s,
    );
    expect(tools.read('a.txt')).toBe(lines);
    expect(tools.recorded).toEqual([]);
  });

  test('change nothing when one of them stands in several places', async () => {
    const tools = openTextTools({ 'a.txt': 'a\nb\na\n' });
    const told = await runEdits(tools, 'a.txt', [
      { old_string: 'b', new_string: 'B' },
      { old_string: 'a', new_string: 'A' },
    ]);
    expect(told).toMatch(/^invalid_params: Edit 2 of 2: old_string matches 2 places/);
    expect(
      await runEdits(tools, 'a.txt', [
        { old_string: 'b', new_string: 'B' },
        { old_string: 'a', new_string: 'A', replace_all: true },
      ]),
    ).toContain('3 replacements');
    expect(tools.read('a.txt')).toBe('A\nB\nA\n');
  });

  test('keep every byte outside of them: encoding, line endings, byte order mark', async () => {
    const latin = Buffer.from('caf\xe9\r\ntwo\r\nna\xefve\nlast', 'latin1');
    const tools = openTextTools({ 'a.txt': latin });
    await runEdits(tools, 'a.txt', [
      { old_string: 'two', new_string: 'deux\ntrois' },
      { old_string: 'last', new_string: 'fin' },
    ]);
    expect(Buffer.from(tools.readBytes('a.txt')).toString('latin1')).toBe(
      'caf\xe9\r\ndeux\r\ntrois\r\nna\xefve\nfin',
    );
  });

  test('tell which of them were there already', async () => {
    const tools = openTextTools({ 'a.txt': lines });
    const edits = [
      { old_string: 'two', new_string: 'TWO' },
      { old_string: 'five', new_string: 'FIVE' },
    ];
    await runEdits(tools, 'a.txt', edits.slice(0, 1));
    expect(await runEdits(tools, 'a.txt', edits)).toMatch(
      /Edit 1: old_string is not in a\.txt.*has been made before/,
    );
    expect(tools.read('a.txt')).toBe(lines.replace('two', 'TWO').replace('five', 'FIVE'));
  });

  test('are brought together with what somebody else changed meanwhile', async () => {
    const tools = openTextTools({ 'a.txt': lines });
    let raced = false;
    tools.beforeCommit = () => {
      if (!raced) tools.write('a.txt', lines.replace('seven', 'SEVEN'));
      raced = true;
    };
    await runEdits(tools, 'a.txt', [
      { old_string: 'two', new_string: 'TWO' },
      { old_string: 'eleven', new_string: 'ELEVEN' },
    ]);
    expect(tools.read('a.txt')).toBe(
      lines.replace('two', 'TWO').replace('seven', 'SEVEN').replace('eleven', 'ELEVEN'),
    );
  });

  test('need a text each, and no second way to say it', () => {
    const { edit } = openTextTools({});
    const problem = (params: object) =>
      edit.validateToolParams({ file_path: 'a.txt', ...params } as EditParams);
    expect(problem({})).toBe(
      'old_string is missing. Send old_string and new_string, or edits for several places.',
    );
    expect(problem({ old_string: 'a' })).toMatch(/^new_string is missing/);
    expect(problem({ edits: [] })).toBe('edits is empty. Send at least one edit.');
    expect(problem({ edits: [{ old_string: 'a', new_string: 'b' }], old_string: 'c', new_string: '' })).toBe(
      'Send either old_string and new_string, or edits, not both.',
    );
    expect(problem({ edits: [{ old_string: 'a', new_string: 'a' }] })).toMatch(/^edits\[0\]: .*same text/);
    const created = [{ old_string: '', new_string: 'b' }];
    expect(problem({ edits: created })).toBeNull();
    expect(problem({ edits: [...created, { old_string: 'a', new_string: 'b' }] })).toMatch(
      /^edits\[0\]: old_string is empty, which creates a file/,
    );
  });

  test('are described by their number', () => {
    const { edit } = openTextTools({});
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'c', new_string: 'd' },
    ];
    expect(edit.getDescription({ file_path: 'a.txt', edits })).toBe('Edit a.txt: 2 replacements');
    expect(edit.getDescription({ file_path: 'a.txt', edits: edits.slice(0, 1) })).toBe(
      'Edit a.txt: "a" becomes "b"',
    );
  });
});
