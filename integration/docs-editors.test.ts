import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { readDocument } from './documents/blocks.js';

const root = new URL('../', import.meta.url);
const read = (folder: string, name: RegExp): string =>
  readdirSync(new URL(folder, root))
    .filter((file) => name.test(file))
    .map((file) => readFileSync(new URL(`${folder}/${file}`, root), 'utf8'))
    .join('\n');
const tests = read('integration', /^acp.*\.test\.ts$/) + read('packages/cli/src/acp/wire', /\.test\.ts$/);
const [, spoken = ''] = readDocument('editors.md').split('test that shows it |\n');
const rows = (spoken.split('\n\n')[0] ?? '')
  .split('\n')
  .slice(1)
  .map((row) => row.split('|').map((cell) => cell.trim()))
  .map(([, method = '', , test = '']) => ({ method, test }));

/** Of the published schema, as far as it is about what an agent hears. */
const { $defs } = createRequire(import.meta.url)('@agentclientprotocol/sdk/schema/v1/schema.json') as {
  $defs: Record<string, { 'x-side'?: string; 'x-method'?: string }>;
};

describe('docs/editors.md', () => {
  it.each(rows.filter(({ test }) => test !== ''))(
    '$method is shown by a test that there is: $test',
    ({ test }) => {
      expect(tests).toContain(test);
    },
  );

  it('names every method that an agent can be asked for', () => {
    const notSpoken = ['authenticate', 'logout'];
    const asked = Object.values($defs).flatMap((each) =>
      each['x-side'] === 'agent' ? [each['x-method'] ?? ''] : [],
    );
    const named = new Set(rows.flatMap(({ method }) => method.match(/[\w$/]+/g) ?? []));
    expect(asked.length).toBeGreaterThan(20);
    expect([...new Set(asked)].filter((method) => !named.has(method))).toEqual(notSpoken);
  });
});
