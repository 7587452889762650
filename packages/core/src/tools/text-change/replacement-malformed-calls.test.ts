import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { Tool } from '../tools.js';
import { createTextTools, never, type TextTools } from './fixtures/text-tools.js';

let tools: TextTools;
afterEach(() => tools.cleanup());

const content = { 'a.txt': 'one\ntwo\n', 'dir/b.txt': 'b\n' };

const oddStrings = fc.constantFrom(
  '',
  '\0',
  'a\0b',
  '\uD800',
  '../outside.txt',
  '/etc/passwd',
  'dir',
  'dir/',
  '.',
  'a.txt/b',
  '__proto__',
  'x'.repeat(5_000),
  `${'d/'.repeat(2_000)}x`,
);
const value = fc.oneof(
  { weight: 3, arbitrary: fc.anything({ maxDepth: 2, withNullPrototype: true }) },
  { weight: 2, arbitrary: oddStrings },
);

const names = [
  'file_path',
  'absolute_path',
  'path',
  'old_string',
  'new_string',
  'content',
  'replace_all',
  'expected_replacements',
  '__proto__',
  'constructor',
];

const params = fc.oneof(
  fc.anything({ maxDepth: 1 }),
  fc
    .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 6 })
    .map((entries) => Object.fromEntries(entries)),
);

test('malformed calls are answered with an error and touch nothing', async () => {
  tools = createTextTools({ content });
  const before = tools.tree();
  const codes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('edit', 'writeFile'), params, async (name, given) => {
      const tool = tools[name as 'edit' | 'writeFile'] as unknown as Tool;
      fc.pre(typeof tool.validateToolParams === 'function' && !isValid(tool, given));
      const result = await tool.execute(given as never, never);
      codes.set(result.error?.code ?? 'none', (codes.get(result.error?.code ?? 'none') ?? 0) + 1);
      expect(result.error?.code).toBe('invalid_params');
    }),
    { numRuns: 400 },
  );
  expect(tools.tree()).toEqual(before);
  expect(codes.get('invalid_params')).toBeGreaterThanOrEqual(400);
});

function isValid(tool: Tool, given: unknown): boolean {
  try {
    return tool.validateToolParams(given as never) === null;
  } catch {
    return false;
  }
}

test('well-formed calls with hostile values are answered, and nothing is written outside the files they name', async () => {
  tools = createTextTools({ content });
  const before = tools.tree();
  await fc.assert(
    fc.asyncProperty(oddStrings, oddStrings, oddStrings, async (path, oldText, newText) => {
      const file = path === 'x'.repeat(5_000) || path === '' ? 'a.txt/x' : path;
      const edited = await tools.runEdit(file, oldText === '' ? 'zzz' : oldText, newText);
      expect(edited).toMatch(
        /^(invalid_params|not_found|outside_workspace|failed|denied|conflict|too_large): /,
      );
      if (!/[\0\uD800]/.test(newText)) return;
      expect(await tools.runWrite(file, newText)).toMatch(
        /^(invalid_params|not_found|outside_workspace|failed|denied|conflict|too_large): /,
      );
    }),
    { numRuns: 150 },
  );
  expect(tools.tree()).toEqual(before);
});
