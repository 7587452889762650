import { startVitest } from 'vitest/node';
import QuietReporter from './quiet-reporter.mjs';
import { root } from './setup.mjs';

/** Runs test projects in this process; quiet but for failures. Returns the counts. */
export async function runTests(projects) {
  const reporter = new QuietReporter();
  // Not closed afterwards: whoever calls this ends the process, which waits for nothing.
  await startVitest('test', [], {
    root,
    project: projects,
    watch: false,
    reporters: [reporter],
    run: true,
  });
  const exitCode = process.exitCode ?? 0;
  process.exitCode = 0;
  if (exitCode !== 0 && reporter.counts.failed === 0) reporter.counts.failed = 1;
  return reporter.counts;
}
