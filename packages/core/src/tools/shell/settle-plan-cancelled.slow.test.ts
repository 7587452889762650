import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Asker } from '../tools.js';
import { isConfined, modelText, openTempShell, type TempShell } from './fixtures/temp-shell.js';

const confined = await isConfined();

/** Runs the command and cancels it once it has printed something. */
async function cancelled(shell: TempShell, by: Asker, command: string): Promise<string> {
  const controller = new AbortController();
  const looking = setInterval(() => shell.live().includes('begun') && controller.abort({ kind: 'user' }), 20);
  const settled = await shell.runAs(by, command, controller.signal).finally(() => clearInterval(looking));
  return modelText(settled);
}

describe.runIf(confined)('a command that is cancelled', () => {
  it('keeps what it did so far when the user typed it, and can be undone', async () => {
    await using shell = await openTempShell();
    const text = await cancelled(shell, 'user', 'touch x; echo begun; sleep 30');
    expect(text).toMatch(/cancelled by the user/);
    expect(text).toMatch(/kept: .*: x/);
    expect(shell.read('x')).toBe('');
  });

  it('loses what it did when the model asked for it, and says so', async () => {
    await using shell = await openTempShell();
    const text = await cancelled(shell, 'model', 'touch x; echo begun; sleep 30');
    expect(text).toMatch(/cancelled/);
    expect(existsSync(join(shell.directory, 'x'))).toBe(false);
  });
});
