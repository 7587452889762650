import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const { apiReports, undocumentedIn } = await import(new URL('./report.mjs', import.meta.url).href);
const reports: Map<string, string> = apiReports();
const root = new URL('../../', import.meta.url);

it.each([...reports])('%s holds the public names as they are now', (path, report) => {
  const kept = existsSync(new URL(path, root)) ? readFileSync(new URL(path, root), 'utf8') : '';
  const keptLines = kept.split('\n');
  const differing = report.split('\n').find((line, index) => line !== keptLines[index]);
  const advice = `${path} is stale, first at the line ${JSON.stringify(differing)}. Run npm run api and look at its diff: it is what users of the package will see changed.`;
  expect(kept === report, advice).toBe(true);
});

it('the report shows a name with its declaration and the comment above it, and without what is private', () => {
  const core = reports.get('docs/api/core.md')!;
  expect(core).toContain('### ToolRegistry\n\n```ts\n');
  expect(core).toMatch(/### DiscoveredMCPTool\n\n```ts\n(\/\*\*[^`]*)?class DiscoveredMCPTool/);
  expect(core).not.toMatch(/^ {4}private /m);
  expect(core).toContain('### ToolError\n\nAs in `@toolwright/core`.');
});

it('the report has a sentence about every public name', () => {
  const bare = [...reports.values()].flatMap((report) => undocumentedIn(report) as string[]);
  expect(bare, 'Write a doc comment above the declarations of these names, then run npm run api').toEqual([]);
});

it('the report finds the names that have no sentence about them', () => {
  const report =
    '# x\n\n## p\n\n### a\n\n```ts\n/** A. */\na\n```\n\n### b\n\n```ts\nb\n```\n\n### c\n\nAs in `p`.\n';
  expect(undocumentedIn(report)).toEqual(['p b']);
});
