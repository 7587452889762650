import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { instruments } from './measures.js';

it('docs/telemetry.md lists every attribute and every metric, and none that is not sent', () => {
  const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
  const sources = ['spans.ts', 'telemetry.ts', 'measures.ts'].map((name) => read(`./${name}`)).join('\n');
  const names = sources.match(/'(?:gen_ai|toolwright|service|error)\.[a-z_.]+'/g) ?? [];
  const documentation = read('../../../../docs/telemetry.md');
  const missing = [...new Set(names.map((name) => name.slice(1, -1))), ...Object.keys(instruments)].filter(
    (name) =>
      !documentation.includes(`\`${name}\``) &&
      !(name.startsWith('gen_ai.usage.') && documentation.includes(name)),
  );
  expect(names.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
  const sent = new Set([...names.map((name) => name.slice(1, -1)), ...Object.keys(instruments)]);
  const listed = documentation.match(/`(?:gen_ai|toolwright)\.[a-z_.]+[a-z]`/g) ?? [];
  expect(listed.map((name) => name.slice(1, -1)).filter((name) => !sent.has(name))).toEqual([]);
});
