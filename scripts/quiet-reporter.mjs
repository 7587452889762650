import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Prints failures and what could not be tried; counts the rest. TOOLWRIGHT_TEST_TIMES names a file for the seconds of each test file. */
export default class QuietReporter {
  constructor() {
    this.counts = { passed: 0, failed: 0, skipped: 0 };
  }

  onUserConsoleLog({ content, type }) {
    const wanted = process.env.TOOLWRIGHT_TEST_OUTPUT;
    if (wanted === 'none') return;
    if (wanted === 'all' || /^evidence:/m.test(content)) process[type].write(content);
  }

  onTestCaseResult(test) {
    const { state, note, errors } = test.result();
    this.counts[state] = (this.counts[state] ?? 0) + 1;
    if (state === 'failed') printFailure(`${fileOf(test.module)} > ${test.fullName}`, errors);
    if (state === 'passed' && (test.diagnostic()?.retryCount ?? 0) > 0)
      process.stdout.write(`passed only when tried again: ${test.fullName}\n`);
    if (state === 'skipped') process.stdout.write(`not tried: ${test.fullName}${note ? ` (${note})` : ''}\n`);
  }

  onTestRunEnd(modules, unhandled) {
    const times = process.env.TOOLWRIGHT_TEST_TIMES;
    if (times) writeFileSync(times, timesOf(modules));
    for (const module of modules) {
      const errors = module.errors();
      if (errors.length === 0) continue;
      this.counts.failed += 1;
      printFailure(fileOf(module), errors);
    }
    if (unhandled.length > 0) {
      this.counts.failed += unhandled.length;
      printFailure('outside of any test', unhandled);
    }
  }
}

/** The test files, the slowest first. */
function timesOf(modules) {
  const rows = modules.map((module) => ({ file: fileOf(module), ms: module.diagnostic().duration }));
  const sorted = rows.toSorted((left, right) => right.ms - left.ms);
  return sorted.map(({ file, ms }) => `${(ms / 1_000).toFixed(1)} ${file}\n`).join('');
}

function fileOf(module) {
  return relative(process.cwd(), module.moduleId);
}

function printFailure(name, errors) {
  process.stdout.write(`\nFAILED ${name}\n`);
  for (const error of errors ?? []) {
    process.stdout.write(`${error.stack ?? error.message ?? error}\n${error.diff ?? ''}\n`);
  }
}
