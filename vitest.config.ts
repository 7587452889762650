import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const packages = fileURLToPath(new URL('./packages', import.meta.url));
const alias = [
  { find: /^@toolwright\/core\/(tool|front-end)$/, replacement: `${packages}/core/src/$1.ts` },
  { find: '@toolwright/core/testing', replacement: `${packages}/core/src/testing/index.ts` },
  { find: /^@toolwright\/(machine|mcp|core|doctor|fleet|web)$/, replacement: `${packages}/$1/src/index.ts` },
  { find: /^@toolwright\/(machine|mcp)\/(.*)\.js$/, replacement: `${packages}/$1/src/$2.ts` },
];
const excluded = ['**/node_modules/**', '**/dist/**'];
const slow = 'packages/*/src/**/*.slow.test.ts';
/** Real terminals and processes on a machine that others use too: one more try there, and it is told. */
const retry = process.env['CI'] ? 1 : 0;

/** unit: beside the code, quick. slow: beside the code, seconds each. integration: the built program. long: minutes. */
export default defineConfig({
  resolve: { alias },
  test: {
    // One more than there are processors: many tests wait for programs they have started. A fourth worker on two made it slower.
    maxWorkers: availableParallelism() + 1,
    // Modules are loaded once per worker, not once per file: much of the time goes into loading.
    isolate: false,
    // Compiled modules are kept for the next run, and shared by the projects of one.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/vitest' },
    hookTimeout: 120_000,
    // What a test waits for comes late on a busy machine; only a broken test waits to the end.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...excluded, '**/*.long.test.ts', slow],
          testTimeout: 60_000,
          setupFiles: ['scripts/fixed-seed.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          retry,
          setupFiles: ['scripts/fixed-seed.ts'],
          include: [slow],
          exclude: excluded,
          testTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          retry,
          globalSetup: ['integration/fresh-program.ts', 'integration/compiled-program.ts'],
          include: ['integration/**/*.test.ts'],
          exclude: [...excluded, '**/*.long.test.ts'],
          testTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          globalSetup: ['integration/fresh-program.ts'],
          // Long suites measure memory, and count what is left of a process.
          isolate: true,
          include: ['packages/*/src/**/*.long.test.ts', 'integration/**/*.long.test.ts'],
          exclude: excluded,
          testTimeout: 900_000,
        },
      },
    ],
  },
});
