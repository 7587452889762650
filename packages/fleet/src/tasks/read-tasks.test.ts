import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { isRemote } from './check-row.js';
import { readRepositories, readTasks } from './read-tasks.js';

const folder = mkdtempSync(join(tmpdir(), 'toolwright-tasks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const defaults = { directory: '/work' };
const placesOf = ({ faults }: Awaited<ReturnType<typeof readTasks>>): string[] =>
  faults.map(({ line, column, message }) => `${line}:${column} ${message}`);

it('the reader of tasks reads the same tasks from JSON lines, YAML and CSV', async () => {
  const lines = file(
    'a.jsonl',
    '{"prompt": "fix, it", "folder": "x", "labels": ["slow"], "budget": {"turns": 3}}\n\n{"command": "review", "arguments": "all", "repo": "https://example.com/r.git", "ref": "main"}\n',
  );
  const yaml = file(
    'a.yaml',
    '- prompt: fix, it\n  folder: x\n  labels: [slow]\n  budget: { turns: 3 }\n- command: review\n  arguments: all\n  repo: https://example.com/r.git\n  ref: main\n',
  );
  const csv = file(
    'a.csv',
    'prompt,folder,labels,turns,command,arguments,repo,ref\r\n"fix, it",x,slow,3,,,,\r\n,,,,review,all,https://example.com/r.git,main\r\n',
  );
  const expected = [
    {
      format: 1,
      prompt: 'fix, it',
      workspace: { kind: 'folder', path: '/work/x' },
      labels: ['slow'],
      budget: { turns: 3 },
    },
    {
      format: 1,
      prompt: '/review all',
      workspace: { kind: 'git', url: 'https://example.com/r.git', ref: 'main' },
      labels: [],
    },
  ];
  for (const path of [lines, yaml, csv])
    expect(await readTasks(path, defaults)).toEqual({ rows: expected, faults: [] });
});

it('the reader of tasks tells every fault of a file at once, with line and column', async () => {
  const lines = file(
    'b.jsonl',
    '{"prompt": "a"}\n{"promt": "a"}\nnot json\n{"prompt": "a", "turns": -1, "labels": ["a b"]}\n',
  );
  expect(placesOf(await readTasks(lines, defaults))).toEqual([
    '2:1 prompt is missing',
    '2:2 promt is not known. Did you mean prompt?',
    expect.stringMatching(/^3:\d+ it is not JSON/),
    '4:17 turns must be a number above 0',
    '4:30 labels must be names of letters, digits, . _ and -',
  ]);
  const yaml = file('b.yaml', '- prompt: a\n- folder: x\n  repo: https://example.com/r\n- 7\n');
  expect(placesOf(await readTasks(yaml, defaults))).toEqual([
    '2:3 prompt is missing',
    '3:3 repo give a folder or a repo, not both',
    '4:3 expected an object',
  ]);
  const csv = file('b.csv', 'prompt,model\nfix,m,more\n"two\nlines",m\n,m\n');
  expect(placesOf(await readTasks(csv, defaults))).toEqual([
    '2:7 the head line has 2 columns, this one has 3',
    '5:1 prompt is missing',
  ]);
  expect(placesOf(await readTasks(file('c.csv', 'prompt\n"open\n'), defaults))).toEqual([
    '2:1 the quote is never closed',
  ]);
  expect(
    placesOf(await readTasks(file('d.csv', 'promt,model,model,check\nfix,m,m,c\nfix,m,m,c\n'), defaults)),
  ).toEqual(['1:1 promt is not known. Did you mean prompt?', '1:13 model is there twice']);
  expect(placesOf(await readTasks(file('e.csv', 'prompt,model\n"a" b,m\n'), defaults))).toEqual([
    '2:4 expected a comma or the end of the line',
  ]);
  expect(placesOf(await readTasks(file('d.yaml', 'a: [\n'), defaults))[0]).toMatch(/^2:1 /);
});

it('the reader of tasks reads quotes, line breaks and empty cells of CSV', async () => {
  const path = file(
    'quotes.csv',
    '\uFEFFprompt,check\r\n"say ""hi"", please\r\nand go",\r\n\r\n ,\r\n"a,b",grep x\nlast,"" ',
  );
  const { rows, faults } = await readTasks(path, { ...defaults, prompt: 'usual' });
  expect(faults).toEqual([{ line: 7, column: 8, message: 'expected a comma or the end of the line' }]);
  expect(rows).toEqual([]);
  const whole = file('whole.csv', 'prompt,check\n"say ""hi""\r\nand go",\n,\n"a,b",grep x\nlast');
  expect(
    (await readTasks(whole, { ...defaults, prompt: 'usual' })).rows.map(({ prompt, check }) => [
      prompt,
      check,
    ]),
  ).toEqual([
    ['say "hi"\r\nand go', undefined],
    ['usual', undefined],
    ['a,b', 'grep x'],
    ['last', undefined],
  ]);
});

it('the reader of tasks makes a task of each line of a list of repositories', async () => {
  const list = file(
    'list.txt',
    '# services\nhttps://example.com/a.git v1\n\ngit@example.com:b.git\n/srv/c\n',
  );
  const { rows, faults } = await readRepositories(list, { ...defaults, prompt: 'update' });
  expect(faults).toEqual([]);
  expect(rows.map(({ workspace }) => workspace)).toEqual([
    { kind: 'git', url: 'https://example.com/a.git', ref: 'v1' },
    { kind: 'git', url: 'git@example.com:b.git' },
    { kind: 'folder', path: '/srv/c' },
  ]);
});

it.each([
  ['https://example.com/r.git', true],
  ['ssh://git@example.com/r.git', true],
  ['git@example.com:team/r.git', true],
  ['http://example.com/r.git', false],
  ['git://example.com/r.git', false],
  ['file:///etc', false],
  ['ext::sh -c touch% /tmp/x', false],
  ['https://user:secret@example.com/r.git', false],
  ['--upload-pack=touch x', false],
  ['-oProxyCommand=x@y:z', false],
])('the reader of tasks takes %s as a repository: %s', (url, expected) => {
  expect(isRemote(url)).toBe(expected);
});
