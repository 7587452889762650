import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { families, takesPatches, usesTaskTools } from './tools-of-families.js';

const documented = readFileSync(new URL('../../../../docs/models.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));

it.each([...families])(
  'the document has the row of $gets, with its reason and its models',
  ({ gets, why, models }) => {
    const row = documented.find((cells) => cells[3] === why);
    expect(row?.[2]).toContain(gets.split(' ')[0]);
    const named = [...(row?.[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name!.split('/').at(-1)!);
    expect(named.length).toBeGreaterThan(3);
    for (const name of named) expect(models.test(name), name).toBe(true);
  },
);

it.each<[string | undefined, boolean, boolean]>([
  [undefined, false, false],
  ['llama3.1:8b', false, false],
  ['gpt-4o', false, false],
  ['gpt-4.1-mini', true, false],
  ['o3', true, false],
  ['o4-mini', true, false],
  ['codex-mini-latest', true, false],
  ['openai/gpt-5.2', true, true],
  ['anthropic/claude-sonnet-4-5', false, true],
  ['gemini-2.5-pro', false, false],
  ['qwen3-coder-plus', false, true],
])('%s takes patches: %s, and lists and questions at once: %s', (model, patches, tasks) => {
  expect([takesPatches(model), usesTaskTools(model)]).toEqual([patches, tasks]);
});
