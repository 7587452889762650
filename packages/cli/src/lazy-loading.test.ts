import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Files loaded with a file: its static imports and theirs, but not those imported when needed. */
function loadedWith(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  const statement = /(?:^|\n)(?:import|export)\s(?!type\s)[^'"]*?from\s*'([^']+)'/g;
  for (const [, specifier = ''] of readFileSync(join(root, entry), 'utf8').matchAll(statement)) {
    if (!specifier.startsWith('.')) seen.add(specifier);
    else loadedWith(relative(root, join(root, dirname(entry), specifier.replace(/\.js$/, '.ts'))), seen);
  }
  return seen;
}

const interactive = (path: string): boolean => /^(app|ui|ask|conversation)\/|^(marked|fast-)/.test(path);

it.each(['main.ts', 'commands/prompt/run-once.ts', 'setup/runtime.ts', 'commands/tools/run.ts'])(
  '%s loads nothing of the terminal before it is needed',
  (entry) => {
    expect([...loadedWith(entry)].filter(interactive)).toEqual([]);
  },
);

it('the conversation loads the drawing', () => {
  expect(existsSync(join(root, 'conversation/interactive.ts'))).toBe(true);
  const loaded = [...loadedWith('conversation/interactive.ts')];
  expect(loaded).toContain('ui/live-drawing.ts');
  expect(loaded).toContain('marked');
});
