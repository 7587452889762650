import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { isRemote, type RowDefaults, type TaskRow } from './check-row.js';
import { openRepositories, openTasks } from './read-tasks.js';
import type { TaskFault } from './source-row.js';

const folder = mkdtempSync(join(tmpdir(), 'toolwright-tasks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const defaults = { directory: '/work' };

interface Found {
  rows: TaskRow[];
  faults: TaskFault[];
}

async function readAll(path: string, given: RowDefaults, open = openTasks): Promise<Found> {
  const tasks = await open(path, given);
  try {
    const { count, faults } = await tasks.check();
    const rows: TaskRow[] = [];
    if (faults.length === 0) for await (const row of tasks.rows()) rows.push(row);
    if (faults.length === 0) expect(rows).toHaveLength(count);
    return { rows, faults };
  } finally {
    await tasks.close();
  }
}

const placesOf = ({ faults }: Found): string[] =>
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
      piece: { kind: 'command', name: 'review' },
      workspace: { kind: 'git', url: 'https://example.com/r.git', ref: 'main' },
      labels: [],
    },
  ];
  for (const path of [lines, yaml, csv])
    expect(await readAll(path, defaults)).toEqual({ rows: expected, faults: [] });
});

it('the reader of tasks tells every fault of a file at once, with line and column', async () => {
  const lines = file(
    'b.jsonl',
    '{"prompt": "a"}\n{"promt": "a"}\nnot json\n{"prompt": "a", "turns": -1, "labels": ["a b"]}\n{"prompt": "a", "tokens": 1.5}\n',
  );
  expect(placesOf(await readAll(lines, defaults))).toEqual([
    '2:1 prompt is missing',
    '2:2 promt is not known. Did you mean prompt?',
    expect.stringMatching(/^3:\d+ it is not JSON/),
    '4:17 turns must be a number above 0',
    '4:30 labels must be names of letters, digits, . _ and -',
    '5:17 tokens must be a whole number',
  ]);
  const yaml = file('b.yaml', '- prompt: a\n- folder: x\n  repo: https://example.com/r\n- 7\n');
  expect(placesOf(await readAll(yaml, defaults))).toEqual([
    '2:3 prompt is missing',
    '3:3 repo is given together with a folder; a task has only one of them',
    '4:3 expected an object',
  ]);
  const csv = file('b.csv', 'prompt,model\nfix,m,more\n"two\nlines",m\n,m\n');
  expect(placesOf(await readAll(csv, defaults))).toEqual([
    '2:7 the header line has 2 columns, this one has 3',
    '5:1 prompt is missing',
  ]);
  expect(placesOf(await readAll(file('c.csv', 'prompt\n"open\n'), defaults))).toEqual([
    '2:1 the quote is never closed',
  ]);
  expect(
    placesOf(await readAll(file('d.csv', 'promt,model,model,check\nfix,m,m,c\nfix,m,m,c\n'), defaults)),
  ).toEqual(['1:1 promt is not known. Did you mean prompt?', '1:13 model appears twice']);
  expect(placesOf(await readAll(file('e.csv', 'prompt,model\n"a" b,m\n'), defaults))).toEqual([
    '2:4 expected a comma or the end of the line',
  ]);
  expect(placesOf(await readAll(file('d.yaml', 'a: [\n'), defaults))[0]).toMatch(/^2:1 /);
});

it('the reader of tasks names the fields of a task where a field is like none of them', async () => {
  const { faults } = await readAll(file('id.jsonl', '{"id": "one", "prompt": "a"}\n'), defaults);
  expect(faults[0]?.message).toMatch(
    /^id is not known\. The fields of a task are prompt, .*folder, .*labels\.$/,
  );
});

