import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findBubblewrap, isAtLeast, systemPrograms } from './probe.js';

test('bubblewrap is looked for in system folders only', () => {
  expect(systemPrograms).toEqual(['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap']);
});

test.runIf(process.getuid?.() === 0)(
  'a program that others can replace is passed over (tried as root)',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'program-'));
    try {
      const program = join(folder, 'bin', 'bwrap');
      mkdirSync(join(folder, 'bin'), { mode: 0o755 });
      writeFileSync(program, '', { mode: 0o755 });
      expect(findBubblewrap([join(folder, 'missing'), program])?.path).toBe(program);
      chmodSync(program, 0o775);
      expect(findBubblewrap([program])).toBeNull();
      chmodSync(program, 0o755);
      chmodSync(join(folder, 'bin'), 0o777);
      expect(findBubblewrap([program])).toBeNull();
      chmodSync(join(folder, 'bin'), 0o755);
      chownSync(program, 65534, 65534);
      expect(findBubblewrap([program])).toBeNull();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

test.each([
  ['0.8.0', '0.8', true],
  ['0.11.0', '0.8', true],
  ['1.0', '0.8', true],
  ['0.7.9', '0.8', false],
  ['0.4.1', '0.8', false],
])('version %s is at least %s: %s', (version, wanted, expected) => {
  expect(isAtLeast(version, wanted)).toBe(expected);
});
