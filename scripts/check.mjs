import { ensureInstalled } from './setup.mjs';

/** Format, lint, types, dead code, architecture and unit tests; one line when all is well. */
ensureInstalled();
process.env.TOOLWRIGHT_TEST_OUTPUT ??= 'none';
const started = Date.now();
const [{ staticChecks }, { runTests }] = await Promise.all([
  import('./static-checks.mjs'),
  import('./run-tests.mjs'),
]);
const [statics, tests] = await Promise.all([staticChecks({ withPackages: false }), runTests(['unit'])]);
const failed = statics.failed + tests.failed;
const passed = statics.passed + tests.passed;
process.stdout.write(
  `check: ${passed} passed, ${failed} failed in ${((Date.now() - started) / 1000).toFixed(0)} s\n`,
);
process.exit(failed > 0 ? 1 : 0);
