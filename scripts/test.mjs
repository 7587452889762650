import { ensureBuilt, ensureInstalled } from './setup.mjs';

/** Everything, or with --long the suites that take minutes. The last line is `N passed, N failed`. */
ensureInstalled();
await ensureBuilt();
const [{ staticChecks }, { runTests }] = await Promise.all([
  import('./static-checks.mjs'),
  import('./run-tests.mjs'),
]);
const isLong = process.argv.includes('--long');
const parts = isLong
  ? [runTests(['long'])]
  : [staticChecks({ withPackages: true }), runTests(['unit', 'slow', 'integration'])];
const totals = { passed: 0, failed: 0, skipped: 0 };
for (const counts of await Promise.all(parts))
  for (const key of Object.keys(totals)) totals[key] += counts[key] ?? 0;
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed${skipped}\n`);
process.exit(totals.failed > 0 || totals.passed === 0 ? 1 : 0);
