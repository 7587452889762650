import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { ScriptEnding, ScriptLimits } from './engine/messages.js';
import { scriptThreadFromSource } from './fixtures/script-thread-from-source.js';

const MB = 1024 * 1024;
const limits: ScriptLimits = {
  computeMs: 20_000,
  totalMs: 30_000,
  memoryBytes: 64 * MB,
  calls: 0,
  sentCharacters: 0,
  receivedCharacters: 0,
  printedCharacters: 1_000,
};

/**
 * A process of its own: the peak of its memory is that of one script alone. Linux counts what the process had before it became
 * another program into the usage of resources, so there the peak of the address space is read.
 */
const PROGRAM = `
const { readFileSync } = require('node:fs');
const { Worker } = require('node:worker_threads');
const [thread, start] = process.argv.slice(1);
const worker = new Worker(thread, { workerData: JSON.parse(start), resourceLimits: { maxOldGenerationSizeMb: 128 } });
worker.on('message', async ({ type, ending }) => {
  if (type !== 'ended') return;
  await worker.terminate();
  const peak =
    process.platform === 'linux'
      ? Number(/VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1])
      : process.resourceUsage().maxRSS;
  console.log(JSON.stringify({ ending, peak: peak * 1024 }));
});`;

async function run(code: string, thread: string, memoryBytes = limits.memoryBytes) {
  const start = JSON.stringify({ code, tools: [], limits: { ...limits, memoryBytes } });
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROGRAM, thread, start]);
  return JSON.parse(stdout) as { ending: ScriptEnding; peak: number };
}

const greedy: [by: string, code: string][] = [
  ['arrays', 'const a = []; for (;;) a.push(new Array(1e5).fill(1))'],
  ['text', "let s = 'x'; for (;;) s += s + 'y'"],
  ['buffers', 'const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))'],
];

it('a script takes no more memory of the machine than its limit', { timeout: 120_000 }, async () => {
  const thread = await scriptThreadFromSource();
  const { peak: idle } = await run('return 1', thread);
  for (const [by, code] of greedy) {
    const { ending, peak } = await run(code, thread);
    console.log(
      `memory by ${by}: ${ending.kind}, ${Math.round((peak - idle) / MB)} MB more than an empty script`,
    );
    expect(ending.kind).not.toBe('returned');
    expect(peak - idle).toBeLessThan(limits.memoryBytes + 48 * MB);
  }
});

it('the limit is that of the memory given to the engine, whatever the engine counts itself', async () => {
  const thread = await scriptThreadFromSource();
  const own = 'runtime.setMemoryLimit(memoryBytes - ROOM_FOR_ENGINE);';
  const source = await readFile(thread, 'utf8');
  expect(source.split(own)).toHaveLength(2);
  const without = thread.replace(/\.mjs$/, '-unlimited.mjs');
  await writeFile(without, source.replace(own, ''));
  const { peak: idle } = await run('return 1', without);
  const used: number[] = [];
  for (const memoryBytes of [32 * MB, 128 * MB]) {
    const { ending, peak } = await run(greedy[2]![1], without, memoryBytes);
    console.log(
      `${memoryBytes / MB} MB given: ${ending.kind}, ${Math.round((peak - idle) / MB)} MB more than an empty script`,
    );
    expect(ending.kind).not.toBe('returned');
    expect(peak - idle).toBeLessThan(memoryBytes + 48 * MB);
    used.push(peak - idle);
  }
  expect(used[1]! - used[0]!).toBeGreaterThan(60 * MB);
}, 120_000);
