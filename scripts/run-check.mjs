import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './setup.mjs';

/** Runs a check, which is a program of a package with its words; it says nothing when all is well. */
export function runCheck([name, program, words]) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, 'node_modules', program), ...words], {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1' },
    });
    let output = '';
    const hear = (chunk) => {
      output += chunk;
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('error', (error) => resolve({ name, ok: false, output: String(error) }));
    child.on('close', (code) => resolve({ name, ok: code === 0, output }));
  });
}
