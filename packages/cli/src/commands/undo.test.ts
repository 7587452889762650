import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { describeChanges } from '../actions/undo-list.js';
import { putBackSignals } from './fixtures/put-back-signals.js';
import { run as memory } from './memory.js';
import { run as tools } from './tools/tools.js';
import { run as undo } from './undo.js';

putBackSignals();
let base: string;

beforeEach(() => {
  base = tempFolder();
  mkdirSync(join(base, 'work'));
  vi.stubEnv('TOOLWRIGHT_HOME', join(base, 'state'));
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const file = (name: string) => join(base, 'work', name);
const read = (name: string) => readFileSync(file(name), 'utf8');

async function outputOf(
  command: (args: string[]) => Promise<number>,
  args: string[],
  code = 0,
): Promise<string> {
  let output = '';
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      output += String(text);
      return true;
    }),
  );
  try {
    expect(await command([...args, '--workspace', join(base, 'work')])).toBe(code);
    return output;
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const write = (name: string, content: string) =>
  outputOf(tools, ['run', 'write_file', '-y', '--args', JSON.stringify({ file_path: name, content })]);

const ids = async (): Promise<string[]> =>
  JSON.parse(await outputOf(undo, ['--list', '--json'])).map(
    (each: { changeSet: { id: string } }) => each.changeSet.id,
  );

describe('undo --list', () => {
  test('says for each change what made it and which files it touched, newest first', async () => {
    await write('one.txt', '1\n');
    await write('dir/two.txt', '2\n');
    await outputOf(undo, []);
    const [latest, second, first] = await ids();
    const stamp = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g;
    expect((await outputOf(undo, ['--list'])).replace(stamp, 'TIME')).toBe(
      `${latest}  TIME  undo of ${second}: 1 file and 1 folder deleted\n    dir/two.txt\n` +
        `${second}  TIME  write_file: 1 file and 1 folder created (undone)\n    dir/two.txt\n` +
        `${first}  TIME  write_file: 1 file created\n    one.txt\n`,
    );
  });

  test('names a fact that was forgotten as what it is', async () => {
    writeFileSync(file('AGENTS.md'), '## Facts to remember\n\n- Use tabs\n');
    await outputOf(memory, ['forget', '1']);
    expect(await outputOf(undo, ['--list'])).toMatch(/ {2}memory forget: 1 file changed\n {4}AGENTS\.md\n$/);
  });

  test('shows the command of a shell call on one line, and how many files there are more', () => {
    const changes = Array.from({ length: 7 }, (_, number) => ({
      kind: 'delete' as const,
      path: `/w/${number}`,
      before: { hash: 'h', size: 1 },
    }));
    const change = {
      changeSet: { v: 1 as const, id: 'id1', changes, directories: [], removedDirectories: [] },
      sessionId: 's',
      at: '2030-01-02T03:04:05.678Z',
      call: { callId: 'c', tool: 'run_shell_command', command: 'rm -rf src\u001b[2K\necho done' },
    };
    expect(describeChanges([change], (path) => path.slice(3))).toBe(
      'id1  2030-01-02 03:04:05  run_shell_command: 7 files deleted\n    $ rm -rf src\u241b[2K …\n    0, 1, 2, 3, 4 and 2 more',
    );
  });

  test('names a command that the user typed as theirs', () => {
    const change = {
      changeSet: {
        v: 1 as const,
        id: 'id1',
        changes: [],
        directories: [{ path: '/w/a' }],
        removedDirectories: [],
      },
      sessionId: 's',
      at: '2030-01-02T03:04:05.678Z',
      call: { callId: 'c', tool: 'run_shell_command', command: 'mkdir a', isOwn: true as const },
    };
    expect(describeChanges([change], (path) => path.slice(3))).toMatch(
      / {2}your own command: 1 folder created\n/,
    );
  });

  test('says when there is nothing', async () => {
    expect(await outputOf(undo, ['--list'])).toBe('No changes have been made in this workspace.\n');
  });
});

describe('undo', () => {
  test('goes back to a point, and says when nothing came after it', async () => {
    for (const content of ['one\n', 'two\n', 'three\n']) await write('a.txt', content);
    const first = (await ids()).at(-1)!;
    await outputOf(undo, ['--to', first]);
    expect(read('a.txt')).toBe('one\n');
    expect(await outputOf(undo, ['--to', first])).toBe('Nothing was changed after that.\n');
  });

  test('refuses what others changed since, and shows it', async () => {
    await write('a.txt', 'one\n');
    writeFileSync(file('a.txt'), 'one\nby hand\n');
    const output = await outputOf(undo, [], 1);
    expect(output).toContain('Changed since: a.txt.');
    expect(output).toContain('+by hand\n');
    expect(read('a.txt')).toBe('one\nby hand\n');
  });
});