it('the reader of tasks reads quotes, line breaks and empty cells of CSV', async () => {
  const path = file(
    'quotes.csv',
    '\uFEFFprompt,check\r\n"say ""hi"", please\r\nand go",\r\n\r\n ,\r\n"a,b",grep x\nlast,"" ',
  );
  const { rows, faults } = await readAll(path, { ...defaults, prompt: 'usual' });
  expect(placesOf({ rows, faults })).toEqual([
    '5:1 prompt is missing',
    '7:8 expected a comma or the end of the line',
  ]);
  expect(rows).toEqual([]);
  const whole = file('whole.csv', 'prompt,check\n"say ""hi""\r\nand go",\n,\n"a,b",grep x\nlast');
  expect(
    (await readAll(whole, { ...defaults, prompt: 'usual' })).rows.map(({ prompt, check }) => [prompt, check]),
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
  const { rows, faults } = await readAll(list, { ...defaults, prompt: 'update' }, openRepositories);
  expect(faults).toEqual([]);
  expect(rows.map(({ workspace }) => workspace)).toEqual([
    { kind: 'git', url: 'https://example.com/a.git', ref: 'v1' },
    { kind: 'git', url: 'git@example.com:b.git' },
    { kind: 'folder', path: '/srv/c' },
  ]);
});

it('the reader of tasks takes a folder with spaces whole, and refuses an address that it does not take', async () => {
  const folders = file('spaces.txt', '/srv/my services/a\n  b c  \n');
  const { rows } = await readAll(folders, { ...defaults, prompt: 'update' }, openRepositories);
  expect(rows.map(({ workspace }) => workspace)).toEqual([
    { kind: 'folder', path: '/srv/my services/a' },
    { kind: 'folder', path: '/work/b c' },
  ]);
  const list = file('addresses.txt', 'https://user:secret@example.com/r\n\nftp://example.com/r\n');
  const refused = await readAll(list, { ...defaults, prompt: 'update' }, openRepositories);
  const why =
    'repo must be an https:// or ssh:// address without a password, user@host:path, or an absolute path';
  expect(placesOf(refused)).toEqual([`1:1 ${why}`, `3:1 ${why}`]);
});

it.each([
  ['{"prompt":}', 11],
  ['{"prompt": tru}', 15],
  ['{"prompt": "a" "check": "b"}', 16],
  ['{"prompt": "a", "check": b}', 26],
  ['{"prompt": "a"', 15],
  ["{'prompt': 'a'}", 2],
  ['nope', 2],
])('the reader of tasks names the column where %s is not JSON', async (text, column) => {
  const { faults } = await readAll(file('column.jsonl', `${text}\n`), defaults);
  expect(faults).toEqual([{ line: 1, column, message: expect.stringMatching(/^it is not JSON: [^{]+$/) }]);
});

it('the reader of tasks tells one fault of a prompt that is no text', async () => {
  const found = await readAll(file('number.jsonl', '{"prompt": 5}\n{"prompt": null}\n'), defaults);
  expect(placesOf(found)).toEqual(['1:2 prompt must be a text', '2:2 prompt is missing']);
});

const longPrompt = 'word "of" a prompt,\n'.repeat(9_000);

it('the reader of tasks reads rows that lie across the pieces in which a file comes', async () => {
  const quoted = `"${longPrompt.replaceAll('"', '""')}"`;
  const csv = file('pieces.csv', `prompt,check\r\n${`${quoted},é\r\n`.repeat(5)}\r\nlast,x`);
  const lines = file('pieces.jsonl', `${JSON.stringify({ prompt: longPrompt, check: 'é' })}\n`.repeat(5));
  const expected = new Array(5).fill([longPrompt, 'é']);
  const read = async (path: string): Promise<unknown[]> =>
    (await readAll(path, defaults)).rows.map(({ prompt, check }) => [prompt, check]);
  expect(await read(csv)).toEqual([...expected, ['last', 'x']]);
  expect(await read(lines)).toEqual(expected);
  const bad = file('bad.csv', `prompt\n${`${quoted}\n`.repeat(3)}a,b\n`);
  expect(placesOf(await readAll(bad, defaults))).toEqual([
    '27005:3 the header line has 1 columns, this one has 2',
  ]);
});

it('the reader of tasks takes its own format, also written as text, and refuses others', async () => {
  const csv = file('format.csv', 'prompt,format\na,1\nb,\nc,2\nd,x\n');
  expect(placesOf(await readAll(csv, defaults))).toEqual([
    '4:3 format is 2, and this version knows 1',
    '5:3 format must be the number 1',
  ]);
});

it('the reader of tasks refuses rows and YAML files that are too long, and tells how many faults there are', async () => {
  const long = 'x'.repeat(1_100_000);
  const lines = file('long.jsonl', `{"prompt": "${long}"}\n{"prompt": "a"}\n7\n`);
  expect(placesOf(await readAll(lines, defaults))).toEqual([
    '1:1 the row is longer than 1 MB',
    '3:1 expected an object',
  ]);
  const wide = file('wide.jsonl', `{"prompt": "${'€'.repeat(300_000)}"}\n`);
  expect(placesOf(await readAll(wide, defaults))).toEqual(['1:1 the task is longer than 800 KB']);
  const csv = file('long.csv', `prompt\na\n"${long}\n`);
  expect(placesOf(await readAll(csv, defaults))).toEqual(['3:1 the row is longer than 1 MB']);
  const yaml = file('long.yaml', `- prompt: ${'x'.repeat(4_000_001)}\n`);
  expect(placesOf(await readAll(yaml, defaults))).toEqual([
    '1:1 a YAML file of tasks may have 4 MB at most. Write them as JSON lines or CSV, which may be of any size',
  ]);
  const tasks = await openTasks(file('many.jsonl', '7\n'.repeat(120)), defaults);
  const { faults, faultCount } = await tasks.check();
  expect([faults.length, faultCount]).toEqual([50, 120]);
  await tasks.close();
});

it('the reader of tasks throws where the file is changed after it was checked', async () => {
  const path = file('changed.jsonl', '{"prompt": "a"}\n');
  const tasks = await openTasks(path, defaults);
  expect(await tasks.check()).toEqual({ count: 1, faults: [], faultCount: 0 });
  appendFileSync(path, '{"prompt": "b"}\n');
  await expect(tasks.rows().next()).rejects.toThrow('The file of tasks was changed');
  await tasks.close();
});

it('the reader of tasks keeps what comes through a pipe in a file without a name', async () => {
  const pipe = join(folder, 'pipe.jsonl');
  execFileSync('mkfifo', [pipe]);
  const writing = writeFile(pipe, '{"prompt": "a"}\n{"prompt": "b"}\n');
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith('toolwright-tasks-'));
  const tasks = await openTasks(pipe, defaults);
  await writing;
  expect((await tasks.check()).count).toBe(2);
  const prompts: string[] = [];
  for await (const { prompt } of tasks.rows()) prompts.push(prompt);
  expect(prompts).toEqual(['a', 'b']);
  const after = readdirSync(tmpdir()).filter((name) => name.startsWith('toolwright-tasks-'));
  expect(after.filter((name) => !before.includes(name))).toEqual([]);
  await tasks.close();
});

it('the reader of tasks refuses what its user says, with the place of the row', async () => {
  const path = file('refused.jsonl', '{"prompt": "a"}\n\n{"prompt": "b"}\n');
  const refuse = ({ prompt }: TaskRow): string | null => (prompt === 'b' ? 'no b' : null);
  expect(placesOf(await readAll(path, { ...defaults, refuse }))).toEqual(['3:1 no b']);
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
