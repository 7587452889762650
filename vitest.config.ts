import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const packages = fileURLToPath(new URL('./packages', import.meta.url));
const alias = [
  { find: '@toolwright/core/tool', replacement: `${packages}/core/src/tool.ts` },
  { find: '@toolwright/core/testing', replacement: `${packages}/core/src/testing/index.ts` },
  { find: /^@toolwright\/(machine|mcp|core|doctor|fleet|web)$/, replacement: `${packages}/$1/src/index.ts` },
  { find: /^@toolwright\/(machine|mcp)\/(.*)\.js$/, replacement: `${packages}/$1/src/$2.ts` },
];
const excluded = ['**/node_modules/**', '**/dist/**'];
const slow = 'packages/*/src/**/*.slow.test.ts';

/** unit: beside the code, quick. slow: beside the code, seconds each. integration: the built program. long: minutes. */
export default defineConfig({
  test: {
    // One more than there are processors: many tests wait for programs they have started. A fourth worker on two made it slower.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...excluded, '**/*.long.test.ts', slow],
          testTimeout: 60_000,
          // Modules are loaded once per worker, not once per file: half of the time goes into loading.
          isolate: false,
          setupFiles: ['scripts/fixed-seed.ts'],
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'slow',
          // As below: real processes.
          retry: process.env['CI'] ? 1 : 0,
          setupFiles: ['scripts/fixed-seed.ts'],
          include: [slow],
          exclude: excluded,
          testTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'integration',
          // Real terminals and processes on a machine that others use too: one more try there, and it is told.
          retry: process.env['CI'] ? 1 : 0,
          globalSetup: ['integration/compiled-program.ts'],
          include: ['integration/**/*.test.ts'],
          exclude: [...excluded, '**/*.long.test.ts'],
          testTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'long',
          include: ['packages/*/src/**/*.long.test.ts', 'integration/**/*.long.test.ts'],
          exclude: excluded,
          testTimeout: 900_000,
        },
      },
    ],
  },
});
