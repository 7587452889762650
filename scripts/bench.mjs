import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from './setup.mjs';

/** Runs the benchmarks named on the command line, or all of them. They print ratios against a baseline of the same run. */
ensureInstalled();
await ensureBuilt();
// Node 20 parses an extra certificate bundle at every start, which would hide what is measured.
const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;
const wanted = process.argv.slice(2);
const names = readdirSync(join(root, 'bench')).filter(
  (name) => name.endsWith('.mjs') && name !== 'measure.mjs',
);
for (const name of names) {
  if (wanted.length > 0 && !wanted.includes(name.replace('.mjs', ''))) continue;
  process.stdout.write(`\n${name}\n`);
  const { status } = spawnSync(process.execPath, ['--expose-gc', join(root, 'bench', name)], {
    cwd: root,
    stdio: 'inherit',
    env: environment,
  });
  if (status !== 0) process.exitCode = 1;
}
