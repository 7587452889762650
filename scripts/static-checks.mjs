import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageChecks } from './package-checks.mjs';
import { runCheck } from './run-check.mjs';
import { packages, root } from './setup.mjs';

/** The types of a project; what was found out is kept for the next time. */
const types = (project, kept) => [
  'typescript/bin/tsc',
  ['-p', project, '--incremental', '--tsBuildInfoFile', `node_modules/.cache/${kept}.tsbuildinfo`],
];

const checks = [
  [
    'format and lint',
    '@biomejs/biome/bin/biome',
    ['check', '--diagnostic-level=warn', '--error-on-warnings', '.'],
  ],
  ['types', ...types('.', 'types')],
  ['types of the page', ...types('packages/web/src/page', 'types-of-page')],
  ['dead code', 'knip/bin/knip.js', ['--no-progress']],
];

/** One after the other, because the tests run beside them. */
export async function staticChecks({ withPackages }) {
  const results = [lockFileCheck()];
  for (const check of checks) results.push(await runCheck(check));
  if (withPackages) results.push(...(await packageChecks()));
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, ok, output } of results) {
    counts[ok ? 'passed' : 'failed'] += 1;
    if (!ok) process.stdout.write(`\nFAILED ${name}\n${output}\n`);
  }
  return counts;
}

/** The lock file must work with any registry, and every dependency must be pinned exactly. */
function lockFileCheck() {
  const problems = [];
  if (/"resolved": *"http/.test(readFileSync(join(root, 'package-lock.json'), 'utf8'))) {
    problems.push('package-lock.json holds download addresses (npm config omit-lockfile-registry-resolved)');
  }
  for (const file of ['package.json', ...packages.map((name) => `packages/${name}/package.json`)]) {
    if (!existsSync(join(root, file))) continue;
    const {
      dependencies = {},
      devDependencies = {},
      optionalDependencies = {},
    } = JSON.parse(readFileSync(join(root, file), 'utf8'));
    for (const [name, version] of Object.entries({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
    })) {
      if (!/^\d/.test(version)) problems.push(`${file}: ${name} ${version} is not pinned`);
    }
  }
  return { name: 'lock file', ok: problems.length === 0, output: problems.join('\n') };
}
