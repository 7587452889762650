import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Machine } from '../program.js';

const program = fileURLToPath(new URL('../../packages/cli/bin/toolwright.cjs', import.meta.url));
/** Programs of others that a reader has installed. */
const installed = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));

export interface ShellRun {
  code: number | null;
  /** Standard output and standard error, as a terminal would show them. */
  output: string;
}

/** Runs the lines of a document as a reader would, with the built program as `toolwright`. */
export function runLines(
  machine: Machine,
  lines: string,
  environment: Record<string, string> = {},
): Promise<ShellRun> {
  const bin = join(machine.home, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'toolwright'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(join(bin, 'toolwright'), 0o755);
  const child = spawn('bash', ['-c', `set -eu -o pipefail\nexec 2>&1\n${lines}`], {
    cwd: machine.workspace,
    env: {
      PATH: `${bin}:${process.env['PATH'] ?? ''}:${installed}`,
      LANG: 'C.UTF-8',
      HOME: machine.home,
      NO_COLOR: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** A small repository with two commits, for examples that look at a change. */
export async function makeRepository(machine: Machine): Promise<void> {
  const made = await runLines(
    machine,
    `git init -q
    git config user.email reader@example.com
    git config user.name Reader
    git add . && git commit -qm first
    echo '// one more line' >> src/app.ts
    git commit -qam second`,
  );
  if (made.code !== 0) throw new Error(made.output);
}
