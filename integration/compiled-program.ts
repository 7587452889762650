import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from './program.js';

/** Commands that load most chunks of the program, so that its code cache holds them. */
const warmUps = [
  ['--provider', 'offline', '-p', 'list .'],
  ['--provider', 'offline', '-p', 'find alpha'],
  ['--provider', 'offline', '-p', 'run ls'],
  ['tools', 'list'],
  ['explain', 'rm a.txt'],
  ['doctor'],
];

/**
 * Compiles the program once for all tests. Each test has a state folder of its own, so each first run would compile
 * the program and write its code cache again, which takes as long as the rest of a short run.
 */
export default function compileProgram(): () => void {
  const home = mkdtempSync(join(tmpdir(), 'toolwright-compiled-'));
  const env = { PATH: process.env['PATH'] ?? '', HOME: home };
  for (const args of warmUps) {
    try {
      execFileSync(process.execPath, [program, ...args], {
        cwd: home,
        env,
        stdio: 'ignore',
        timeout: 60_000,
      });
    } catch {
      // Only the time of the tests depends on it; what a command answers here is not what is tested.
    }
  }
  process.env['TOOLWRIGHT_TEST_CODE_CACHE'] = join(home, '.toolwright/cache/code');
  return () => rmSync(home, { recursive: true, force: true });
}
