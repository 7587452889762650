import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRedactor } from '@toolwright/machine/base/secrets/redact.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { openState } from '@toolwright/machine/host/state/state.js';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, describe, expect, it } from 'vitest';
import { openPromptHistory, type PromptHistory } from './prompt-history.js';

const machine = createTempWorkspace();
const path = join(machine.outside, 'state');
afterEach(() => machine.cleanup());

const signal = AbortSignal.timeout(20_000);
function open(): PromptHistory {
  const state = openState({ path, host: { clock: createClock(), ids: createIds() } });
  return openPromptHistory(state, createRedactor(['hunter2hunter2']));
}

describe('earlier prompts', () => {
  it('are none at first, then come back oldest first, without repeats in a row and without secrets', async () => {
    expect(await open().read()).toBeNull();
    const history = open();
    for (const text of ['one', 'two', 'two', ' two ', 'use hunter2hunter2', '', 'x'.repeat(4_001), 'one'])
      await history.add(text, signal);
    expect(await open().read()).toEqual(['one', 'two', 'use [redacted]', 'one']);
    expect(statSync(join(path, 'history.json')).mode & 0o777).toBe(0o600);
  });

  it('are 10,000 at most, and two megabytes, the newest', async () => {
    const history = open();
    await history.add('first', signal);
    const file = join(path, 'history.json');
    const entries = Array.from({ length: 10_000 }, (_, index) => `entry ${index}`);
    writeFileSync(file, JSON.stringify({ v: 1, entries }));
    await history.add('newest', signal);
    const kept = JSON.parse(readFileSync(file, 'utf8')).entries;
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([10_000, 'entry 1', 'newest']);
    const long = Array.from({ length: 800 }, (_, index) => `${index} ${'x'.repeat(3_000)}`);
    writeFileSync(file, JSON.stringify({ v: 1, entries: long }));
    await history.add('newest', signal);
    expect(readFileSync(file).length).toBeLessThan(2.2 * 1024 * 1024);
    expect((await open().read())?.at(-1)).toBe('newest');
  });

  it('of two conversations at once are all kept', async () => {
    const histories = [open(), open()];
    const texts = Array.from({ length: 10 }, (_, index) => `prompt ${index}`);
    await Promise.all(texts.map((text, index) => histories[index % 2]!.add(text, signal)));
    expect((await open().read())?.toSorted()).toEqual(texts.toSorted());
  });

  it.each([
    ['{"v": 1, "entries": "x"}', []],
    ['{"v": 1, "entries": ["a", 5, null, "b"]}', ['a', 'b']],
  ])('read from %s are %j', async (text, expected) => {
    await open().add('x', signal);
    writeFileSync(join(path, 'history.json'), text);
    expect(await open().read()).toEqual(expected);
  });
});
