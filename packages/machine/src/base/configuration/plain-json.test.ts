import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseAnyJsonc } from './jsonc.js';
import { readPlainJson } from './plain-json.js';

it.each([
  '{}',
  '{"mcpServers": {"mail": {"command": "mail", "args": ["-v", ""], "timeout": 30}}}',
  '{\n  "a": [1, -2.5e3, true, false, null, {"b": []}],\n  "a": "twice"\n}\n',
  '  "only a text"  ',
  '{"__proto__": {"é": "ü"}}',
])('the quick reader reads %j like any other text, with the same places', async (text) => {
  expect({ ok: true, root: readPlainJson(text) }).toEqual(await parseAnyJsonc(text));
});

it.each([
  '',
  ' ',
  '{"a": 1,}',
  '{"a": 1} // why',
  '{"a": /* why */ 1}',
  '{"a": "\\n"}',
  '{"a": "over\nlines"}',
  '{\t"a": 1}',
  '{"a": 1}\r\n',
  '\uFEFF{}',
  '{"a" 1}',
  '{a: 1}',
  '{"a": 01}',
  '{"a": nul}',
  '{"a": "open}',
  '[1, 2',
  '{} {}',
  `${'['.repeat(51)}${']'.repeat(51)}`,
])('the quick reader leaves %j to whoever reads every text', (text) => {
  expect(readPlainJson(text)).toBeNull();
});

const disturbance = fc.record({
  at: fc.nat(),
  text: fc.constantFrom('', ',', '"', '}', ' ', '\n', '0', '//'),
});

it('the quick reader of JSON gives for every text what the library gives, or nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.json({ maxDepth: 4 }),
      fc.constantFrom(0, 1, 2),
      fc.option(disturbance),
      async (json, indent, disturbed) => {
        const written = JSON.stringify(JSON.parse(json), null, indent);
        const cut = disturbed ? disturbed.at % (written.length + 1) : 0;
        const text = written.slice(0, cut) + (disturbed?.text ?? '') + written.slice(cut);
        const plain = readPlainJson(text);
        if (plain) expect({ ok: true, root: plain }).toEqual(await parseAnyJsonc(text));
        else if (!disturbed) expect(text).toMatch(/\\/);
      },
    ),
    { numRuns: 500 },
  );
});
