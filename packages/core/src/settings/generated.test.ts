import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseJsonc } from '@toolwright/machine/base/configuration/jsonc.js';
import { plainValue } from '@toolwright/machine/base/configuration/plain-json.js';
import { validate } from '@toolwright/machine/base/json-schema/json-schema.js';
import { describe, expect, it } from 'vitest';
import { settingsSchema } from './fixtures/settings-schema.js';
import { settingsTable } from './fixtures/settings-table.js';
import { readLayer } from './read-layer.js';

const schemaFile = fileURLToPath(new URL('../../settings.schema.json', import.meta.url));
const documentFile = fileURLToPath(new URL('../../../../docs/settings.md', import.meta.url));
const stale =
  'is stale. Regenerate it: npx vitest run --project unit packages/core/src/settings/generated.test.ts -u';

it('settings.schema.json is what the keys say', async () => {
  const text = `${JSON.stringify(settingsSchema(), null, 2)}\n`;
  await expect(text, `settings.schema.json ${stale}`).toMatchFileSnapshot(schemaFile);
});

it('the table in docs/settings.md is what the keys say', async () => {
  const document = await readFile(documentFile, 'utf8');
  const [start, end] = ['<!-- settings: start -->', '<!-- settings: end -->'];
  expect(document).toContain(start);
  expect(document.indexOf(end)).toBeGreaterThan(document.indexOf(start));
  const before = document.slice(0, document.indexOf(start) + start.length);
  const expected = `${before}\n\n${settingsTable()}\n\n${document.slice(document.indexOf(end))}`;
  await expect(expected, `docs/settings.md ${stale}`).toMatchFileSnapshot(documentFile);
});

describe('every example in docs/settings.md', async () => {
  const document = await readFile(documentFile, 'utf8');
  const examples = [...document.matchAll(/```jsonc\n([\s\S]*?)```/g)].map(([, text]) => text as string);

  it('is found, so that none goes untried', () => {
    expect(examples.length).toBeGreaterThan(1);
  });

  it.each(examples)('is accepted by the settings:\n%s', async (text) => {
    const environment = { OPENROUTER_API_KEY: 'x', GITHUB_TOKEN: 'x', TAVILY_API_KEY: 'x' };
    const { problems, assignments } = await readLayer({ layer: 'user', file: 'example', text, environment });
    expect(problems).toEqual([]);
    expect(assignments.length).toBeGreaterThan(0);
    const parsed = await parseJsonc(text);
    expect(validate(settingsSchema(), parsed.ok ? plainValue(parsed.root) : null)).toBeNull();
  });
});

describe('the schema', () => {
  it.each([
    [
      { v: 1, $schema: 'x', approvalMode: 'plan', toolCallCommand: ['a'], tools: { discoveryCommand: 'b' } },
      true,
    ],
    [{ mcpServers: { a: { command: 'x', env: { A: 'b' } } }, permissions: { deny: ['Read(.env)'] } }, true],
    [{ approvalMode: 'never' }, false],
    [{ tools: { exlude: [] } }, false],
    [{ mcpServers: { 'a b': { command: 'x' } } }, false],
    [{ mcpServers: { a: { comand: 'x' } } }, false],
    [{ model: { maxTurns: 0 } }, false],
  ])('answers for %j whether it fits: %s', (value, fits) => {
    expect(validate(settingsSchema(), value) === null).toBe(fits);
  });
});
