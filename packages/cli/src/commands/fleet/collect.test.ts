import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '@toolwright/fleet';
import { expect, it, onTestFinished } from 'vitest';
import { parseCommandLine } from '../../command-line/args.js';
import { collectEach } from './collect.js';

it('a task that was forgotten meanwhile keeps none of the others from being collected', async () => {
  const place = mkdtempSync(join(tmpdir(), 'toolwright-collect-'));
  const engine = await openEngine({ place, fleet: 'default' });
  onTestFinished(async () => {
    await engine.close();
    rmSync(place, { recursive: true, force: true });
  });
  const { signal } = new AbortController();
  const told: string[] = [];
  const warn = (line: string): void => void told.push(line);
  const args = parseCommandLine([], []);
  const collecting = { engine, args, as: 'patch', asks: false, signal, warn } as const;
  expect(await collectEach(['gone', 'gone too'], collecting)).toBe(2);
  expect(told).toEqual([
    'gone: There is no task gone in this fleet. toolwright fleet status --tasks lists them.',
    'gone too: There is no task gone too in this fleet. toolwright fleet status --tasks lists them.',
  ]);
});
