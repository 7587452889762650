import { mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { taskNamed } from '../../fixtures/engine-suite.js';
import { openFileQueue } from './queue.js';

const { signal } = new AbortController();

it('a task whose file cannot be read for a while stays in the queue, and comes again after a lease', async () => {
  const root = mkdtempSync(join(tmpdir(), 'toolwright-queue-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const queue = openFileQueue(root, { leaseMs: 50 }, Date.now);
  await queue.submit([taskNamed('only')]);
  const segment = join(root, 'queue', readdirSync(join(root, 'queue'))[0]!);
  const name = readdirSync(segment)[0]!;
  const [aside, link] = [join(root, 'aside'), join(segment, name)];
  renameSync(link, join(root, 'whole'));
  // Links that lead to each other can't be opened, as little as anything can where too many files are open.
  symlinkSync(aside, link);
  symlinkSync(aside, aside);
  await expect(queue.claim(signal)).rejects.toThrow('ELOOP');
  expect(await queue.unfinished()).toBe(1);
  rmSync(aside);
  renameSync(join(root, 'whole'), aside);
  const claim = await queue.claim(signal);
  expect(claim?.task).toEqual(taskNamed('only'));
  await claim?.done();
  await queue.close();
});
