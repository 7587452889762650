import { join } from 'node:path';
import { messageOf, orNull, SettingsError } from '@toolwright/machine/base/errors.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import { readRegularFile } from '@toolwright/machine/host/plain-files/regular-file.js';
import { lookAtSync, namesInSync } from '@toolwright/machine/host/state/inspect-files.js';

/** A file of a task, with its path below the folder it came from. */
export interface TaskFile {
  path: string;
  bytes: Uint8Array;
  mode: number;
}

/** A task in the layout of Terminal-Bench. */
export interface EvalTask {
  name: string;
  folder: string;
  instruction: string;
  /** Files that the agent starts with. */
  environment: TaskFile[];
  /** Files of the test, `test.sh` among them. */
  tests: TaskFile[];
  agentLimitMs: number;
  testLimitMs: number;
}

const AGENT_LIMIT_S = 900;
const TEST_LIMIT_S = 300;
const LARGEST_FILE = 16 * 1024 * 1024;
const MOST_FILES = 5_000;

/** Reads the tasks of a folder: each is a folder with `task.toml`, `instruction.md` and `tests/test.sh`. */
export async function readTasks(folder: string, only: readonly string[]): Promise<EvalTask[]> {
  const names = namesInSync(folder)
    .filter((name) => lookAtSync(join(folder, name, 'task.toml')))
    .sort();
  if (names.length === 0)
    throw new SettingsError(
      `${folder} holds no tasks. A task is a folder with task.toml, instruction.md and tests/test.sh.`,
    );
  const missing = only.find((name) => !names.includes(name));
  if (missing !== undefined) throw new SettingsError(`There is no task ${missing} in ${folder}.`);
  const tasks: EvalTask[] = [];
  for (const name of names.filter((each) => only.length === 0 || only.includes(each)))
    tasks.push(await readTask(join(folder, name), name));
  return tasks;
}

async function readTask(folder: string, name: string): Promise<EvalTask> {
  const limits = await readLimits(join(folder, 'task.toml'));
  const tests = filesBelow(join(folder, 'tests'));
  if (!tests.some(({ path }) => path === 'test.sh'))
    throw new SettingsError(`${folder} has no tests/test.sh.`);
  return {
    name,
    folder,
    instruction: textAt(join(folder, 'instruction.md')),
    // Files that build a container say nothing to an agent that works without one.
    environment: filesBelow(join(folder, 'environment')).filter(
      ({ path }) => !/^(?:Dockerfile|docker-compose\.ya?ml)$/.test(path),
    ),
    tests,
    ...limits,
  };
}

/** `agent.timeout_sec` and `verifier.timeout_sec`. */
async function readLimits(path: string): Promise<Pick<EvalTask, 'agentLimitMs' | 'testLimitMs'>> {
  const { parse } = await import('smol-toml');
  try {
    const read: unknown = parse(textAt(path));
    const limit = (group: string, otherwise: number): number => {
      const section = isJsonObject(read) ? read[group] : undefined;
      const given = isJsonObject(section) ? Number(section['timeout_sec']) : Number.NaN;
      return (given > 0 ? given : otherwise) * 1_000;
    };
    return { agentLimitMs: limit('agent', AGENT_LIMIT_S), testLimitMs: limit('verifier', TEST_LIMIT_S) };
  } catch (error) {
    throw new SettingsError(`${path} can't be read: ${messageOf(error).split('\n')[0]}`);
  }
}

function textAt(path: string): string {
  const bytes = orNull(() => readRegularFile(path, LARGEST_FILE));
  if (!bytes) throw new SettingsError(`${path} is missing or can't be read.`);
  return bytes.toString('utf8');
}

/** Every regular file below a folder; links are left out. */
function filesBelow(folder: string, prefix = ''): TaskFile[] {
  const files: TaskFile[] = [];
  for (const name of namesInSync(folder).sort()) {
    const whole = join(folder, name);
    const found = lookAtSync(whole);
    if (found?.kind === 'directory') files.push(...filesBelow(whole, `${prefix}${name}/`));
    else if (found?.kind === 'file') files.push(fileAt(whole, `${prefix}${name}`));
    if (files.length > MOST_FILES) throw new SettingsError(`${folder} holds more than ${MOST_FILES} files.`);
  }
  return files;
}

/** Scripts can be run; the permission bits of a checkout may be lost. */
function fileAt(whole: string, path: string): TaskFile {
  const bytes = readRegularFile(whole, LARGEST_FILE);
  return { path, bytes, mode: bytes.subarray(0, 2).toString() === '#!' ? 0o755 : 0o644 };
}
