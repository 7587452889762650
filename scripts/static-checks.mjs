import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { libraries, packages, root } from './setup.mjs';

/** Each check is a program that says nothing when all is well. */
const quick = [
  [
    'format and lint',
    'node_modules/@biomejs/biome/bin/biome',
    ['check', '--diagnostic-level=warn', '--error-on-warnings', '.'],
  ],
  ['types', 'node_modules/typescript/bin/tsc', ['-p', '.']],
  ['types of the page', 'node_modules/typescript/bin/tsc', ['-p', 'packages/web/src/page']],
  ['dead code', 'node_modules/knip/bin/knip.js', ['--no-progress']],
];

const ofPackages = [
  ...packages.map((name) => [
    `package ${name}`,
    'node_modules/publint/src/cli.js',
    ['run', `packages/${name}`, '--strict'],
  ]),
  ...libraries.map((name) => [
    `types of package ${name}`,
    'node_modules/@arethetypeswrong/cli/dist/index.js',
    ['--pack', `packages/${name}`, '--profile', 'esm-only', '--quiet'],
  ]),
];

export async function staticChecks({ withPackages }) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const checks = [...quick, ...(withPackages ? ofPackages : [])];
  const results = await Promise.all([...checks.map(runCheck), lockFileCheck()]);
  for (const { name, ok, output } of results) {
    counts[ok ? 'passed' : 'failed'] += 1;
    if (!ok) process.stdout.write(`\nFAILED ${name}\n${output}\n`);
  }
  return counts;
}

function runCheck([name, program, args]) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, program), ...args], {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1' },
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', (error) => resolve({ name, ok: false, output: String(error) }));
    child.on('close', (code) => resolve({ name, ok: code === 0, output }));
  });
}

/** The lock file must work with any registry, and every dependency must be pinned exactly. */
async function lockFileCheck() {
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
