import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const packages = fileURLToPath(new URL('../../../', import.meta.url));

/** The files that may call the file system. Everything else asks `Host.files` or another door of the host. */
const doors = [
  'machine/src/host/',
  'machine/src/testing/',
  'core/src/testing/',
  'doctor/src/sandbox/',
  // Standard input and output are descriptors, and no files of the workspace.
  'cli/src/base/read-stdin.ts',
  'cli/src/base/standard-output.ts',
  // A fleet works outside of any session: its queue, its clones, its tasks and results, and the places that its flags name.
  'cli/src/commands/eval/carry-by-fleet.ts',
  'cli/src/commands/fleet/open-fleet.ts',
  'cli/src/commands/fleet/table.ts',
  'fleet/src/engine/',
  'fleet/src/results/',
  'fleet/src/tasks/read-tasks.ts',
  'fleet/src/worker/clones.ts',
  'fleet/src/worker/run-task.ts',
  // The files of the page itself, and how much the state folder holds.
  'web/src/server/http/page-files.ts',
  'web/src/server/views/machine.ts',
];

/** `node:fs`, `fs`, `node:fs/promises`, `fs/promises`: imported, re-exported, required, or fetched from the process. */
const fileSystem =
  /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*|\bgetBuiltinModule\s*\(\s*|\bbinding\s*\(\s*)(['"`])(?:node:)?fs(?:\/promises)?\1/;

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => /\.[cm]?[jt]sx?$/.test(path) && !/\.test\.ts$|[\\/]fixtures[\\/]/.test(path));
}

const allSources = () => readdirSync(packages).flatMap((of) => sources(join(packages, of, 'src')));

const name = (path: string) => relative(packages, path).split(sep).join('/');

test('nothing but the host and the test kit touches the file system', () => {
  const all = allSources();
  const touching = all.filter((path) => fileSystem.test(readFileSync(path, 'utf8'))).map(name);
  expect(touching).toContain('machine/src/host/files/write.ts');
  expect(touching.filter((path) => !doors.some((door) => path.startsWith(door)))).toEqual([]);
  expect(doors.filter((door) => !touching.some((path) => path.startsWith(door)))).toEqual([]);
});

const starter = 'machine/src/host/processes/launch/child-process.ts';
/** On a Mac the system closes for Node what is not meant for a program. */
const isForMac = (path: string) => /\/platform\/.*darwin-[\w-]+\.ts$/.test(path);

/** Types are no way to start anything. */
const startsPrograms =
  /(?:^import\s+(?!type\b)[^;]*?\bfrom\s*|\bimport\s*\(\s*|\brequire\s*\(\s*|\bgetBuiltinModule\s*\(\s*)(['"`])(?:node:)?child_process\1/m;

test('nothing but one file starts programs, so that none gets a descriptor that is not meant for it', () => {
  const all = allSources();
  const starting = all.filter((path) => startsPrograms.test(readFileSync(path, 'utf8'))).map(name);
  expect(starting.filter((path) => !isForMac(path))).toEqual([starter]);
});

test('nothing but one file makes a signal that aborts after a time', () => {
  const making = allSources().filter((path) =>
    /\bAbortSignal\.timeout\((?!60_000\)\.')/.test(readFileSync(path, 'utf8')),
  );
  expect(making.map(name)).toEqual(['machine/src/host/deadline.ts']);
});

test.each([
  [`import { readFile } from 'node:fs/promises';`, true],
  [`import * as fs from "fs";`, true],
  [`import 'node:fs';`, true],
  [`const { rm } = await import('node:fs/promises');`, true],
  [`export { readFileSync } from 'node:fs';`, true],
  [`const fs = require('fs');`, true],
  [`process.getBuiltinModule('node:fs')`, true],
  [`import { files } from './files/files.js';`, false],
  [`// reads through node:fs nowhere`, false],
  [`import fsevents from 'fsevents';`, false],
])('%s is seen for what it is', (source, expected) => {
  expect(fileSystem.test(source)).toBe(expected);
});
