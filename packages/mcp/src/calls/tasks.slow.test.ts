import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '@toolwright/machine/base/content.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { McpConnection, McpProgress } from '../contract/connection.js';
import type { McpNeeds } from '../contract/needs.js';
import { createMcpBench, never } from '../fixtures/mcp-bench.js';

const bench = createMcpBench();
afterAll(() => bench.close());

let count = 0;
const newFile = () => join(bench.directory, `tasks-${++count}.json`);
const open = (revision: string, needs: Partial<McpNeeds> = {}, file = newFile()) =>
  bench.openFile('tasks', [revision, file], { needs });
const call = (server: McpConnection, name: string, signal = never) => server.callTool(name, {}, { signal });
const failureOf = async (work: Promise<unknown>) => messageOf(await work.catch((error: unknown) => error));
const savedTasks = () => {
  const file = join(bench.directory, 'state', 'mcp-tasks.json');
  return existsSync(file) ? Object.keys(JSON.parse(readFileSync(file, 'utf8')).tasks) : [];
};

describe.each(['newer', 'older'])('a call that becomes a task, in the %s revision', (revision) => {
  it('gives its result when the task is done, and shows its steps meanwhile', async () => {
    const server = await open(revision);
    expect(server.info.offers.tasks).toBe(true);
    const steps: McpProgress[] = [];
    const result = await server.callTool(
      'bake',
      {},
      { signal: never, onProgress: (step) => steps.push(step) },
    );
    expect(textOf(result.parts)).toBe('baked, started 1 times');
    expect(steps.map(({ message }) => message)).toEqual(['step 1', 'step 2']);
    expect(savedTasks()).toEqual([]);
  });

  it('is cancelled with the call', async () => {
    const server = await open(revision);
    const controller = new AbortController();
    const working = call(server, 'endless', controller.signal);
    await expect.poll(() => server.stderrTail()).toContain('started');
    controller.abort({ kind: 'user' });
    await expect(working).rejects.toEqual({ kind: 'user' });
    expect(server.stderrTail()).toContain('cancelled task-endless');
    expect(savedTasks()).toEqual([]);
  });

  it('that never ends is given up at the limit, and the server is told', async () => {
    const server = await open(revision, { limits: { callIdle: 1_000, callHard: 1_500 } });
    const message = await failureOf(call(server, 'endless'));
    console.log(`evidence: ${message}`);
    expect(message).toContain('the tool "endless" was not done after 1.5 s. The server was told to stop');
    expect(server.stderrTail()).toContain('cancelled task-endless');
    expect(textOf((await call(server, 'bake')).parts)).toContain('baked');
  });

  it('that fails says why', async () => {
    expect(await failureOf(call(await open(revision), 'fails'))).toContain('the oven is cold');
  });

  it.each([
    ['gives_up', 'the server cancelled its task: no flour'],
    ['odd', 'it answered with a task that has no id or no known status'],
  ])('of %s costs that call only', async (tool, why) => {
    const server = await open(revision);
    expect(await failureOf(call(server, tool))).toContain(`the tool "${tool}" was not carried out: ${why}`);
    expect(textOf((await call(server, 'bake')).parts)).toContain('baked');
    expect(savedTasks()).toEqual([]);
  });

  it('goes on when the server is started again', async () => {
    const server = await open(revision);
    expect(textOf((await call(server, 'dies')).parts)).toBe('survived, started 1 times');
  });

  it('goes on when this program is started again, with the same call', async () => {
    const file = newFile();
    const first = await open(revision, {}, file);
    const controller = new AbortController();
    const working = call(first, 'bake', controller.signal);
    await expect.poll(() => savedTasks()).toHaveLength(1);
    controller.abort({ kind: 'shutdown' });
    await expect(working).rejects.toEqual({ kind: 'shutdown' });
    await first.close();
    const result = await call(await open(revision, {}, file), 'bake');
    expect(textOf(result.parts)).toBe('baked, started 1 times');
    expect(result.warnings).toEqual([
      'This is the result of the task that the same call started before; it was not started a second time.',
    ]);
    expect(savedTasks()).toEqual([]);
    console.log(`evidence: a task of the ${revision} revision was resumed: ${textOf(result.parts)}`);
  });

  it('is started anew when the server knows nothing of the earlier one', async () => {
    const file = newFile();
    const first = await open(revision, {}, file);
    const controller = new AbortController();
    const working = call(first, 'bake', controller.signal).catch(() => undefined);
    await expect.poll(() => savedTasks()).toHaveLength(1);
    controller.abort({ kind: 'shutdown' });
    await working;
    await first.close();
    rmSync(file);
    expect(textOf((await call(await open(revision, {}, file), 'bake')).parts)).toBe('baked, started 1 times');
    expect(savedTasks()).toEqual([]);
  });
});

describe('a task that wants input', () => {
  it('gets the answer of the user, who is asked once', async () => {
    const onElicit = vi.fn(async () => ({ action: 'accept' as const, content: { name: 'Ada' } }));
    const server = await open('newer', { onElicit });
    expect(textOf((await call(server, 'asks')).parts)).toBe('hello Ada');
    expect(onElicit).toHaveBeenCalledOnce();
  });

  it('and asks over and over is given up', async () => {
    const onElicit = async () => ({ action: 'decline' as const });
    const message = await failureOf(call(await open('newer', { onElicit }), 'asks_forever'));
    expect(message).toContain('its task asked more than 20 questions and never came to an end');
  });

  it('and is completed without a result is a failure', async () => {
    expect(await failureOf(call(await open('newer'), 'empty'))).toContain('was completed without a result');
  });
});
