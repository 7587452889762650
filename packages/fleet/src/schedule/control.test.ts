import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openFileEngine } from '../engine/files/open-files.js';
import { taskNamed } from '../fixtures/engine-suite.js';
import type { TaskRow } from '../tasks/check-row.js';
import { isOf, submitRows } from './control.js';

it('two submissions at the same moment have ids of which none lies between those of the other', async () => {
  const root = mkdtempSync(join(tmpdir(), 'toolwright-submit-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const engine = await openFileEngine(root);
  onTestFinished(() => engine.close());
  async function* rows(prompt: string): AsyncGenerator<TaskRow> {
    const { id: _id, ...row } = taskNamed('x', { prompt });
    // Each row waits its turn, so that those of both come in between each other.
    for (let index = 0; index < 50; index++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      yield row;
    }
  }
  const [one, other] = await Promise.all([
    submitRows(engine, rows('one')),
    submitRows(engine, rows('other')),
  ]);
  const found = { one: [] as string[], other: [] as string[] };
  for await (const { id } of engine.waiting()) {
    const prompt = (await engine.peek(id)) as unknown as { prompt: 'one' | 'other' };
    found[prompt.prompt].push(id);
  }
  expect([one.count, other.count]).toEqual([50, 50]);
  expect(found.one.every((id) => isOf(one, id) && !isOf(other, id))).toBe(true);
  expect(found.other.every((id) => isOf(other, id) && !isOf(one, id))).toBe(true);
  expect([one.first, one.last]).toEqual([found.one.sort()[0], found.one.at(-1)]);
});
