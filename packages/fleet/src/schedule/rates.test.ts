import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock } from '@toolwright/core/front-end';
import { expect, it, onTestFinished } from 'vitest';
import type { Engine } from '../engine/engine.js';
import { openFileEngine } from '../engine/files/open-files.js';
import { openRates } from './rates.js';

it('a pause that cannot be looked up holds no request back, and is looked up again for the next one', async () => {
  const root = mkdtempSync(join(tmpdir(), 'toolwright-rates-'));
  const engine = await openFileEngine(root, { leaseMs: 1_000 });
  onTestFinished(async () => {
    await engine.close();
    rmSync(root, { recursive: true, force: true });
  });
  let isAway = true;
  const away: Engine = {
    ...engine,
    table: (name) => ({
      ...engine.table(name),
      get: (key) => (isAway ? Promise.reject(new Error('timeout')) : engine.table(name).get(key)),
    }),
  };
  await engine.table('limits').put('pause fake', engine.now() + 600_000, null);
  const clock = { ...createClock(), sleep: () => Promise.reject(new Error('waits')) };
  const rates = openRates(away, () => ({ slots: {}, rates: {} }), clock);
  const { signal } = new AbortController();
  await rates.beforeRequest('fake', signal);
  isAway = false;
  await expect(rates.beforeRequest('fake', signal)).rejects.toThrow('waits');
});

it('a long pause of a provider is not waited for where another model can be asked instead, a short one is', async () => {
  const root = mkdtempSync(join(tmpdir(), 'toolwright-rates-'));
  const engine = await openFileEngine(root, { leaseMs: 1_000 });
  onTestFinished(async () => {
    await engine.close();
    rmSync(root, { recursive: true, force: true });
  });
  const clock = { ...createClock(), sleep: () => Promise.reject(new Error('waits')) };
  const rates = openRates(engine, () => ({ slots: {}, rates: {} }), clock);
  const { signal } = new AbortController();
  rates.heardPause('short', 3_000);
  rates.heardPause('long', 600_000);
  await expect(rates.beforeRequest('short', signal, true)).rejects.toThrow('waits');
  await expect(rates.beforeRequest('long', signal, false)).rejects.toThrow('waits');
  const refused: unknown = await rates.beforeRequest('long', signal, true).catch((error: unknown) => error);
  expect(refused).toMatchObject({ kind: 'rate-limit', retryAfterMs: undefined });
  expect(String(refused)).toContain('long wants to be left alone for 9 min.');
});
