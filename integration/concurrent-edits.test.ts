import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundle } from './kill-commit/kill.js';

const PROCESSES = 40;
const run = promisify(execFile);

it('forty processes that edit neighbouring lines of one file at once are all served', async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-edits-')));
  try {
    const names = Array.from({ length: PROCESSES }, (_, index) => `line${index + 100}`);
    mkdirSync(join(base, 'workspace'));
    const list = join(base, 'workspace', 'list.txt');
    writeFileSync(list, names.map((name) => `${name}: before\n`).join(''));
    const program = await bundle(new URL('./concurrent-edits/child.ts', import.meta.url), base);
    const running = names.map(async (name) => (await run(process.execPath, [program, base, name])).stdout);
    const ready = () => readdirSync(base).filter((name) => name.startsWith('ready-')).length;
    let ended = false;
    void Promise.race(running).then(
      () => (ended = true),
      () => (ended = true),
    );
    while (ready() < PROCESSES && !ended) await new Promise((resolve) => setTimeout(resolve, 10));
    // The moment at which all begin, when each has had time to read it; renamed, so that it is read whole.
    writeFileSync(join(base, 'when'), String(Date.now() + 150));
    renameSync(join(base, 'when'), join(base, 'go'));
    expect(await Promise.all(running)).toEqual(names.map(() => 'edited'));
    expect(readFileSync(list, 'utf8')).toBe(names.map((name) => `${name}: after\n`).join(''));
    expect(readdirSync(join(base, 'workspace'))).toEqual(['list.txt']);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
