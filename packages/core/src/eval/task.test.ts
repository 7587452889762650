import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readTasks } from './task.js';

const whole = {
  'instruction.md': 'Do it.\n',
  'environment/Dockerfile': 'FROM debian\n',
  'environment/data/in.txt': 'one\n',
  'environment/run': '#!/bin/sh\n',
  'tests/test.sh': 'exit 0\n',
  'tests/helper.py': 'print()\n',
  'solution/solve.sh': 'true\n',
};

function tasksWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-tasks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'one', path)), { recursive: true });
    writeFileSync(join(folder, 'one', path), text);
  }
  return folder;
}

it('a task in the layout of Terminal-Bench is read with its limits, whatever else its task.toml holds', async () => {
  const configuration = `schema_version = "1.1"
[task]
name = "somebody/one"
keywords = ["trivial"]
[metadata]
difficulty = "hard"
category = "programming"
[agent]
timeout_sec = 1200.5
[verifier]
timeout_sec = 60.0
env = { API_KEY = "x" }
[environment]
build_timeout_sec = 600.0
cpus = 2
memory_mb = 4096
docker_image = "debian"
[[steps]]
name = "later"
`;
  const [task] = await readTasks(tasksWith({ ...whole, 'task.toml': configuration }), []);
  expect(task).toMatchObject({
    name: 'one',
    instruction: 'Do it.\n',
    agentLimitMs: 1_200_500,
    testLimitMs: 60_000,
  });
  expect(task?.environment.map(({ path, mode }) => [path, mode])).toEqual([
    ['data/in.txt', 0o644],
    ['run', 0o755],
  ]);
  expect(task?.tests.map(({ path }) => path)).toEqual(['helper.py', 'test.sh']);
});

it('a task that names no limits, or impossible ones, gets the usual ones', async () => {
  const tasks = await readTasks(tasksWith({ ...whole, 'task.toml': '[agent]\ntimeout_sec = -5\n' }), []);
  expect(tasks).toMatchObject([{ agentLimitMs: 900_000, testLimitMs: 300_000 }]);
});

it.each([
  [{ ...whole, 'task.toml': '[agent\n' }, [], /one\/task\.toml can't be read: /],
  [{ 'task.toml': '', 'tests/test.sh': '' }, [], /one\/instruction\.md is missing or can't be read\.$/],
  [{ ...whole, 'task.toml': '' }, ['two'], /^There is no task two in /],
])('what is wrong with a folder of tasks is said: %#', async (files, only, sentence) => {
  await expect(readTasks(tasksWith(files), only)).rejects.toThrow(sentence);
});
