import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { noteEditorText } from '../text-change/editor-text.js';
import { never, openTextTools, type TextTools } from '../text-change/fixtures/text-tools.js';
import { planRename } from './plan-rename.js';

const content = {
  'a.ts': 'export const area = 1;\n',
  'b.ts': "import { area } from './a';\nuse({ area });\n",
};

/** The places as a server finds them that has read the files above. */
async function rename(tools: TextTools, symbol = 'area'): Promise<string> {
  const at = (line: number, start: number, newText: string, end = start + 4) => ({
    range: { start: { line, character: start }, end: { line, character: end } },
    newText,
  });
  const changes = {
    [pathToFileURL(tools.path('a.ts')).href]: [at(0, 13, 'surface')],
    [pathToFileURL(tools.path('b.ts')).href]: [at(0, 9, 'surface'), at(1, 6, 'area: ', 6)],
  };
  const place = {
    server: { request: async () => ({ changes }) },
    path: tools.path('a.ts'),
    position: { line: 0, character: 13 },
    signal: never,
  };
  return planRename(place, { symbol, newName: 'surface' }, { host: tools, seen: tools.seen }).then(
    ({ places, planned }) => `${places} places: ${planned.diff.files.map(({ path }) => path).join(' ')}`,
    (error: Error) => error.message,
  );
}

it('a rename is planned for all places of the name, and for what is put in beside one', async () => {
  expect(await rename(openTextTools(content, { forModel: true }))).toBe('3 places: a.ts b.ts');
});

it('a rename is refused where a file holds something else at a place than the name', async () => {
  const tools = openTextTools(content, { forModel: true });
  writeFileSync(tools.path('b.ts'), `// Moved.\n${content['b.ts']}`);
  expect(await rename(tools)).toBe(
    'b.ts is not what the language server has seen, so nothing was renamed. Repeat the call.',
  );
  expect(await rename(openTextTools(content, { forModel: true }), 'width')).toContain('a.ts is not what');
});

it('a rename is refused where the editor of the user has a file with a text that is not saved', async () => {
  const tools = openTextTools(content, { forModel: true });
  await noteEditorText(
    { path: tools.path('b.ts'), text: `${content['b.ts']}mine();\n` },
    { host: tools, seen: tools.seen },
    never,
  );
  expect(await rename(tools)).toMatch(/^b\.ts is open in the user's editor with changes that are not saved/);
});
