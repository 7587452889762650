import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { apiReports, undocumentedIn } from './api/report.mjs';
import { root } from './setup.mjs';

/** Writes docs/api anew and prints the public names that have no sentence about them. */
for (const [path, report] of apiReports()) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), report);
  const names = report.match(/^### /gm).length;
  const bare = undocumentedIn(report);
  process.stdout.write(`${path}: ${names} names, ${bare.length} without a sentence about them\n`);
  for (const name of bare) process.stdout.write(`  ${name}\n`);
}
